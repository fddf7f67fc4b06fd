import { useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { IconChevronRight } from "@tabler/icons-react";
import classes from "./page.module.css";

interface PageProps {
  title: string;
  /** Shown under the title: a state sentence or a count. */
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** Where the page hangs, only where there is depth. */
  parent?: { to: string; label: string };
  /** Narrow for forms. */
  narrow?: boolean;
  children: ReactNode;
}

/** Title, state and main actions of a page, and its content at a bounded width. */
export function Page({ title, subtitle, actions, parent, narrow = false, children }: PageProps) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = `${title} · GoblinLab`;
  }, [title]);
  return (
    <div className={classes.page} data-narrow={narrow || undefined}>
      {parent ? (
        <nav className={classes.crumbs} aria-label={t("frame.breadcrumbs")}>
          <Link to={parent.to}>{parent.label}</Link>
          <IconChevronRight size={14} aria-hidden />
          <span className="cut">{title}</span>
        </nav>
      ) : null}
      <header className={classes.head}>
        <div className={classes.heading}>
          <h1 className={classes.title}>{title}</h1>
          {subtitle ? <div className={classes.subtitle}>{subtitle}</div> : null}
        </div>
        {actions ? <div className={classes.actions}>{actions}</div> : null}
      </header>
      {children}
    </div>
  );
}

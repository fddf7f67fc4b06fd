import type { ReactNode } from "react";
import { Logo } from "~/components/logo";
import { LanguageMenu, SchemeMenu } from "~/modules/frame/preferences";
import classes from "./entry-card.module.css";

/** What stands alone in the middle of the window, for people who are not inside. */
export function EntryCard({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <main className={classes.page}>
      <div className={classes.corner}>
        <LanguageMenu />
        <SchemeMenu />
      </div>
      <div className={classes.card}>
        <div className={classes.brand}>
          <Logo size={36} />
          <span>GoblinLab</span>
        </div>
        <h1 className={classes.title}>{title}</h1>
        {children}
      </div>
    </main>
  );
}

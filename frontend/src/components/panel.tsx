import type { ReactNode } from "react";
import classes from "./panel.module.css";

interface PanelProps {
  title: string;
  /** Stands at the right of the title: an action or a count. */
  aside?: ReactNode;
  children: ReactNode;
  /** Without inner space, for lists that reach the border. */
  flush?: boolean;
}

/** A titled part of a page. Panels never nest. */
export function Panel({ title, aside, children, flush = false }: PanelProps) {
  return (
    <section className={classes.panel} aria-label={title}>
      <header className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        {aside}
      </header>
      <div className={flush ? undefined : classes.body}>{children}</div>
    </section>
  );
}

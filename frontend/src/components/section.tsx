import type { ReactNode } from "react";
import classes from "./section.module.css";

/** A titled part without a frame, for content that has its own. */
export function Section({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <header className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

import type { ReactNode } from "react";
import classes from "./columns.module.css";

/** Left the story, right the facts; one column when it gets narrow. */
export function Columns({ main, side }: { main: ReactNode; side: ReactNode }) {
  return (
    <div className={classes.columns}>
      <div className={classes.column}>{main}</div>
      <div className={classes.column}>{side}</div>
    </div>
  );
}

import type { ReactNode } from "react";
import { StateIcon } from "~/components/state-mark";
import { toneColor, toneSoft, type Tone } from "~/components/tone";
import classes from "./notice.module.css";

interface NoticeProps {
  tone: Tone;
  /** What happened. */
  title: ReactNode;
  /** What to do about it. */
  children?: ReactNode;
  action?: ReactNode;
  live?: boolean;
}

/** A sentence that needs to be seen, with what to do. */
export function Notice({ tone, title, children, action, live = false }: NoticeProps) {
  return (
    <div
      className={classes.notice}
      style={{
        background: toneSoft(tone),
        borderColor: `color-mix(in srgb, ${toneColor(tone)} 25%, transparent)`,
      }}
      role={live ? "alert" : undefined}
    >
      <span className={classes.icon}>
        <StateIcon tone={tone} size={18} />
      </span>
      <div className={classes.words}>
        <div className={classes.title}>{title}</div>
        {children !== undefined && children !== "" ? <div className={classes.more}>{children}</div> : null}
      </div>
      {action ? <div className={classes.action}>{action}</div> : null}
    </div>
  );
}

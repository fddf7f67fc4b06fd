import { memo, useMemo } from "react";
import type { TFunction } from "i18next";
import { foldCarriageReturns } from "~/lib/fold";
import { formatClock, formatExact } from "~/lib/format";
import type { LogEntry } from "~/modules/log/log-store";
import { PlatformMark } from "~/modules/log/platform-mark";
import { paint } from "~/modules/log/paint";
import classes from "./log-view.module.css";

interface LogLineProps {
  number: number;
  /** Undefined while it is being loaded. */
  entry: LogEntry | undefined;
  times: boolean;
  query: string;
  linked: boolean;
  current: boolean;
  onLink: (number: number) => void;
  /** Handed down: hundreds of lines a second need no hook of their own. */
  t: TFunction;
  language: string;
}

/** One line: its number (a link to it), a mark when it is the platform’s, its time, its text in its colours. */
export const LogLine = memo(function LogLine(props: LogLineProps) {
  const { number, entry, times, query, linked, current, onLink, t, language } = props;
  const folded = useMemo(() => (entry ? foldCarriageReturns(entry.text) : null), [entry]);
  const content = useMemo(() => (folded ? paint(folded.text, query) : null), [folded, query]);
  const at = entry && times ? new Date(entry.time) : null;
  return (
    <div
      className={classes.line}
      data-linked={linked || undefined}
      data-current={current || undefined}
      data-source={entry?.source}
    >
      <a
        className={classes.number}
        href={`#L${number + 1}`}
        aria-label={t("log.linkTo", { n: number + 1 })}
        tabIndex={-1}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          onLink(number);
        }}
      >
        {number + 1}
      </a>
      <span className={classes.margin}>
        {entry?.source === "PLATFORM" ? <PlatformMark code={entry.code} label={t("log.byPlatform")} /> : null}
      </span>
      {times ? (
        <time
          className={classes.time}
          dateTime={entry?.time}
          title={at ? formatExact(at, language) : undefined}
        >
          {at ? formatClock(at, true) : ""}
        </time>
      ) : null}
      <span className={classes.text}>
        {content}
        {folded && folded.hidden > 0 ? (
          <span className={classes.folded}>{t("log.folded", { count: folded.hidden })}</span>
        ) : null}
      </span>
    </div>
  );
});

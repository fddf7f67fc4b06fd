import { memo, useMemo, type CSSProperties, type ReactNode } from "react";
import type { TFunction } from "i18next";
import { parseAnsi, type Segment } from "~/lib/ansi";
import { foldCarriageReturns } from "~/lib/fold";
import { formatClock, formatExact } from "~/lib/format";
import { occurrences } from "~/modules/log/log-search";
import type { LogEntry } from "~/modules/log/log-store";
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

/** One line: its number (a link to it), its time, its text in its colours. */
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
        {entry?.source === "PLATFORM" ? <span className={classes.platform}>GoblinLab</span> : null}
        {content}
        {folded && folded.hidden > 0 ? (
          <span className={classes.folded}>{t("log.folded", { count: folded.hidden })}</span>
        ) : null}
      </span>
    </div>
  );
});

function style(segment: Segment): CSSProperties | undefined {
  const { color, background, bold, dim, italic, underline } = segment;
  if (!color && !background && !bold && !dim && !italic && !underline) return undefined;
  return {
    color,
    background,
    fontWeight: bold ? 600 : undefined,
    // Less than this and small text is too faint to read.
    opacity: dim ? 0.8 : undefined,
    fontStyle: italic ? "italic" : undefined,
    textDecoration: underline ? "underline" : undefined,
  };
}

/** Text in its colours, with what was searched marked across their borders. */
function paint(text: string, query: string): ReactNode[] {
  const segments = parseAnsi(text);
  const whole = segments.map((segment) => segment.text).join("");
  const marks = occurrences(whole, query);
  const out: ReactNode[] = [];
  let offset = 0;
  segments.forEach((segment, i) => {
    const end = offset + segment.text.length;
    const pieces: ReactNode[] = [];
    let at = offset;
    for (const [from, to] of marks) {
      if (to <= at || from >= end) continue;
      const start = Math.max(from, at);
      if (start > at) pieces.push(whole.slice(at, start));
      const stop = Math.min(to, end);
      pieces.push(
        <mark key={start} className={classes.mark}>
          {whole.slice(start, stop)}
        </mark>,
      );
      at = stop;
    }
    if (at < end) pieces.push(whole.slice(at, end));
    const look = style(segment);
    out.push(
      look ? (
        // Segments of a line never move.
        <span key={i} style={look}>
          {pieces}
        </span>
      ) : (
        pieces
      ),
    );
    offset = end;
  });
  return out;
}

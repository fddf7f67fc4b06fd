import type { CSSProperties, ReactNode } from "react";
import { parseAnsi, type Segment } from "~/lib/ansi";
import { occurrences } from "~/modules/log/log-search";
import classes from "./log-view.module.css";

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
export function paint(text: string, query: string): ReactNode[] {
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

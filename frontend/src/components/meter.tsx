import type { Tone } from "~/components/tone";
import { toneColor } from "~/components/tone";
import classes from "./meter.module.css";

const none: readonly never[] = [];

interface MeterProps {
  label: string;
  /** What is used and what there is, in words. */
  text: string;
  used: number;
  /** Null when there is no limit. */
  limit: number | null;
  /** Shares of what is used, largest first. */
  parts?: readonly { id: string; label: string; amount: number }[];
  /** A share or a progress: full is not alarming. */
  plain?: boolean;
}

/** Ink while there is room; amber from 85 %, red when nothing is left. */
export function meterTone(used: number, limit: number | null): Tone | null {
  if (limit === null || (limit === 0 && used === 0)) return null; // nothing is missing where nothing is wanted
  if (used >= limit) return "failed";
  return used >= limit * 0.85 ? "attention" : null;
}

/** How much of a limit is used, and by which parts. */
export function Meter({ label, text, used, limit, parts = none, plain = false }: MeterProps) {
  const tone = plain ? null : meterTone(used, limit);
  const whole = limit === null || limit === 0 ? Math.max(used, 1) : Math.max(limit, used);
  const color = tone ? toneColor(tone) : "var(--meter)";
  const known = parts.reduce((sum, part) => sum + part.amount, 0);
  const pieces = [...parts.map((part) => part.amount), Math.max(0, used - known)].filter(
    (amount) => amount > 0,
  );
  return (
    <div
      className={classes.track}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={whole}
      aria-valuenow={used}
      aria-valuetext={text}
    >
      {limit === null
        ? null
        : pieces.map((amount, i) => (
            // Pieces have no identity of their own.
            <span
              key={i}
              className={classes.piece}
              style={{ width: `${(amount / whole) * 100}%`, background: color }}
            />
          ))}
    </div>
  );
}

import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleXFilled,
  IconLoader2,
  IconPlayerStopFilled,
} from "@tabler/icons-react";
import { toneColor, type Tone } from "~/components/tone";
import classes from "./state-mark.module.css";

const icons = {
  waiting: IconCircleDashed,
  working: IconLoader2,
  good: IconCircleCheckFilled,
  attention: IconAlertTriangleFilled,
  failed: IconCircleXFilled,
  stopped: IconPlayerStopFilled,
} as const;

/** A state: its colour, its icon and its word, always the three together. */
export function StateMark({ tone, label, large = false }: { tone: Tone; label: string; large?: boolean }) {
  return (
    <span className={classes.mark} data-large={large || undefined} style={{ color: toneColor(tone) }}>
      <StateIcon tone={tone} size={large ? 18 : 16} />
      <span>{label}</span>
    </span>
  );
}

/** The icon alone, for places where the word stands beside it. */
export function StateIcon({ tone, size = 16 }: { tone: Tone; size?: number }) {
  const Icon = icons[tone];
  return (
    <Icon
      className={tone === "working" ? classes.turning : undefined}
      size={size}
      style={{ color: toneColor(tone), flex: "none" }}
      aria-hidden
    />
  );
}

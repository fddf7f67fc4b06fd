import { useTranslation } from "react-i18next";
import { StateIcon } from "~/components/state-mark";
import { toneColor, type Tone } from "~/components/tone";
import { useNow } from "~/lib/clock";
import { formatDuration } from "~/lib/format";
import classes from "./phase-bar.module.css";

export interface PhaseStep {
  name: string;
  label: string;
  /** Null for a phase that has not begun. */
  since: string | null;
  /** Null while it lasts, or when nobody knows. */
  seconds: number | null;
  /** It lasts, so its time counts on. */
  open: boolean;
  tone: Tone;
}

/** The steps of a start, in order, each with its time; the current one counts up. */
export function PhaseBar({ label, steps }: { label: string; steps: readonly PhaseStep[] }) {
  const { t } = useTranslation();
  const current = steps.find((step) => step.open);
  const now = useNow(current ? "second" : "never");
  return (
    <ol className={classes.bar} aria-label={label}>
      {steps.map((step) => {
        const active = step === current;
        const seconds =
          step.seconds ??
          (step.since === null || !step.open
            ? null
            : Math.max(0, Math.floor((now - new Date(step.since).getTime()) / 1000)));
        return (
          <li
            key={step.name}
            className={classes.step}
            aria-current={active ? "step" : undefined}
            data-begun={step.since !== null || undefined}
          >
            <span
              className={classes.stripe}
              data-active={active || undefined}
              style={step.since === null ? undefined : { background: toneColor(step.tone) }}
            />
            <span className={classes.label}>
              {step.since === null ? (
                <span className={classes.dot} aria-hidden />
              ) : (
                <StateIcon tone={step.tone} size={14} />
              )}
              {step.label}
            </span>
            <span className={classes.time}>{seconds === null ? "–" : formatDuration(seconds, t)}</span>
          </li>
        );
      })}
    </ol>
  );
}

import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { StateIcon } from "~/components/state-mark";
import { toneColor } from "~/components/tone";
import { useNow } from "~/lib/clock";
import { formatDuration } from "~/lib/format";
import { gantt } from "~/modules/flowrun/gantt";
import type { GraphStep } from "~/modules/flowrun/run-graph";
import { stepEnded, stepTones } from "~/modules/flowrun/state";
import classes from "./gantt-view.module.css";

interface GanttViewProps {
  steps: readonly (GraphStep & { readyAt?: string | null })[];
  startedAt: string | null | undefined;
  selected: string | null;
  onSelect: (name: string) => void;
}

const rowHeight = 28;

/** When each step waited and ran. */
export function GanttView({ steps, startedAt, selected, onSelect }: GanttViewProps) {
  const { t } = useTranslation();
  const live = steps.some((step) => step.startedAt && !stepEnded(step.state));
  const now = useNow(live ? "second" : "never");
  const chart = useMemo(() => gantt(steps, startedAt, now), [steps, startedAt, now]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    initialRect: { width: 800, height: 460 },
  });
  return (
    <div
      ref={scroller}
      className={classes.chart}
      role="region"
      aria-label={t("flowRun.tab.timeline")}
      tabIndex={0}
    >
      <div className={classes.axis} aria-hidden>
        {chart.ticks.map((tick) => (
          <span key={tick.seconds} className={classes.tick} style={{ left: `${tick.left}%` }}>
            {formatDuration(tick.seconds, t)}
          </span>
        ))}
      </div>
      <div className={classes.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const step = steps[item.index];
          const bar = chart.bars[item.index];
          if (!step || !bar) return null;
          const tone = stepTones[step.state];
          const word = t(`flowRun.step.${step.state}`);
          const took =
            bar.run === null
              ? ""
              : formatDuration((bar.run.width / 100) * ((chart.to - chart.from) / 1_000), t);
          return (
            <button
              key={step.name}
              type="button"
              className={classes.row}
              style={{ transform: `translateY(${item.start}px)` }}
              aria-pressed={step.name === selected}
              aria-label={[step.name, word, took].filter(Boolean).join(", ")}
              title={[word, took].filter(Boolean).join(" · ")}
              onClick={() => onSelect(step.name)}
            >
              <span className={classes.name}>
                <StateIcon tone={tone} size={14} />
                <span className="cut">{step.name}</span>
              </span>
              <span className={classes.track}>
                {bar.wait ? (
                  <span
                    className={classes.wait}
                    style={{ left: `${bar.wait.left}%`, width: `${bar.wait.width}%` }}
                  />
                ) : null}
                {bar.run ? (
                  <span
                    className={classes.bar}
                    style={{
                      left: `${bar.run.left}%`,
                      width: `${bar.run.width}%`,
                      background: toneColor(tone),
                    }}
                  />
                ) : null}
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

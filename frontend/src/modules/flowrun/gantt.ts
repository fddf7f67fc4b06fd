export interface GanttStep {
  name: string;
  readyAt?: string | null;
  startedAt?: string | null;
  endedAt?: string | null;
}

export interface Bar {
  name: string;
  /** In percent of the whole; null for what has not begun. */
  wait: { left: number; width: number } | null;
  run: { left: number; width: number } | null;
}

export interface Gantt {
  from: number;
  to: number;
  bars: Bar[];
  /** Where lines stand: in percent, with the seconds since the beginning. */
  ticks: { left: number; seconds: number }[];
}

const spans = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];

function time(text: string | null | undefined): number | null {
  return text ? new Date(text).getTime() : null;
}

/** The steps of a run on one axis of time: what waited for its turn, then what ran; what runs reaches to now. */
export function gantt(steps: readonly GanttStep[], begun: string | null | undefined, now: number): Gantt {
  const begins = steps.flatMap((step) => time(step.startedAt) ?? time(step.readyAt) ?? []);
  const from = Math.min(time(begun) ?? Number.POSITIVE_INFINITY, ...begins);
  if (!Number.isFinite(from)) {
    return {
      from: now,
      to: now,
      bars: steps.map(({ name }) => ({ name, wait: null, run: null })),
      ticks: [],
    };
  }
  const ends = steps.flatMap((step) => {
    const start = time(step.startedAt);
    return start === null ? [] : [time(step.endedAt) ?? Math.max(now, start)];
  });
  const to = Math.max(from + 1_000, ...begins, ...ends);
  const part = (a: number, b: number): { left: number; width: number } => ({
    left: (100 * (a - from)) / (to - from),
    width: (100 * Math.max(0, b - a)) / (to - from),
  });
  const bars = steps.map((step): Bar => {
    const start = time(step.startedAt);
    const ready = time(step.readyAt);
    return {
      name: step.name,
      wait: ready !== null && start !== null && start > ready ? part(Math.max(from, ready), start) : null,
      run: start === null ? null : part(start, time(step.endedAt) ?? Math.max(now, start)),
    };
  });
  const seconds = (to - from) / 1_000;
  const span = spans.find((each) => seconds / each <= 8) ?? Math.ceil(seconds / 8 / 86_400) * 86_400;
  const ticks = Array.from({ length: Math.floor(seconds / span) + 1 }, (_, i) => ({
    left: (100 * i * span) / seconds,
    seconds: i * span,
  }));
  return { from, to, bars, ticks };
}

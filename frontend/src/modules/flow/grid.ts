import type { FlowRunState, StepState } from "~/gql/graphql";

export interface GridRun {
  id: string;
  localTime: string;
  state: FlowRunState;
  steps: readonly { id: string; name: string; state: StepState }[];
}

export interface GridRow {
  task: string;
  /** In the order of the runs; null where the run's version had no such task. */
  cells: (StepState | null)[];
  /** The newest version has it. */
  current: boolean;
}

/** Tasks by runs: tasks of the newest version first, in its order, then those that only older runs had. */
export function gridRows(tasks: readonly string[], runs: readonly GridRun[]): GridRow[] {
  const known = new Set(tasks);
  const gone = new Set(
    runs.toReversed().flatMap((run) => run.steps.map((step) => step.name).filter((name) => !known.has(name))),
  );
  const byRun = runs.map((run) => new Map(run.steps.map((step) => [step.name, step.state])));
  return [...known, ...gone].map((task) => ({
    task,
    cells: byRun.map((steps) => steps.get(task) ?? null),
    current: known.has(task),
  }));
}

function within(n: number, count: number): number {
  return Math.min(count - 1, Math.max(0, n));
}

/** Where an arrow leads in a grid; null for another key. */
export function moveIn(
  key: string,
  at: { row: number; column: number },
  rows: number,
  columns: number,
): { row: number; column: number } | null {
  switch (key) {
    case "ArrowUp":
      return { ...at, row: within(at.row - 1, rows) };
    case "ArrowDown":
      return { ...at, row: within(at.row + 1, rows) };
    case "ArrowLeft":
      return { ...at, column: within(at.column - 1, columns) };
    case "ArrowRight":
      return { ...at, column: within(at.column + 1, columns) };
    case "Home":
      return { ...at, column: 0 };
    case "End":
      return { ...at, column: columns - 1 };
    case "PageUp":
      return { ...at, row: within(at.row - 10, rows) };
    case "PageDown":
      return { ...at, row: within(at.row + 10, rows) };
    default:
      return null;
  }
}

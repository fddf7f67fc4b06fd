import type { StepState } from "~/gql/graphql";

export interface ComparedStep {
  name: string;
  state: StepState;
  startedAt?: string | null;
  endedAt?: string | null;
}

interface Side {
  state: StepState;
  /** Null for what did not run to an end. */
  seconds: number | null;
}

export interface Pair {
  name: string;
  left: Side | null;
  right: Side | null;
  /** How much longer the right one took; null where one of both has no duration. */
  delta: number | null;
  /** States differ, or one took notably longer. */
  differs: boolean;
}

function side(step: ComparedStep | undefined): Side | null {
  if (!step) return null;
  const seconds =
    step.startedAt && step.endedAt
      ? (new Date(step.endedAt).getTime() - new Date(step.startedAt).getTime()) / 1_000
      : null;
  return { state: step.state, seconds };
}

/** The steps of two runs side by side: the right one's order, then what only the left one has. */
export function pairSteps(left: readonly ComparedStep[], right: readonly ComparedStep[]): Pair[] {
  const a = new Map(left.map((step) => [step.name, step]));
  const b = new Map(right.map((step) => [step.name, step]));
  return [...new Set([...b.keys(), ...a.keys()])].map((name) => {
    const one = side(a.get(name));
    const other = side(b.get(name));
    const delta =
      one && other && one.seconds !== null && other.seconds !== null ? other.seconds - one.seconds : null;
    const longer = Math.max(one?.seconds ?? 0, other?.seconds ?? 0);
    return {
      name,
      left: one,
      right: other,
      delta,
      // A second or a tenth more is no difference that anybody looks for.
      differs: one?.state !== other?.state || (delta !== null && Math.abs(delta) > Math.max(5, longer / 4)),
    };
  });
}

export interface PairedValue {
  name: string;
  left: string | null;
  right: string | null;
}

function text(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Values by name in both runs; null where there is none. */
export function pairValues(left: Record<string, unknown>, right: Record<string, unknown>): PairedValue[] {
  return [...new Set([...Object.keys(right), ...Object.keys(left)])].map((name) => ({
    name,
    left: text(left[name]),
    right: text(right[name]),
  }));
}

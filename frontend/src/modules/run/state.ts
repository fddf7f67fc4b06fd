import type { Tone } from "~/components/tone";
import type { AttemptState, RunState } from "~/gql/graphql";

export const runTones: Record<RunState, Tone> = {
  PENDING: "waiting",
  RUNNING: "working",
  RETRYING: "attention",
  STOPPING: "working",
  SUCCEEDED: "good",
  FAILED: "failed",
  TIMED_OUT: "failed",
  STOPPED: "stopped",
};

export const attemptTones: Record<AttemptState, Tone> = {
  PENDING: "waiting",
  RUNNING: "working",
  STOPPING: "working",
  SUCCEEDED: "good",
  FAILED: "failed",
  INTERRUPTED: "attention",
  TIMED_OUT: "failed",
  STOPPED: "stopped",
};

/** Groups of states that people filter by; each names a chip. */
export const runGroups = {
  active: ["PENDING", "RUNNING", "RETRYING", "STOPPING"],
  failed: ["FAILED", "TIMED_OUT"],
  succeeded: ["SUCCEEDED"],
  stopped: ["STOPPED"],
} as const satisfies Record<string, readonly RunState[]>;

export type RunGroup = keyof typeof runGroups;

export function isEnded(state: RunState): boolean {
  return state === "SUCCEEDED" || state === "FAILED" || state === "TIMED_OUT" || state === "STOPPED";
}

/** A reason's tone, before it is known whether somebody must act. */
export function runReasonTone(state: RunState): Tone {
  if (state === "FAILED" || state === "TIMED_OUT") return "failed";
  if (state === "STOPPED") return "stopped";
  return state === "SUCCEEDED"
    ? "good"
    : state === "RUNNING"
      ? "working"
      : state === "PENDING"
        ? "waiting"
        : "attention";
}

import type { Tone } from "~/components/tone";
import type { FlowRunCause, FlowRunState, StepState } from "~/gql/graphql";

export const flowRunTones: Record<FlowRunState, Tone> = {
  QUEUED: "waiting",
  RUNNING: "working",
  STOPPING: "working",
  SUCCEEDED: "good",
  FAILED: "failed",
  TIMED_OUT: "failed",
  CANCELLED: "stopped",
  SKIPPED: "waiting",
};

export const stepTones: Record<StepState, Tone> = {
  WAITING: "waiting",
  WAITING_INPUTS: "waiting",
  WAITING_SLOT: "waiting",
  STARTING: "working",
  RUNNING: "working",
  RETRYING: "attention",
  STOPPING: "working",
  SUCCEEDED: "good",
  FAILED: "failed",
  TIMED_OUT: "failed",
  SKIPPED: "waiting",
  // Not its own failure: what must be looked at is before it.
  UPSTREAM_FAILED: "attention",
  CANCELLED: "stopped",
};

/** Groups of states that people filter by; each names a chip. */
export const flowRunGroups = {
  active: ["QUEUED", "RUNNING", "STOPPING"],
  failed: ["FAILED", "TIMED_OUT"],
  succeeded: ["SUCCEEDED"],
  cancelled: ["CANCELLED"],
  skipped: ["SKIPPED"],
} as const satisfies Record<string, readonly FlowRunState[]>;

export type FlowRunGroup = keyof typeof flowRunGroups;

export const flowRunCauses = [
  "SCHEDULE",
  "UPSTREAM",
  "MANUAL",
  "BACKFILL",
] as const satisfies readonly FlowRunCause[];

const living: ReadonlySet<string> = new Set(flowRunGroups.active);

export function flowRunEnded(state: FlowRunState): boolean {
  return !living.has(state);
}

const livingSteps: ReadonlySet<StepState> = new Set([
  "WAITING",
  "WAITING_INPUTS",
  "WAITING_SLOT",
  "STARTING",
  "RUNNING",
  "RETRYING",
  "STOPPING",
]);

export function stepEnded(state: StepState): boolean {
  return !livingSteps.has(state);
}

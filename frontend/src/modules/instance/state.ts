import type { Tone } from "~/components/tone";
import type { InstanceState } from "~/gql/graphql";

export const instanceTones: Record<InstanceState, Tone> = {
  STOPPED: "stopped",
  PENDING: "waiting",
  STARTING: "working",
  RUNNING: "good",
  UNHEALTHY: "attention",
  STOPPING: "working",
  FAILED: "failed",
  DELETING: "working",
};

/** Groups of states that people filter by; each names a chip. */
export const instanceGroups = {
  running: ["RUNNING"],
  starting: ["PENDING", "STARTING"],
  attention: ["UNHEALTHY", "FAILED"],
  stopped: ["STOPPED", "STOPPING"],
} as const satisfies Record<string, readonly InstanceState[]>;

export type InstanceGroup = keyof typeof instanceGroups;

/** States in which nothing is wanted of the cluster. */
export function isDown(state: InstanceState): boolean {
  return state === "STOPPED" || state === "FAILED";
}

/** A reason's tone, before it is known whether somebody must act. */
export function reasonTone(state: InstanceState): Tone {
  if (state === "FAILED") return "failed";
  if (state === "UNHEALTHY") return "attention";
  return state === "PENDING" ? "waiting" : "working";
}

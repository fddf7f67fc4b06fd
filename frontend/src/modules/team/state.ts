import type { Tone } from "~/components/tone";
import type { TeamState } from "~/gql/graphql";

export const teamTones: Record<TeamState, Tone> = {
  ACTIVE: "good",
  ARCHIVED: "stopped",
  DELETING: "working",
};

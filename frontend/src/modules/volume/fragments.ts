import type { Tone } from "~/components/tone";
import { graphql } from "~/gql";
import type { VolumePhase } from "~/gql/graphql";

export const volumeRowFragment = graphql(`
  fragment VolumeRow on Volume {
    id
    name
    kind
    description
    sizeBytes
    capacityBytes
    accessMode
    storageClass
    phase
    claim
    adopted
    createdAt
    team {
      id
      name
    }
    owner {
      id
      displayName
    }
    reason {
      ...ReasonText
    }
    usedBy {
      id
      name
      readOnly
    }
    trash {
      since
      until
    }
    usage {
      usedBytes
      capacityBytes
      inodesUsed
      inodes
      at
      source
      percent
      nearlyFull
    }
    can {
      edit
      expand
      trash
      restore
      delete
    }
  }
`);

export const volumeTones: Record<VolumePhase, Tone> = {
  PENDING: "waiting",
  BOUND: "good",
  LOST: "failed",
  DELETING: "working",
};

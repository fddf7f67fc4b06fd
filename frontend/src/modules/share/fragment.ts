import type { Tone } from "~/components/tone";
import { graphql } from "~/gql";
import type { ShareState } from "~/gql/graphql";

export const shareFragment = graphql(`
  fragment ShareRow on Share {
    id
    state
    mode
    volumeName
    sizeBytes
    fromTeamName
    ownerName
    grantedByName
    granteeKind
    grantee
    team {
      id
      name
    }
    message
    createdAt
    endsAt
    lapsesAt
    ready
    reason {
      ...ReasonText
    }
    usedBy {
      id
      name
      kind
      readOnly
    }
    can {
      accept
      decline
      change
      revoke
    }
  }
`);

export const shareTones: Record<ShareState, Tone> = {
  OFFERED: "waiting",
  ACCEPTED: "good",
  DECLINED: "stopped",
  REVOKED: "stopped",
  ENDED: "stopped",
};

import { graphql } from "~/gql";

export const platformVolumeFragment = graphql(`
  fragment PlatformVolumeRow on PlatformVolume {
    id
    name
    description
    path
    readOnly
    enabled
    phase
    reason {
      ...ReasonText
    }
    source {
      namespace
      claim
      made
      sizeBytes
      storageClass
    }
    readyTeams
    teams
    createdAt
  }
`);

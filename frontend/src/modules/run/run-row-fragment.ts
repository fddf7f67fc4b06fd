import { graphql } from "~/gql";

/** What a line of a list shows; a file of its own, since actions answer with it too. */
export const runRowFragment = graphql(`
  fragment RunRow on Run {
    id
    name
    state
    version
    createdAt
    startedAt
    endedAt
    owner {
      id
      displayName
    }
    reason {
      ...ReasonText
    }
    task {
      id
      command
      args
      resources {
        ...ResourcesText
      }
    }
    attempts {
      id
      number
      state
      exitCode
    }
    can {
      stop
      rerun
    }
  }
`);

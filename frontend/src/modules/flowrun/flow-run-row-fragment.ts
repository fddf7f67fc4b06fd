import { graphql } from "~/gql";

/** What a line of a list shows; a file of its own, since actions answer with it too. */
export const flowRunRowFragment = graphql(`
  fragment FlowRunRow on FlowRun {
    id
    version
    number
    state
    cause
    logicalTime
    localTime
    lateness
    createdAt
    startedAt
    endedAt
    actor {
      id
      displayName
    }
    reason {
      ...ReasonText
    }
    steps {
      id
      name
      state
    }
    can {
      stop
      rerun
      delete
    }
  }
`);

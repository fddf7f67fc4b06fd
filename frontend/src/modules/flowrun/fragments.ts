import { graphql } from "~/gql";

/** What the page of a flow run shows live; what a step was told is read when it is opened. */
export const flowRunHeadFragment = graphql(`
  fragment FlowRunHead on FlowRun {
    id
    version
    number
    state
    cause
    logicalTime
    localTime
    timezone
    lateness
    createdAt
    startedAt
    endedAt
    backfillId
    reason {
      ...ReasonText
    }
    actor {
      id
      displayName
    }
    stoppedBy {
      id
      displayName
    }
    steps {
      id
      name
      state
      round
      startedAt
      endedAt
      readyAt
      nextPollAt
      polls
      reason {
        ...ReasonText
      }
    }
    can {
      stop
      rerun
      delete
    }
  }
`);

import { graphql } from "~/gql";

/** What a line of the list shows; a file of its own, since actions answer with it too. */
export const flowRowFragment = graphql(`
  fragment FlowRow on Flow {
    id
    name
    description
    tags
    paused
    pausedWhy {
      ...ReasonText
    }
    nextFireAt
    overdue {
      ...ReasonText
    }
    owner {
      id
      displayName
    }
    schedule {
      kind
      text
      timezone
    }
    lastRuns(last: 10) {
      ...FlowSpark
    }
    can {
      edit
      run
      pause
      delete
    }
  }
`);

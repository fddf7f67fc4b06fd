import { graphql } from "~/gql";

/** What the page of a flow shows of it, beside its line. */
export const flowHeadFragment = graphql(`
  fragment FlowHead on Flow {
    id
    latest
    createdAt
    updatedAt
    team {
      id
      name
    }
    version {
      id
      number
      spec
      comment
      createdAt
      author {
        id
        displayName
      }
    }
  }
`);

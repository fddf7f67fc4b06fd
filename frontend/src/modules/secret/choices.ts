import { graphql } from "~/gql";
import type { SecretChoicesQuery } from "~/gql/graphql";
import { useLive } from "~/lib/live";

const choicesQuery = graphql(`
  query SecretChoices {
    secrets {
      id
      name
      kind
      team {
        id
      }
      keys {
        name
      }
    }
  }
`);

export type SecretChoice = SecretChoicesQuery["secrets"][number];

const none: readonly SecretChoice[] = [];

/** Secrets that something of the viewer's in a team may get. */
export function useSecretChoices(teamId: string): readonly SecretChoice[] {
  const { data } = useLive({ query: choicesQuery, variables: {} });
  return (data?.secrets ?? none).filter((secret) => !secret.team || secret.team.id === teamId);
}

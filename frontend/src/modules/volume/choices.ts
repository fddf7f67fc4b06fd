import { graphql } from "~/gql";
import type { VolumeChoicesQuery } from "~/gql/graphql";
import { useLive } from "~/lib/live";

const choicesQuery = graphql(`
  query VolumeChoices($filter: VolumeFilter) {
    volumes(first: 100, filter: $filter) {
      nodes {
        id
        name
        kind
        phase
        owner {
          id
          displayName
        }
      }
    }
  }
`);

export type VolumeChoice = VolumeChoicesQuery["volumes"]["nodes"][number];

const none: readonly VolumeChoice[] = [];

/** Volumes of a team that may be mounted. */
export function useVolumeChoices(teamId: string): readonly VolumeChoice[] {
  const { data } = useLive({ query: choicesQuery, variables: { filter: { teamId } } });
  return data?.volumes.nodes ?? none;
}

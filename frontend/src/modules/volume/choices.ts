import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import type { VolumeChoicesQuery } from "~/gql/graphql";
import { useLive } from "~/lib/live";
import { useSession } from "~/modules/session/session";

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

/** What can be mounted or copied to: a volume, or a share of one. */
export interface MountableChoice {
  id: string;
  name: string;
  label: string;
  kind: "HOME" | "DATA" | "SHARE";
  /** The viewer may write to it. */
  writable: boolean;
}

const none: readonly VolumeChoice[] = [];

/** Volumes of a team that may be mounted, the viewer's own and others'. */
export function useMountables(teamId: string): readonly MountableChoice[] {
  const { t } = useTranslation();
  const { user, teams, administrator } = useSession();
  const { data } = useLive({ query: choicesQuery, variables: { filter: { teamId } } });
  const volumes = data?.volumes.nodes ?? none;
  const role = teams.find((each) => each.id === teamId)?.viewerRole;
  const manager = administrator || role === "OWNER" || role === "MAINTAINER";
  return useMemo(
    () =>
      volumes
        .filter((volume) => volume.kind === "DATA" || volume.owner.id === user.id)
        .map((volume) => ({
          id: volume.id,
          name: volume.name,
          label: volume.kind === "HOME" ? t("code.home", { name: volume.owner.displayName }) : volume.name,
          kind: volume.kind,
          writable: volume.owner.id === user.id || manager,
        })),
    [volumes, user.id, manager, t],
  );
}

/** Volumes of a team that may be mounted. */
export function useVolumeChoices(teamId: string): readonly VolumeChoice[] {
  const { data } = useLive({ query: choicesQuery, variables: { filter: { teamId } } });
  return data?.volumes.nodes ?? none;
}

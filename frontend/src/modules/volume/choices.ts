import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import { formatBytes } from "~/lib/format";
import { useLive } from "~/lib/live";
import { useSession } from "~/modules/session/session";

const choicesQuery = graphql(`
  query VolumeChoices($teamId: ID!) {
    volumes(first: 100, filter: { teamId: $teamId, inTrash: false }) {
      nodes {
        id
        name
        kind
        phase
        sizeBytes
        usage {
          usedBytes
          capacityBytes
          source
        }
        owner {
          id
          displayName
        }
      }
    }
    shares(direction: INCOMING, first: 100, filter: { states: [ACCEPTED], teamId: $teamId }) {
      nodes {
        id
        mode
        volumeName
        ownerName
        ready
        team {
          id
        }
      }
    }
  }
`);

/** What can be mounted or copied to: a volume, or a share of one. */
export interface MountableChoice {
  id: string;
  name: string;
  /** Its name with whose it is, what is free and what one may do with it. */
  label: string;
  kind: "HOME" | "DATA" | "SHARE";
  /** The viewer may write to it. */
  writable: boolean;
}

/** Volumes of a team and shares in it that may be mounted: the viewer's own, others', and what others share. */
export function useMountables(teamId: string): readonly MountableChoice[] {
  const { t, i18n } = useTranslation();
  const { user, teams, administrator } = useSession();
  const { data } = useLive({ query: choicesQuery, variables: { teamId } });
  const role = teams.find((each) => each.id === teamId)?.viewerRole;
  const manager = administrator || role === "OWNER" || role === "MAINTAINER";
  return useMemo(() => {
    const volumes = (data?.volumes.nodes ?? [])
      .filter((volume) => volume.kind === "DATA" || volume.owner.id === user.id)
      .map((volume): MountableChoice => {
        const { usage } = volume;
        const whole = usage && usage.source !== "FOLDER" ? usage.capacityBytes : volume.sizeBytes;
        const free = usage && whole > 0 ? Math.max(0, whole - usage.usedBytes) : null;
        const writable = volume.owner.id === user.id || manager;
        return {
          id: volume.id,
          name: volume.name,
          kind: volume.kind,
          writable,
          label: [
            volume.kind === "HOME" ? t("code.home", { name: volume.owner.displayName }) : volume.name,
            free === null ? "" : t("volume.free", { size: formatBytes(free, i18n.language) }),
            writable ? "" : t("volume.ofOther", { name: volume.owner.displayName }),
          ]
            .filter((part) => part !== "")
            .join(" · "),
        };
      });
    const shares = (data?.shares.nodes ?? [])
      .filter((share) => share.ready && share.team?.id === teamId)
      .map((share): MountableChoice => {
        const writable = share.mode === "READ_WRITE";
        return {
          id: share.id,
          name: share.volumeName,
          kind: "SHARE",
          writable,
          label: [
            share.volumeName,
            t("share.by", { name: share.ownerName }),
            t(writable ? "mount.readWrite" : "mount.readOnly"),
          ].join(" · "),
        };
      });
    return [...volumes, ...shares];
  }, [data, user.id, manager, teamId, t, i18n.language]);
}

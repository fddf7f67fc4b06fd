import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { VolumePicture } from "~/components/pictures";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import type { Tone } from "~/components/tone";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { VolumePhase, VolumeRowFragment } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import { usePages } from "~/lib/pages";
import { ReasonLine } from "~/modules/reason/reason";
import { useSession } from "~/modules/session/session";
import { DeleteVolume } from "~/modules/volume/volume-delete";
import classes from "./volume-list.module.css";

export const volumeRowFragment = graphql(`
  fragment VolumeRow on Volume {
    id
    name
    kind
    sizeBytes
    accessMode
    storageClass
    phase
    claim
    createdAt
    owner {
      id
      displayName
    }
    reason {
      ...ReasonText
    }
    usedBy {
      id
      name
      readOnly
    }
  }
`);

const volumesQuery = graphql(`
  query Volumes($first: Int, $after: String, $filter: VolumeFilter) {
    volumes(first: $first, after: $after, filter: $filter) {
      nodes {
        ...VolumeRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const tones: Record<VolumePhase, Tone> = {
  PENDING: "waiting",
  BOUND: "good",
  LOST: "failed",
  DELETING: "working",
};

const pollMs = 4_000;

/** The team's volumes. They change seldom, so what is not settled is looked at again. */
export function VolumeList({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation();
  const { team, user, mayMake, administrator } = useSession();
  const [search] = useSearchParams();
  const mine = search.getAll("who").includes("mine");
  const text = (search.get("q") ?? "").toLowerCase();
  const { data, fault, loading, reload, refresh, more } = usePages(volumesQuery, {
    filter: { teamId: team.id, ...(mine ? { mine } : {}) },
  });
  const [deleting, setDeleting] = useState<VolumeRowFragment | null>(null);
  const refs: readonly FragmentType<typeof volumeRowFragment>[] = data?.volumes.nodes ?? [];
  const rows = readFragment(volumeRowFragment, refs).filter(
    (row) => text === "" || row.name.toLowerCase().includes(text),
  );

  const unsettled = rows.some((row) => row.phase === "PENDING" || row.phase === "DELETING");
  useEffect(() => {
    if (!unsettled) return undefined;
    const timer = setInterval(refresh, pollMs);
    return () => clearInterval(timer);
  }, [unsettled, refresh]);

  if (loading) return <SkeletonRows />;
  if (!data && fault) return <Failed fault={fault} retry={reload} />;
  if (rows.length === 0) {
    const filtered = mine || text !== "";
    return (
      <Empty
        picture={<VolumePicture />}
        text={filtered ? t("volume.noneMatch") : t("volume.none")}
        action={
          filtered ? (
            <Button variant="default" component={Link} to="/volumes">
              {t("action.clearFilters")}
            </Button>
          ) : mayMake ? (
            <Button onClick={onCreate}>{t("volume.create")}</Button>
          ) : null
        }
      />
    );
  }
  const manager = administrator || team.viewerRole === "MAINTAINER" || team.viewerRole === "OWNER";
  return (
    <>
      <div className={classes.frame}>
        <ul className={classes.list} aria-label={t("frame.volumes")}>
          {rows.map((row) => (
            <VolumeRow
              key={row.id}
              row={row}
              onDelete={
                (manager || row.owner.id === user.id) && row.phase !== "DELETING"
                  ? () => setDeleting(row)
                  : null
              }
            />
          ))}
        </ul>
      </div>
      {data?.volumes.pageInfo.hasNextPage ? (
        <Button variant="default" mt="md" onClick={() => more(data.volumes.pageInfo.endCursor)}>
          {t("action.loadMore")}
        </Button>
      ) : null}
      {deleting ? (
        <DeleteVolume
          volume={deleting}
          onClose={() => setDeleting(null)}
          onDeleted={() => {
            setDeleting(null);
            refresh();
          }}
        />
      ) : null}
    </>
  );
}

function VolumeRow({ row, onDelete }: { row: VolumeRowFragment; onDelete: (() => void) | null }) {
  const { t, i18n } = useTranslation();
  return (
    <li className={classes.row}>
      <div className={classes.cell}>
        <div className={classes.name}>
          {row.phase === "BOUND" || row.phase === "PENDING" ? (
            <Link to={`/volumes/${row.id}/files`}>{row.name}</Link>
          ) : (
            row.name
          )}
        </div>
        <div className={classes.under}>
          {t(`volume.kind.${row.kind}`)} · {row.owner.displayName}
        </div>
      </div>
      <div className={classes.cell}>
        <StateMark tone={tones[row.phase]} label={t(`volume.phase.${row.phase}`)} />
        {row.reason ? (
          <div className={classes.under}>
            <ReasonLine reason={row.reason} />
          </div>
        ) : null}
      </div>
      <div className={classes.cell}>
        <div>{formatBytes(row.sizeBytes, i18n.language)}</div>
        <div className={classes.under}>{t(`volume.access.${row.accessMode}`)}</div>
      </div>
      <div className={classes.cell}>
        {row.usedBy.length === 0 ? (
          <span className="soft">{t("volume.unused")}</span>
        ) : (
          <ul className={classes.uses} aria-label={t("volume.usedBy")}>
            {row.usedBy.map((use) => (
              <li key={use.id}>
                <Link to={use.id.startsWith("run") ? `/runs/${use.id}` : `/instances/${use.id}`}>
                  {use.name}
                </Link>
                <span className="soft"> · {use.readOnly ? t("mount.readOnly") : t("mount.readWrite")}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className={classes.age}>
        <RelativeTime at={row.createdAt} />
      </div>
      <div className={classes.actions}>
        {onDelete ? (
          <Tooltip label={t("volume.delete.open", { name: row.name })}>
            <ActionIcon size={32} aria-label={t("volume.delete.open", { name: row.name })} onClick={onDelete}>
              <IconTrash size={18} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        ) : null}
      </div>
    </li>
  );
}

import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { VolumePicture } from "~/components/pictures";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { VolumeRowFragment } from "~/gql/graphql";
import { usePages } from "~/lib/pages";
import { ReasonLine } from "~/modules/reason/reason";
import { useSession } from "~/modules/session/session";
import { volumeRowFragment, volumeTones } from "~/modules/volume/fragments";
import { UsageLine, UseList } from "~/modules/volume/use-text";
import { VolumeAsked, VolumeMenu, type VolumeQuestion } from "~/modules/volume/volume-actions";
import classes from "./volume-list.module.css";

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

const pollMs = 4_000;

/** The team's volumes, or those in the trash. They change seldom, so what is not settled is looked at again. */
export function VolumeList({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation();
  const { team, mayMake } = useSession();
  const [search] = useSearchParams();
  const mine = search.getAll("who").includes("mine");
  const trash = search.get("show") === "trash";
  const text = (search.get("q") ?? "").toLowerCase();
  const { data, fault, loading, reload, refresh, more } = usePages(volumesQuery, {
    filter: { teamId: team.id, inTrash: trash, ...(mine ? { mine } : {}) },
  });
  const [asking, setAsking] = useState<{ what: VolumeQuestion; volume: VolumeRowFragment } | null>(null);
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
        text={trash ? t("volume.trash.none") : filtered ? t("volume.noneMatch") : t("volume.none")}
        action={
          filtered || trash ? (
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
  return (
    <>
      <div className={classes.frame}>
        <ul className={classes.list} aria-label={t("frame.volumes")}>
          {rows.map((row) => (
            <VolumeRow key={row.id} row={row} onAsk={(what) => setAsking({ what, volume: row })} />
          ))}
        </ul>
      </div>
      {data?.volumes.pageInfo.hasNextPage ? (
        <Button variant="default" mt="md" onClick={() => more(data.volumes.pageInfo.endCursor)}>
          {t("action.loadMore")}
        </Button>
      ) : null}
      <VolumeAsked
        asking={asking}
        onClose={() => setAsking(null)}
        onDone={() => {
          setAsking(null);
          refresh();
        }}
      />
    </>
  );
}

function VolumeRow({ row, onAsk }: { row: VolumeRowFragment; onAsk: (what: VolumeQuestion) => void }) {
  const { t } = useTranslation();
  return (
    <li className={classes.row}>
      <div className={classes.cell}>
        <div className={classes.name}>
          <Link to={`/volumes/${row.id}`}>{row.name}</Link>
        </div>
        <div className={classes.under}>
          {t(`volume.kind.${row.kind}`)} · {row.owner.displayName}
        </div>
      </div>
      <div className={classes.cell}>
        {row.trash ? (
          <>
            <StateMark tone="waiting" label={t("volume.trash.in")} />
            <div className={classes.under}>
              {t("volume.trash.until")} <RelativeTime at={row.trash.until} />
            </div>
          </>
        ) : (
          <>
            <StateMark
              tone={row.usage?.nearlyFull ? "attention" : volumeTones[row.phase]}
              label={row.usage?.nearlyFull ? t("volume.nearlyFull") : t(`volume.phase.${row.phase}`)}
            />
            {row.reason ? (
              <div className={classes.under}>
                <ReasonLine reason={row.reason} />
              </div>
            ) : null}
          </>
        )}
      </div>
      <div className={classes.cell}>
        <UsageLine name={row.name} usage={row.usage ?? null} size={row.sizeBytes} />
        <div className={classes.under}>{t(`volume.access.${row.accessMode}`)}</div>
      </div>
      <div className={classes.cell}>
        <UseList uses={row.usedBy} empty={t("volume.unused")} />
      </div>
      <div className={classes.age}>
        <RelativeTime at={row.createdAt} />
      </div>
      <div className={classes.actions}>
        <VolumeMenu volume={row} onAsk={onAsk} />
      </div>
    </li>
  );
}

import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Facts } from "~/components/facts";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { VolumeRowFragment } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import { useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { ReasonNotice } from "~/modules/reason/reason";
import { VolumeShares } from "~/modules/share/outgoing";
import { volumeRowFragment, volumeTones } from "~/modules/volume/fragments";
import { UseList } from "~/modules/volume/use-text";
import { questionsOf, VolumeAsked, type VolumeQuestion } from "~/modules/volume/volume-actions";
import { VolumeUsage } from "~/modules/volume/volume-usage";

const volumeQuery = graphql(`
  query Volume($id: ID!) {
    volume(id: $id) {
      ...VolumeRow
    }
  }
`);

const pollMs = 8_000;

export function VolumePage() {
  const { t } = useTranslation();
  const { id = "" } = useParams();
  const { data, fault, loading, reload } = useLive({ query: volumeQuery, variables: { id } });
  usePoll(reload, pollMs);
  const parent = { to: "/volumes", label: t("frame.volumes") };
  if (loading) {
    return (
      <Page title={t("volume.one")} parent={parent}>
        <Columns main={<SkeletonBlock height={320} />} side={<SkeletonBlock height={280} />} />
      </Page>
    );
  }
  if (!data?.volume) {
    return (
      <Page title={t("volume.one")} parent={parent}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("volume.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  return <Detail key={id} volume={readFragment(volumeRowFragment, data.volume)} reload={reload} />;
}

function Detail({ volume, reload }: { volume: VolumeRowFragment; reload: () => void }) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<VolumeQuestion | null>(null);
  const readable = !volume.trash && volume.phase !== "LOST" && volume.phase !== "DELETING";
  const amount = (bytes: number): string => formatBytes(bytes, i18n.language);
  return (
    <Page
      title={volume.name}
      parent={{ to: "/volumes", label: t("frame.volumes") }}
      subtitle={
        volume.trash ? (
          <>
            <StateMark tone="waiting" label={t("volume.trash.in")} /> · {t("volume.trash.until")}{" "}
            <RelativeTime at={volume.trash.until} />
          </>
        ) : (
          <StateMark tone={volumeTones[volume.phase]} label={t(`volume.phase.${volume.phase}`)} />
        )
      }
      actions={
        <>
          {questionsOf(volume).map((what) => (
            <Button key={what} variant="default" onClick={() => setAsking(what)}>
              {t(`volume.ask.${what}`)}
            </Button>
          ))}
          {readable ? (
            <Button component={Link} to={`/volumes/${volume.id}/files`}>
              {t("files.title")}
            </Button>
          ) : null}
        </>
      }
    >
      <Columns
        main={
          <>
            {volume.reason ? (
              <ReasonNotice reason={volume.reason} tone={volume.phase === "LOST" ? "failed" : "attention"} />
            ) : null}
            <VolumeUsage volume={volume} />
            <Panel title={t("volume.usedBy")}>
              <UseList uses={volume.usedBy} empty={t("volume.unused")} />
            </Panel>
            {volume.can.edit ? <VolumeShares volumeId={volume.id} volumeName={volume.name} /> : null}
          </>
        }
        side={
          <Panel title={t("facts.title")}>
            {volume.description ? <p>{volume.description}</p> : null}
            <Facts
              facts={[
                { name: t("volume.kindLabel"), value: t(`volume.kind.${volume.kind}`) },
                { name: t("facts.owner"), value: volume.owner.displayName },
                { name: t("team.one"), value: volume.team.name },
                {
                  name: t("volume.size"),
                  value:
                    volume.capacityBytes > 0 && volume.capacityBytes !== volume.sizeBytes
                      ? t("volume.sizeOf", {
                          size: amount(volume.sizeBytes),
                          now: amount(volume.capacityBytes),
                        })
                      : amount(volume.sizeBytes),
                },
                { name: t("volume.accessLabel"), value: t(`volume.access.${volume.accessMode}`) },
                {
                  name: t("volume.storageClass"),
                  value: volume.storageClass || t("volume.storageClassDefault"),
                },
                {
                  name: t("volume.claim"),
                  value: (
                    <>
                      <span className="mono">{volume.claim}</span>
                      {volume.adopted ? <div className="soft">{t("volume.adopted")}</div> : null}
                    </>
                  ),
                },
                { name: t("facts.created"), value: <RelativeTime at={volume.createdAt} /> },
                { name: "ID", value: <span className="mono">{volume.id}</span> },
              ]}
            />
          </Panel>
        }
      />
      <VolumeAsked
        asking={asking ? { what: asking, volume } : null}
        onClose={() => setAsking(null)}
        onDone={(gone) => {
          setAsking(null);
          if (gone) void navigate("/volumes");
          else reload();
        }}
      />
    </Page>
  );
}

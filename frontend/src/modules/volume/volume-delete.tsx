import { Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SkeletonBlock } from "~/components/blank";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { VolumeRowFragment } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { formatBytes, formatExact } from "~/lib/format";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { AskDialog } from "~/modules/volume/ask-dialog";

const previewQuery = graphql(`
  query PreviewDeleteVolume($id: ID!) {
    previewDeleteVolume(id: $id) {
      trashUntil
      freesBytes
      disk
      usedBy {
        id
        name
      }
      wantedBy {
        id
        name
      }
    }
  }
`);

const trashMutation = graphql(`
  mutation TrashVolume($id: ID!) {
    trashVolume(id: $id) {
      volume {
        ...VolumeRow
      }
    }
  }
`);

const deleteMutation = graphql(`
  mutation DeleteVolume($id: ID!, $confirmName: String!) {
    deleteVolume(id: $id, confirmName: $confirmName) {
      id
    }
  }
`);

interface DeleteVolumeProps {
  volume: VolumeRowFragment;
  onClose: () => void;
  onDone: (gone: boolean) => void;
}

function names(uses: readonly { name: string }[]): string {
  return uses.map((use) => use.name).join(", ");
}

/** Into the trash, or at once with the data: says what is lost, and asks for the name only there. */
export function DeleteVolume({ volume, onClose, onDone }: DeleteVolumeProps) {
  const { t, i18n } = useTranslation();
  const { data, fault } = useLive({ query: previewQuery, variables: { id: volume.id } });
  const [way, setWay] = useState<"trash" | "now">(volume.can.trash ? "trash" : "now");
  const [typed, setTyped] = useState("");
  const [trash] = useAction(trashMutation);
  const [remove] = useAction(deleteMutation);
  const preview = data?.previewDeleteVolume;
  const inUse = preview && preview.usedBy.length > 0;
  const amount = (bytes: number): string => formatBytes(bytes, i18n.language);
  const until = preview ? formatExact(new Date(preview.trashUntil), i18n.language) : "";
  const now = way === "now";
  return (
    <AskDialog
      title={t("volume.delete.title", { name: volume.name })}
      submit={t(now ? "volume.delete.confirm" : "volume.delete.trash")}
      danger={now}
      disabled={!preview || (now && typed !== volume.name)}
      closed={inUse ?? false}
      onClose={onClose}
      ask={async () => {
        const result = now
          ? await remove({ id: volume.id, confirmName: typed })
          : await trash({ id: volume.id });
        if (result.fault) return result.fault;
        notifyDone(t(now ? "volume.delete.done" : "volume.delete.trashed", { name: volume.name }));
        onDone(now);
        return undefined;
      }}
    >
      {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
      {!preview && !fault ? <SkeletonBlock height={160} /> : null}
      {preview && inUse ? (
        <Notice tone="attention" title={t("volume.delete.inUse", { names: names(preview.usedBy) })} />
      ) : null}
      {preview && !inUse ? (
        <>
          {preview.wantedBy.length > 0 ? (
            <Notice tone="attention" title={t("volume.delete.wanted", { names: names(preview.wantedBy) })} />
          ) : null}
          {volume.can.trash && volume.can.delete ? (
            <Radio.Group
              label={t("volume.delete.how")}
              value={way}
              onChange={(value) => setWay(value === "now" ? "now" : "trash")}
            >
              <Stack gap={8} mt={6}>
                <Radio
                  value="trash"
                  label={t("volume.delete.trash")}
                  description={t("volume.delete.trashHint", { until })}
                />
                <Radio
                  value="now"
                  label={t("volume.delete.confirm")}
                  description={t("volume.delete.nowHint", { size: amount(preview.freesBytes) })}
                />
              </Stack>
            </Radio.Group>
          ) : null}
          {now ? (
            <>
              <p>
                {t("volume.delete.text", {
                  name: volume.name,
                  size: amount(volume.usage?.usedBytes ?? volume.sizeBytes),
                })}{" "}
                {preview.disk === "KEPT" ? t("volume.delete.kept") : null}
              </p>
              <TextInput
                label={t("volume.delete.type", { name: volume.name })}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                autoComplete="off"
                data-autofocus
              />
            </>
          ) : null}
        </>
      ) : null}
    </AskDialog>
  );
}

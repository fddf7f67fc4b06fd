import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import type { VolumeRowFragment } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { parseSize, sizeQuantity } from "~/modules/resources/quantity";
import { AskDialog } from "~/modules/volume/ask-dialog";

const expandMutation = graphql(`
  mutation ExpandVolume($input: ExpandVolumeInput!) {
    expandVolume(input: $input) {
      volume {
        ...VolumeRow
      }
    }
  }
`);

interface ExpandVolumeProps {
  volume: VolumeRowFragment;
  onClose: () => void;
  onDone: () => void;
}

/** A volume can grow and never shrink. */
export function ExpandVolume({ volume, onClose, onDone }: ExpandVolumeProps) {
  const { t, i18n } = useTranslation();
  const now = formatBytes(volume.sizeBytes, i18n.language);
  const [size, setSize] = useState(formatBytes(volume.sizeBytes * 2, "en"));
  const [expand] = useAction(expandMutation);
  const bytes = parseSize(size);
  return (
    <AskDialog
      title={t("volume.expand.title", { name: volume.name })}
      submit={t("volume.ask.expand")}
      disabled={bytes === null || bytes === volume.sizeBytes}
      onClose={onClose}
      ask={async () => {
        if (bytes === null) return undefined;
        const { fault } = await expand({ input: { id: volume.id, size: sizeQuantity(bytes) } });
        if (fault) return fault;
        notifyDone(t("volume.expand.done", { name: volume.name }));
        onDone();
        return undefined;
      }}
    >
      <p>{t("volume.expand.text", { size: now })}</p>
      <TextInput
        label={t("volume.expand.size")}
        value={size}
        onChange={(event) => setSize(event.currentTarget.value)}
        error={bytes === null ? t("volume.sizeWrong") : null}
        data-autofocus
      />
    </AskDialog>
  );
}

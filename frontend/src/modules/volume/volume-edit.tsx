import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import type { VolumeRowFragment } from "~/gql/graphql";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { AskDialog } from "~/modules/volume/ask-dialog";

const updateMutation = graphql(`
  mutation UpdateVolume($input: UpdateVolumeInput!) {
    updateVolume(input: $input) {
      volume {
        ...VolumeRow
      }
    }
  }
`);

interface EditVolumeProps {
  volume: VolumeRowFragment;
  onClose: () => void;
  onDone: () => void;
}

/** What a volume is called and said to be for. Mounts go by its id, so nothing breaks. */
export function EditVolume({ volume, onClose, onDone }: EditVolumeProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(volume.name);
  const [description, setDescription] = useState(volume.description);
  const [update] = useAction(updateMutation);
  return (
    <AskDialog
      title={t("volume.edit.title", { name: volume.name })}
      submit={t("action.save")}
      disabled={name.trim() === "" || (name === volume.name && description === volume.description)}
      onClose={onClose}
      ask={async () => {
        const { fault } = await update({
          input: {
            id: volume.id,
            ...(name === volume.name ? {} : { name: name.trim() }),
            description,
          },
        });
        if (fault) return fault;
        notifyDone(t("volume.edit.done", { name: name.trim() }));
        onDone();
        return undefined;
      }}
    >
      <TextInput
        label={t("volume.name")}
        value={name}
        maxLength={63}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Textarea
        label={t("volume.description")}
        value={description}
        maxLength={500}
        autosize
        minRows={2}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </AskDialog>
  );
}

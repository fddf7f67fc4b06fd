import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { VolumeRowFragment } from "~/gql/graphql";
import { faultText, type Fault } from "~/lib/fault";
import { formatBytes } from "~/lib/format";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";

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
  onDeleted: () => void;
}

/** Data is lost here: says which and how much, and asks for the name. */
export function DeleteVolume({ volume, onClose, onDeleted }: DeleteVolumeProps) {
  const { t, i18n } = useTranslation();
  const [typed, setTyped] = useState("");
  const [remove, removing] = useAction(deleteMutation);
  const [fault, setFault] = useState<Fault | null>(null);
  const inUse = volume.usedBy.length > 0;

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const result = await remove({ id: volume.id, confirmName: typed });
    if (result.fault) {
      setFault(result.fault);
      return;
    }
    notifyDone(t("volume.delete.done", { name: volume.name }));
    onDeleted();
  };

  return (
    <Dialog opened onClose={onClose} title={t("volume.delete.title", { name: volume.name })}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {inUse ? (
            <Notice
              tone="attention"
              title={t("volume.delete.inUse", { names: volume.usedBy.map((use) => use.name).join(", ") })}
            />
          ) : (
            <>
              <p>
                {t("volume.delete.text", {
                  name: volume.name,
                  size: formatBytes(volume.sizeBytes, i18n.language),
                })}
              </p>
              <TextInput
                label={t("volume.delete.type", { name: volume.name })}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                autoComplete="off"
                data-autofocus
              />
            </>
          )}
          {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {inUse ? t("action.close") : t("action.cancel")}
            </Button>
            {inUse ? null : (
              <Button type="submit" color="red.8" loading={removing} disabled={typed !== volume.name}>
                {t("volume.delete.confirm")}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

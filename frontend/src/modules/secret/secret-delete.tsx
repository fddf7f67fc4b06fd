import { Button, Checkbox, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { SecretRowFragment } from "~/gql/graphql";
import { faultText, type Fault } from "~/lib/fault";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";

const deleteMutation = graphql(`
  mutation DeleteSecret($id: ID!, $inUse: Boolean!) {
    deleteSecret(id: $id, inUse: $inUse) {
      id
    }
  }
`);

interface DeleteSecretProps {
  secret: SecretRowFragment;
  onClose: () => void;
  onDeleted: () => void;
}

/** Says what will not start any more. */
export function DeleteSecret({ secret, onClose, onDeleted }: DeleteSecretProps) {
  const { t } = useTranslation();
  const [known, setKnown] = useState(false);
  const [remove, removing] = useAction(deleteMutation);
  const [fault, setFault] = useState<Fault | null>(null);
  const inUse = secret.usedBy.length > 0;
  const submit = async (): Promise<void> => {
    const result = await remove({ id: secret.id, inUse: known });
    if (result.fault) {
      setFault(result.fault);
      return;
    }
    notifyDone(t("secrets.delete.done", { name: secret.name }));
    onDeleted();
  };
  return (
    <Dialog opened onClose={onClose} title={t("secrets.delete.title", { name: secret.name })}>
      <Stack gap="md">
        <p>{t("secrets.delete.text")}</p>
        {inUse ? (
          <>
            <Notice
              tone="attention"
              title={t("secrets.delete.inUse", { names: secret.usedBy.map((use) => use.name).join(", ") })}
            />
            <Checkbox
              label={t("secrets.delete.known")}
              checked={known}
              onChange={(event) => setKnown(event.currentTarget.checked)}
            />
          </>
        ) : null}
        {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button color="red.8" loading={removing} disabled={inUse && !known} onClick={() => void submit()}>
            {t("secrets.delete.confirm")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

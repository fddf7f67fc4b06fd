import { ActionIcon, Button, Group, Stack, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import { faultText, type Fault } from "~/lib/fault";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";

const deleteMutation = graphql(`
  mutation DeleteRun($id: ID!) {
    deleteRun(id: $id) {
      id
    }
  }
`);

/** Deletes an ended run with its logs, after saying so. */
export function DeleteRun({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure();
  const [remove, removing] = useAction(deleteMutation);
  const [fault, setFault] = useState<Fault | null>(null);
  const confirm = async (): Promise<void> => {
    const result = await remove({ id });
    if (result.fault) {
      setFault(result.fault);
      return;
    }
    notifyDone(t("run.delete.done", { name }));
    void navigate("/runs");
  };
  return (
    <>
      <Tooltip label={t("run.delete.open")}>
        <ActionIcon variant="default" size={36} aria-label={t("run.delete.open")} onClick={open}>
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
      <Dialog opened={opened} onClose={close} title={t("run.delete.title", { name })}>
        <Stack gap="md">
          <p>{t("run.delete.text")}</p>
          {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus>
              {t("action.cancel")}
            </Button>
            <Button color="red.8" loading={removing} onClick={() => void confirm()}>
              {t("run.delete.confirm")}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}

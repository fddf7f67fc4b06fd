import { ActionIcon, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { graphql } from "~/gql";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { AskDialog } from "~/modules/volume/ask-dialog";

const deleteMutation = graphql(`
  mutation DeleteFlowRun($id: ID!) {
    deleteFlowRun(id: $id) {
      id
    }
  }
`);

/** Deletes a flow run with its logs, after saying so. */
export function DeleteFlowRun({ id, name, flowId }: { id: string; name: string; flowId: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [opened, setOpened] = useState(false);
  const [remove] = useAction(deleteMutation);
  return (
    <>
      <Tooltip label={t("flowRun.delete.open")}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t("flowRun.delete.open")}
          onClick={() => setOpened(true)}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
      {opened ? (
        <AskDialog
          title={t("flowRun.delete.title", { name })}
          submit={t("flowRun.delete.confirm")}
          danger
          onClose={() => setOpened(false)}
          ask={async () => {
            const { fault } = await remove({ id });
            if (!fault) {
              notifyDone(t("flowRun.delete.done", { name }));
              void navigate(`/flows/${flowId}`);
            }
            return fault;
          }}
        >
          <p>{t("flowRun.delete.text")}</p>
        </AskDialog>
      ) : null}
    </>
  );
}

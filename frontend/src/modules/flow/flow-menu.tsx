import { ActionIcon, Menu, Select, TextInput } from "@mantine/core";
import { IconDots, IconDownload, IconPencil, IconTrash, IconUserShare } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useClient } from "urql";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import { toFault } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";
import { AskDialog } from "~/modules/volume/ask-dialog";

const exportQuery = graphql(`
  query ExportFlow($id: ID!) {
    flow(id: $id) {
      id
      version {
        id
        yaml
      }
    }
  }
`);

const renameMutation = graphql(`
  mutation RenameFlow($id: ID!, $name: String!) {
    renameFlow(id: $id, name: $name) {
      flow {
        ...FlowRow
      }
    }
  }
`);

const transferMutation = graphql(`
  mutation TransferFlow($id: ID!, $userId: ID!) {
    transferFlow(id: $id, userId: $userId) {
      flow {
        ...FlowRow
      }
    }
  }
`);

const deleteMutation = graphql(`
  mutation DeleteFlow($id: ID!, $name: String!) {
    deleteFlow(id: $id, name: $name) {
      id
    }
  }
`);

const membersQuery = graphql(`
  query FlowMembers($teamId: ID!) {
    team(id: $teamId) {
      id
      members {
        role
        user {
          id
          displayName
        }
      }
    }
  }
`);

interface FlowMenuProps {
  flow: {
    id: string;
    name: string;
    owner: { id: string; displayName: string };
    can: { edit: boolean; delete: boolean };
  };
  teamId: string;
}

/** What is done with a flow seldom. */
export function FlowMenu({ flow, teamId }: FlowMenuProps) {
  const { t } = useTranslation();
  const client = useClient();
  const [open, setOpen] = useState<"rename" | "transfer" | "delete" | null>(null);
  const close = (): void => setOpen(null);
  const download = async (): Promise<void> => {
    const result = await client.query(exportQuery, { id: flow.id }, { requestPolicy: "network-only" });
    const yaml = result.data?.flow?.version?.yaml;
    if (result.error) notifyFault(toFault(result.error), t);
    if (yaml === undefined) return;
    const url = URL.createObjectURL(new Blob([yaml], { type: "application/yaml" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `${flow.name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")}.yaml`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t("action.more")}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={() => void download()}>
            {t("flow.menu.export")}
          </Menu.Item>
          {flow.can.edit ? (
            <>
              <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setOpen("rename")}>
                {t("flow.menu.rename")}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconUserShare size={16} aria-hidden />}
                onClick={() => setOpen("transfer")}
              >
                {t("flow.menu.transfer")}
              </Menu.Item>
            </>
          ) : null}
          {flow.can.delete ? (
            <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={() => setOpen("delete")}>
              {t("flow.menu.delete")}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      {open === "rename" ? <RenameFlow flow={flow} onClose={close} /> : null}
      {open === "transfer" ? <TransferFlow flow={flow} teamId={teamId} onClose={close} /> : null}
      {open === "delete" ? <DeleteFlow flow={flow} onClose={close} /> : null}
    </>
  );
}

interface DialogProps {
  flow: FlowMenuProps["flow"];
  onClose: () => void;
}

function RenameFlow({ flow, onClose }: DialogProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(flow.name);
  const [error, setError] = useState<string | null>(null);
  const [rename] = useAction(renameMutation);
  return (
    <AskDialog
      title={t("flow.menu.renameTitle", { name: flow.name })}
      submit={t("flow.menu.rename")}
      disabled={name.trim() === "" || name.trim() === flow.name}
      onClose={onClose}
      ask={async () => {
        const { fault } = await rename({ id: flow.id, name: name.trim() });
        setError(fault?.fields[0]?.message ?? null);
        if (!fault) onClose();
        return fault;
      }}
    >
      <TextInput
        label={t("flow.name")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={error}
        maxLength={100}
        data-autofocus
      />
    </AskDialog>
  );
}

function TransferFlow({ flow, teamId, onClose }: DialogProps & { teamId: string }) {
  const { t } = useTranslation();
  const { data } = useLive({ query: membersQuery, variables: { teamId } });
  const [to, setTo] = useState<string | null>(null);
  const [transfer] = useAction(transferMutation);
  const others = (data?.team?.members ?? []).filter(
    (member) => member.role !== "VIEWER" && member.user.id !== flow.owner.id,
  );
  return (
    <AskDialog
      title={t("flow.menu.transferTitle", { name: flow.name })}
      submit={t("flow.menu.transferConfirm")}
      disabled={to === null}
      onClose={onClose}
      ask={async () => {
        const { fault } = await transfer({ id: flow.id, userId: to ?? "" });
        if (!fault) {
          notifyDone(t("flow.menu.transferred", { name: flow.name }));
          onClose();
        }
        return fault;
      }}
    >
      <p>{t("flow.menu.transferText", { owner: flow.owner.displayName })}</p>
      <Select
        label={t("facts.owner")}
        data={others.map((member) => ({ value: member.user.id, label: member.user.displayName }))}
        value={to}
        onChange={setTo}
        searchable
        data-autofocus
      />
    </AskDialog>
  );
}

function DeleteFlow({ flow, onClose }: DialogProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [remove] = useAction(deleteMutation);
  return (
    <AskDialog
      title={t("flow.menu.deleteTitle", { name: flow.name })}
      submit={t("flow.menu.delete")}
      danger
      disabled={typed !== flow.name}
      onClose={onClose}
      ask={async () => {
        const { fault } = await remove({ id: flow.id, name: typed });
        if (!fault) {
          notifyDone(t("flow.menu.deleted", { name: flow.name }));
          void navigate("/flows");
        }
        return fault;
      }}
    >
      <Notice tone="attention" title={t("flow.menu.deleteText")} />
      <TextInput
        label={t("flow.menu.deleteType", { name: flow.name })}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
    </AskDialog>
  );
}

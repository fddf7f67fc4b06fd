import { Button, Checkbox, Group, Select, Stack, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import { faultText, type Fault } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";
import { useSession } from "~/modules/session/session";
import { Deletion } from "~/modules/team/deletion";

export const teamLifeFragment = graphql(`
  fragment TeamLife on Team {
    id
    name
    state
    archivedAt
    can {
      edit
      transfer
      archive
      restore
      delete
      acknowledge
      retention
    }
  }
`);

const archiveMutation = graphql(`
  mutation ArchiveTeam($id: ID!, $stop: Boolean!) {
    archiveTeam(id: $id, stop: $stop) {
      team {
        ...TeamLife
      }
    }
  }
`);

const restoreMutation = graphql(`
  mutation RestoreTeam($id: ID!) {
    restoreTeam(id: $id) {
      team {
        ...TeamLife
      }
    }
  }
`);

const deleteMutation = graphql(`
  mutation DeleteTeam($id: ID!, $confirmName: String!) {
    deleteTeam(id: $id, confirmName: $confirmName) {
      id
    }
  }
`);

const acknowledgeMutation = graphql(`
  mutation AcknowledgeTeam($id: ID!) {
    acknowledgeTeam(id: $id) {
      team {
        ...TeamLife
        reason {
          ...ReasonText
        }
      }
    }
  }
`);

const transferMutation = graphql(`
  mutation TransferTeam($input: TransferTeamInput!) {
    transferTeam(input: $input) {
      team {
        ...TeamLife
        members {
          ...Member
        }
      }
    }
  }
`);

const peopleQuery = graphql(`
  query TransferChoices {
    users(first: 200) {
      nodes {
        id
        displayName
        email
      }
    }
  }
`);

interface TeamRef {
  id: string;
  name: string;
}

interface DialogProps {
  team: TeamRef;
  onClose: () => void;
  onDone: () => void;
}

/** Nothing is lost here: says what stops and what stays. */
export function ArchiveTeam({ team, onClose, onDone }: DialogProps) {
  const { t } = useTranslation();
  const [stop, setStop] = useState(false);
  const [archive, archiving] = useAction(archiveMutation);
  const [fault, setFault] = useState<Fault | null>(null);
  const submit = async (): Promise<void> => {
    const result = await archive({ id: team.id, stop });
    if (result.fault) {
      setFault(result.fault);
      return;
    }
    notifyDone(t("team.archive.done", { name: team.name }));
    onDone();
  };
  return (
    <Dialog opened onClose={onClose} title={t("team.archive.title", { name: team.name })}>
      <Stack gap="md">
        <p>{t("team.archive.text")}</p>
        <Checkbox
          label={t("team.archive.stop")}
          checked={stop}
          onChange={(event) => setStop(event.currentTarget.checked)}
        />
        {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button loading={archiving} onClick={() => void submit()}>
            {t("team.archive.confirm")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** The namespace goes for good: asks for the name. */
export function DeleteTeam({ team, onClose, onDone }: DialogProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [remove, removing] = useAction(deleteMutation);
  const [fault, setFault] = useState<Fault | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const result = await remove({ id: team.id, confirmName: typed });
    if (result.fault) {
      setFault(result.fault);
      return;
    }
    notifyDone(t("team.delete.done", { name: team.name }));
    onDone();
  };
  return (
    <Dialog opened onClose={onClose} title={t("team.delete.title", { name: team.name })}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <p>{t("team.delete.text")}</p>
          <Deletion teamId={team.id} />
          <TextInput
            label={t("team.delete.type", { name: team.name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" color="red.8" loading={removing} disabled={typed !== team.name}>
              {t("team.delete.confirm")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

interface Person {
  id: string;
  displayName: string;
  email: string;
}

interface TransferProps extends DialogProps {
  owners: readonly Person[];
  members: readonly Person[];
  userId: string;
}

/** Hands one owner's role to another member; administrators choose among all people. */
export function TransferTeam({ team, owners, members, userId, onClose, onDone }: TransferProps) {
  const { t } = useTranslation();
  const { administrator } = useSession();
  const { data } = useLive({ query: peopleQuery, variables: {}, pause: !administrator });
  const people = administrator ? (data?.users.nodes ?? []) : members;
  const [transfer, transferring] = useAction(transferMutation);
  const [fault, setFault] = useState<Fault | null>(null);
  const own = owners.some((owner) => owner.id === userId);
  const [from, setFrom] = useState<string | null>(own ? userId : (owners[0]?.id ?? null));
  const [to, setTo] = useState<string | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (to === null) return;
    const result = await transfer({ input: { teamId: team.id, userId: to, fromUserId: from } });
    if (result.fault) {
      setFault(result.fault);
      return;
    }
    notifyDone(t("team.transfer.done", { name: team.name }));
    onDone();
  };
  return (
    <Dialog opened onClose={onClose} title={t("team.transfer.title", { name: team.name })}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <p>{t("team.transfer.text")}</p>
          {own ? null : (
            <Select
              label={t("team.transfer.from")}
              data={owners.map((owner) => ({ value: owner.id, label: owner.displayName }))}
              value={from}
              onChange={setFrom}
              allowDeselect={false}
            />
          )}
          <Select
            label={t("team.transfer.to")}
            data={people
              .filter((user) => user.id !== from)
              .map((user) => ({ value: user.id, label: `${user.displayName} · ${user.email}` }))}
            value={to}
            onChange={setTo}
            searchable
          />
          {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={transferring} disabled={to === null || from === null}>
              {t("team.transfer.confirm")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** What is done by one click, told in a note. */
export function useTeamLife(team: TeamRef, onDone: () => void) {
  const { t } = useTranslation();
  const [restore, restoring] = useAction(restoreMutation);
  const [acknowledge, acknowledging] = useAction(acknowledgeMutation);
  return {
    busy: restoring || acknowledging,
    restore: async () => {
      const { fault } = await restore({ id: team.id });
      if (fault) notifyFault(fault, t);
      else notifyDone(t("team.restored", { name: team.name }));
      onDone();
    },
    acknowledge: async () => {
      const { fault } = await acknowledge({ id: team.id });
      if (fault) notifyFault(fault, t);
      onDone();
    },
  };
}

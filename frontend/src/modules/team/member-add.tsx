import { Button, Group, Select, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { TeamRole } from "~/gql/graphql";
import { faultText, type Fault } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { teamRoles } from "~/modules/team/members";

const choicesQuery = graphql(`
  query PeopleToAdd($first: Int!) {
    users(first: $first) {
      nodes {
        id
        displayName
        email
      }
    }
  }
`);

const addMutation = graphql(`
  mutation AddTeamMember($input: SetTeamMemberInput!) {
    setTeamMember(input: $input) {
      team {
        id
        members {
          ...Member
        }
      }
    }
  }
`);

const most = 200;

interface AddMemberProps {
  teamId: string;
  /** Who is in the team already. */
  members: ReadonlySet<string>;
  onClose: () => void;
  onAdded: () => void;
}

/** Adds anybody, without asking them: for administrators. Owners invite. */
export function AddMember({ teamId, members, onClose, onAdded }: AddMemberProps) {
  const { t } = useTranslation();
  const { data } = useLive({ query: choicesQuery, variables: { first: most } });
  const [userId, setUserId] = useState<string | null>(null);
  const [role, setRole] = useState<TeamRole>("MEMBER");
  const [problem, setProblem] = useState<Fault | null>(null);
  const [add, adding] = useAction(addMutation);
  const choices = (data?.users.nodes ?? []).filter((user) => !members.has(user.id));
  const submit = async (): Promise<void> => {
    if (!userId) return;
    const result = await add({ input: { teamId, userId, role } });
    if (result.fault) {
      setProblem(result.fault);
      return;
    }
    const name = choices.find((user) => user.id === userId)?.displayName ?? "";
    notifyDone(t("team.added", { name }));
    onAdded();
  };
  return (
    <Dialog opened onClose={onClose} title={t("team.add")}>
      <Stack gap="md">
        <Select
          label={t("team.person")}
          placeholder={t("team.choosePerson")}
          nothingFoundMessage={t("team.nobodyToAdd")}
          searchable
          data-autofocus
          data={choices.map((user) => ({ value: user.id, label: `${user.displayName} · ${user.email}` }))}
          value={userId}
          onChange={setUserId}
        />
        <Select
          label={t("invitation.role")}
          data={teamRoles.map((each) => ({ value: each, label: t(`team.role.${each}`) }))}
          allowDeselect={false}
          value={role}
          onChange={(next) => setRole(teamRoles.find((each) => each === next) ?? role)}
        />
        {problem ? <Notice tone="failed" title={faultText(problem, t)} live /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button loading={adding} disabled={!userId} onClick={() => void submit()}>
            {t("team.add")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

import { Button, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql, readFragment } from "~/gql";
import type { MemberFragment } from "~/gql/graphql";
import { faultText, type Fault } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import {
  Estates,
  estateFragment,
  isEmpty,
  keepAll,
  unanswered,
  type HandOver,
} from "~/modules/people/estates";

const previewQuery = graphql(`
  query LeavePreview($userId: ID!, $teamId: ID!) {
    departurePreview(userId: $userId, teamId: $teamId) {
      estates {
        teamId
        ...Estate
      }
    }
  }
`);

const viewerMutation = graphql(`
  mutation MakeViewer($input: SetTeamMemberInput!) {
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

const removeMutation = graphql(`
  mutation RemoveTeamMember($input: RemoveTeamMemberInput!) {
    removeTeamMember(input: $input) {
      team {
        id
        members {
          ...Member
        }
      }
    }
  }
`);

interface RemoveMemberProps {
  teamId: string;
  member: MemberFragment;
  /** The one who looks leaves. */
  self: boolean;
  /** They stay, as one who only looks. */
  viewer?: boolean;
  onClose: () => void;
  onDone: () => void;
}

/** A membership ends, or becomes one that only looks: says what the person owns in the team, and asks who gets it. */
export function RemoveMember({ teamId, member, self, viewer = false, onClose, onDone }: RemoveMemberProps) {
  const { t } = useTranslation();
  const { user } = member;
  const { data, fault, loading, reload } = useLive({
    query: previewQuery,
    variables: { userId: user.id, teamId },
  });
  const [value, setValue] = useState<HandOver>(keepAll);
  const [problem, setProblem] = useState<Fault | null>(null);
  const [remove, removing] = useAction(removeMutation);
  const [makeViewer, making] = useAction(viewerMutation);
  const estates = data?.departurePreview.estates ?? [];
  const open = readFragment(estateFragment, estates);
  const blocked = unanswered(open, value).length > 0;
  const submit = async (): Promise<void> => {
    const toUserId = value.heirs[teamId] ?? "";
    const input = {
      teamId,
      userId: user.id,
      toUserId: toUserId === "" ? null : toUserId,
      instances: value.instances,
      runs: value.runs,
    };
    const result = viewer
      ? await makeViewer({ input: { ...input, role: "VIEWER" } })
      : await remove({ input });
    if (result.fault) {
      setProblem(result.fault);
      return;
    }
    if (viewer) {
      notifyDone(t("team.changed", { name: user.displayName, role: t("team.role.VIEWER") }));
      onDone();
      return;
    }
    if (self) {
      // Nothing of the team stays on the screen.
      location.assign("/");
      return;
    }
    notifyDone(t("team.removed", { name: user.displayName }));
    onDone();
  };
  const name = user.displayName;
  const title = viewer
    ? t("team.becomeViewer", { name })
    : self
      ? t("team.leaveTeam")
      : t("team.remove", { name });
  const confirm = viewer ? t("team.becomeViewerConfirm") : self ? t("team.leave") : t("team.removeConfirm");
  return (
    <Dialog opened onClose={onClose} title={title}>
      <Stack gap="md">
        {loading ? <SkeletonBlock height={160} /> : null}
        {fault && !data ? <Failed fault={fault} retry={reload} /> : null}
        {data ? (
          <>
            <p>
              {viewer ? `${t("team.becomesViewer")} ` : null}
              {open.every(isEmpty) ? t("team.ownsNothing") : t("team.ownsThis")}
            </p>
            <Estates estates={estates} value={value} onChange={setValue} single />
          </>
        ) : null}
        {problem ? (
          <Notice tone="failed" title={problem.fields[0]?.message ?? faultText(problem, t)} live />
        ) : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button
            color="red.8"
            loading={removing || making}
            disabled={!data || blocked}
            onClick={() => void submit()}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

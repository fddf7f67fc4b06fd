import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Facts } from "~/components/facts";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { TeamEditQuery } from "~/gql/graphql";
import { readDraft, useEditDraft } from "~/lib/draft";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { usePoll } from "~/lib/poll";
import { ReasonNotice } from "~/modules/reason/reason";
import { useSession } from "~/modules/session/session";
import { memberFragment, Members } from "~/modules/team/members";
import { Quota } from "~/modules/team/quota";
import { QuotaPreview } from "~/modules/team/quota-preview";
import { toQuotaInput, toQuotaValues } from "~/modules/team/quota-values";
import { teamTones } from "~/modules/team/state";
import { TeamForm } from "~/modules/team/team-form";
import {
  ArchiveTeam,
  DeleteTeam,
  teamLifeFragment,
  TransferTeam,
  useTeamLife,
} from "~/modules/team/team-life";
import { useTeamForm } from "~/modules/team/use-team-form";
import classes from "./team-edit.module.css";

const teamQuery = graphql(`
  query TeamEdit($id: ID!) {
    team(id: $id) {
      id
      name
      namespace
      createdAt
      ...TeamLife
      overcommit {
        cpu
        memory
        onlineCpu
        onlineMemory
      }
      reason {
        ...ReasonText
      }
      findings {
        ...ReasonText
      }
      quota {
        items {
          resource
          unit
          limit
        }
        ...Quota
      }
      members {
        ...Member
      }
    }
  }
`);

const updateMutation = graphql(`
  mutation UpdateTeam($input: UpdateTeamInput!) {
    updateTeam(input: $input) {
      team {
        ...TeamLife
      }
    }
  }
`);

type Team = NonNullable<TeamEditQuery["team"]>;

const pollMs = 10_000;

export function TeamEditPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams();
  const { data, fault, loading, reload } = useLive({ query: teamQuery, variables: { id } });
  usePoll(reload, pollMs);
  if (loading) {
    return (
      <Page title={t("team.one")}>
        <Columns main={<SkeletonBlock height={480} />} side={<SkeletonBlock height={320} />} />
      </Page>
    );
  }
  if (!data?.team) {
    return (
      <Page title={t("team.one")} parent={{ to: "/teams", label: t("team.list") }}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("team.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  return <Edit key={id} team={data.team} reload={reload} />;
}

type Asking = "archive" | "delete" | "transfer" | null;

function Edit({ team, reload }: { team: Team; reload: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { user } = useSession();
  const [asking, setAsking] = useState<Asking>(null);
  const [update, updating] = useAction(updateMutation);
  const draft = `team:${team.id}`;
  const [saved, setSaved] = useState(() => toQuotaValues(team));
  const [initial] = useState(() => readDraft(draft, saved));
  const { form, error, refuse } = useTeamForm(initial);
  const unsaved = useEditDraft(draft, form.values, saved);
  const { can, state, archivedAt } = readFragment(teamLifeFragment, team);
  const members = readFragment(memberFragment, team.members);
  const owners = members.filter((member) => member.role === "OWNER").map((member) => member.user);
  const life = useTeamLife(team, reload);
  const done = (): void => {
    setAsking(null);
    reload();
  };
  const submit = async (): Promise<void> => {
    const input = toQuotaInput(form.values);
    if (!input) return;
    refuse(null);
    const { fault } = await update({ input: { ...input, id: team.id, name: form.values.name.trim() } });
    if (fault) {
      refuse(fault);
      return;
    }
    notifyDone(t("team.saved", { name: form.values.name.trim() }));
    setSaved(form.values);
    reload();
  };
  const discard = (): void => {
    form.setValues(saved);
    form.clearErrors();
    refuse(null);
  };
  return (
    <Page
      title={team.name}
      parent={{ to: "/teams", label: t("team.list") }}
      subtitle={
        <>
          <StateMark tone={teamTones[state]} label={t(`team.state.${state}`)} />{" "}
          {archivedAt ? <RelativeTime at={archivedAt} /> : null}
        </>
      }
      actions={
        <>
          {can.transfer && owners.length > 0 ? (
            <Button variant="default" onClick={() => setAsking("transfer")}>
              {t("team.transfer.open")}
            </Button>
          ) : null}
          {can.archive ? (
            <Button variant="default" onClick={() => setAsking("archive")}>
              {t("team.archive.open")}
            </Button>
          ) : null}
          {can.restore ? (
            <Button variant="default" loading={life.busy} onClick={() => void life.restore()}>
              {t("team.restore")}
            </Button>
          ) : null}
          {can.delete ? (
            <Button variant="default" onClick={() => setAsking("delete")}>
              {t("team.delete.open")}
            </Button>
          ) : null}
        </>
      }
    >
      <Columns
        main={
          <>
            {team.reason ? (
              <ReasonNotice
                reason={team.reason}
                tone="attention"
                action={
                  can.acknowledge ? (
                    <Button
                      variant="default"
                      size="xs"
                      loading={life.busy}
                      onClick={() => void life.acknowledge()}
                    >
                      {t("team.acknowledge")}
                    </Button>
                  ) : null
                }
              />
            ) : null}
            {team.findings.map((finding, i) => (
              // Findings have no identity of their own.
              <ReasonNotice key={i} reason={finding} tone="attention" />
            ))}
            {can.edit ? (
              <TeamForm
                form={form}
                onSubmit={() => void submit()}
                busy={updating}
                error={error}
                submit={t("action.save")}
                summary={unsaved ? t("draft.kept") : undefined}
                cancel={
                  unsaved ? (
                    <Button variant="default" onClick={discard}>
                      {t("draft.discard")}
                    </Button>
                  ) : null
                }
              />
            ) : null}
          </>
        }
        side={
          <>
            {can.edit ? (
              <Panel title={t("quota.preview.title")}>
                <QuotaPreview teamId={team.id} values={form.values} />
              </Panel>
            ) : null}
            <Panel
              title={t("team.members")}
              aside={<span className="soft">{t("team.count", { count: members.length })}</span>}
            >
              <Members teamId={team.id} members={team.members} manage={can.edit} onChange={reload} />
            </Panel>
            <Panel title={t("facts.title")}>
              <Facts
                facts={[
                  { name: t("facts.namespace"), value: <span className="mono">{team.namespace}</span> },
                  { name: t("facts.created"), value: <RelativeTime at={team.createdAt} /> },
                  { name: "ID", value: <span className="mono">{team.id}</span> },
                ]}
              />
            </Panel>
          </>
        }
      />
      <div className={classes.below}>
        <Panel title={t("quota.title")}>
          <Quota quota={team.quota} />
        </Panel>
      </div>
      {asking === "archive" ? (
        <ArchiveTeam team={team} onClose={() => setAsking(null)} onDone={done} />
      ) : null}
      {asking === "delete" ? (
        <DeleteTeam
          team={team}
          onClose={() => setAsking(null)}
          onDone={() => void navigate("/teams?show=archived")}
        />
      ) : null}
      {asking === "transfer" ? (
        <TransferTeam
          team={team}
          owners={owners}
          members={members.map((member) => member.user)}
          userId={user.id}
          onClose={() => setAsking(null)}
          onDone={done}
        />
      ) : null}
    </Page>
  );
}

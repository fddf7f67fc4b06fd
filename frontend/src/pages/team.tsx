import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Facts } from "~/components/facts";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import { useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { ReasonNotice } from "~/modules/reason/reason";
import { useSession } from "~/modules/session/session";
import { SlotGroups } from "~/modules/slot-group/slot-groups";
import { InvitationsPanel } from "~/modules/team/invitations";
import { AddMember } from "~/modules/team/member-add";
import { memberFragment, Members } from "~/modules/team/members";
import { Quota } from "~/modules/team/quota";
import { Retention } from "~/modules/team/retention";
import { teamLifeFragment, TransferTeam } from "~/modules/team/team-life";

const teamQuery = graphql(`
  query Team($id: ID!) {
    team(id: $id) {
      id
      name
      namespace
      createdAt
      overcommit {
        cpu
        memory
      }
      reason {
        ...ReasonText
      }
      findings {
        ...ReasonText
      }
      quota {
        observedAt
        ...Quota
      }
      members {
        ...Member
      }
      retention {
        ...TeamRetention
      }
      ...TeamLife
    }
  }
`);

const pollMs = 10_000;

export function TeamPage() {
  const { t } = useTranslation();
  const { team: chosen, user, administrator } = useSession();
  const [handing, setHanding] = useState(false);
  const [adding, setAdding] = useState(false);
  const { data, fault, loading, reload } = useLive({ query: teamQuery, variables: { id: chosen.id } });
  usePoll(reload, pollMs);
  if (loading) {
    return (
      <Page title={chosen.name}>
        <Columns main={<SkeletonBlock height={420} />} side={<SkeletonBlock height={240} />} />
      </Page>
    );
  }
  const team = data?.team;
  if (!team) {
    return (
      <Page title={chosen.name}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("team.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  const { can } = readFragment(teamLifeFragment, team);
  const owners = readFragment(memberFragment, team.members)
    .filter((member) => member.role === "OWNER")
    .map((member) => member.user);
  const own = owners.some((owner) => owner.id === user.id);
  const maintains = chosen.viewerRole === "OWNER" || chosen.viewerRole === "MAINTAINER";
  const manage = administrator || chosen.viewerRole === "OWNER";
  return (
    <Page
      title={team.name}
      subtitle={chosen.viewerRole ? t("team.yourRole", { role: t(`team.role.${chosen.viewerRole}`) }) : null}
      actions={
        <>
          {can.transfer && own ? (
            <Button variant="default" onClick={() => setHanding(true)}>
              {t("team.transfer.open")}
            </Button>
          ) : null}
          {can.edit ? (
            <Button variant="default" component={Link} to={`/teams/${team.id}`}>
              {t("team.manage")}
            </Button>
          ) : null}
        </>
      }
    >
      <Columns
        main={
          <>
            {team.reason ? <ReasonNotice reason={team.reason} tone="attention" /> : null}
            {team.findings.map((finding, i) => (
              // Findings have no identity of their own.
              <ReasonNotice key={i} reason={finding} tone="attention" />
            ))}
            <Panel
              title={t("quota.title")}
              aside={
                team.quota.observedAt ? (
                  <span className="soft">
                    {t("quota.observed")} <RelativeTime at={team.quota.observedAt} />
                  </span>
                ) : (
                  <span className="soft">{t("quota.notYet")}</span>
                )
              }
            >
              <Quota quota={team.quota} />
            </Panel>
            <SlotGroups teamId={team.id} manage={administrator || maintains} />
          </>
        }
        side={
          <>
            <Panel
              title={t("team.members")}
              aside={
                administrator ? (
                  <Button variant="default" size="xs" onClick={() => setAdding(true)}>
                    {t("team.add")}
                  </Button>
                ) : (
                  <span className="soft">{t("team.count", { count: team.members.length })}</span>
                )
              }
            >
              <Members teamId={team.id} members={team.members} manage={manage} onChange={reload} />
            </Panel>
            {manage ? <InvitationsPanel teamId={team.id} /> : null}
            <Retention teamId={team.id} retention={team.retention} change={can.retention} onChange={reload} />
            <Panel title={t("facts.title")}>
              <Facts
                facts={[
                  { name: t("facts.namespace"), value: <span className="mono">{team.namespace}</span> },
                  {
                    name: t("team.overcommit"),
                    value: t("team.overcommitText", {
                      cpu: team.overcommit.cpu,
                      memory: team.overcommit.memory,
                    }),
                  },
                  { name: t("facts.created"), value: <RelativeTime at={team.createdAt} /> },
                  { name: "ID", value: <span className="mono">{team.id}</span> },
                ]}
              />
            </Panel>
          </>
        }
      />
      {handing ? (
        <TransferTeam
          team={team}
          owners={owners}
          members={readFragment(memberFragment, team.members).map((member) => member.user)}
          userId={user.id}
          onClose={() => setHanding(false)}
          onDone={() => {
            setHanding(false);
            reload();
          }}
        />
      ) : null}
      {adding ? (
        <AddMember
          teamId={team.id}
          members={new Set(readFragment(memberFragment, team.members).map((member) => member.user.id))}
          onClose={() => setAdding(false)}
          onAdded={() => {
            setAdding(false);
            reload();
          }}
        />
      ) : null}
    </Page>
  );
}

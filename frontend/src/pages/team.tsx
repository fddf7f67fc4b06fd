import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Facts } from "~/components/facts";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import { useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { ReasonNotice } from "~/modules/reason/reason";
import { useSession } from "~/modules/session/session";
import { Members } from "~/modules/team/members";
import { Quota } from "~/modules/team/quota";

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
      quota {
        observedAt
        ...Quota
      }
      members {
        ...Member
      }
    }
  }
`);

const pollMs = 10_000;

export function TeamPage() {
  const { t } = useTranslation();
  const { team: chosen } = useSession();
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
  return (
    <Page
      title={team.name}
      subtitle={chosen.viewerRole ? t("team.yourRole", { role: t(`team.role.${chosen.viewerRole}`) }) : null}
    >
      <Columns
        main={
          <>
            {team.reason ? <ReasonNotice reason={team.reason} tone="attention" /> : null}
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
          </>
        }
        side={
          <>
            <Panel
              title={t("team.members")}
              aside={<span className="soft">{t("team.count", { count: team.members.length })}</span>}
            >
              <Members members={team.members} />
            </Panel>
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
    </Page>
  );
}

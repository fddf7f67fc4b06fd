import { Button } from "@mantine/core";
import { IconPlayerPlay, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useSubscription } from "urql";
import { Failed, SkeletonBlock, SkeletonRows } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { RowList } from "~/components/row-list";
import { Section } from "~/components/section";
import { graphql, readFragment } from "~/gql";
import { useNow } from "~/lib/clock";
import { useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { InstanceRow, instanceRowFragment } from "~/modules/instance/instance-row";
import { RunRow } from "~/modules/run/run-row";
import { runRowFragment } from "~/modules/run/run-row-fragment";
import { needsSomebody } from "~/modules/reason/calm";
import { reasonFragment, ReasonNotice } from "~/modules/reason/reason";
import { useSession } from "~/modules/session/session";
import { Quota } from "~/modules/team/quota";
import { FirstSteps } from "~/modules/frame/first-steps";

const overviewQuery = graphql(`
  query Overview($teamId: ID!) {
    instances(first: 30, filter: { teamId: $teamId }) {
      nodes {
        ...InstanceRow
      }
    }
    runs(first: 20, filter: { teamId: $teamId }) {
      nodes {
        ...RunRow
      }
    }
    team(id: $teamId) {
      id
      reason {
        ...ReasonText
      }
      quota {
        ...Quota
      }
    }
    cluster {
      reachable
      reason {
        ...ReasonText
      }
    }
  }
`);

const instancesChanged = graphql(`
  subscription OverviewInstances($teamId: ID!) {
    instancesChanged(teamId: $teamId) {
      ...InstanceRow
    }
  }
`);

const runsChanged = graphql(`
  subscription OverviewRuns($teamId: ID!) {
    runsChanged(teamId: $teamId) {
      ...RunRow
    }
  }
`);

const pollMs = 10_000;
const dayMs = 86_400_000;

export function OverviewPage() {
  const { t } = useTranslation();
  const { team, mayMake } = useSession();
  const teamId = team.id;
  const { data, fault, loading, reload } = useLive({ query: overviewQuery, variables: { teamId } });
  useSubscription({ query: instancesChanged, variables: { teamId } });
  useSubscription({ query: runsChanged, variables: { teamId } });
  usePoll(reload, pollMs);
  const now = useNow("slow");

  const actions = mayMake ? (
    <>
      <Button
        variant="default"
        component={Link}
        to="/runs/new"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
      >
        {t("run.create")}
      </Button>
      <Button component={Link} to="/instances/new" leftSection={<IconPlus size={16} aria-hidden />}>
        {t("instance.create")}
      </Button>
    </>
  ) : null;

  if (loading) {
    return (
      <Page title={t("frame.overview")} actions={actions}>
        <Columns main={<SkeletonRows rows={8} />} side={<SkeletonBlock height={280} />} />
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title={t("frame.overview")} actions={actions}>
        {fault ? <Failed fault={fault} retry={reload} /> : null}
      </Page>
    );
  }

  const instances = pair(data.instances.nodes, readFragment(instanceRowFragment, data.instances.nodes));
  const runs = pair(data.runs.nodes, readFragment(runRowFragment, data.runs.nodes));
  const recent = now - dayMs;
  const needy = instances.filter(
    ({ row }) =>
      row.state === "UNHEALTHY" ||
      row.state === "FAILED" ||
      (row.state === "PENDING" && row.reason && needsSomebody(readFragment(reasonFragment, row.reason).code)),
  );
  const failed = runs.filter(
    ({ row }) =>
      (row.state === "FAILED" || row.state === "TIMED_OUT") &&
      new Date(row.endedAt ?? row.createdAt).getTime() > recent,
  );
  const attention = new Set([...needy, ...failed].map(({ row }) => row.id));
  const active = instances.filter(({ row }) => !attention.has(row.id) && row.state !== "STOPPED");
  const latest = runs.filter(({ row }) => !attention.has(row.id)).slice(0, 6);
  const empty = instances.length === 0 && runs.length === 0;

  return (
    <Page title={t("frame.overview")} actions={actions}>
      <Columns
        main={
          <>
            {data.cluster.reason ? <ReasonNotice reason={data.cluster.reason} tone="failed" /> : null}
            {data.team?.reason ? <ReasonNotice reason={data.team.reason} tone="attention" /> : null}
            {empty ? <FirstSteps mayMake={mayMake} /> : null}
            {attention.size > 0 ? (
              <Section title={t("overview.attention")}>
                <RowList label={t("overview.attention")}>
                  {needy.map(({ ref, row }) => (
                    <InstanceRow key={row.id} instance={ref} />
                  ))}
                  {failed.slice(0, 5).map(({ ref, row }) => (
                    <RunRow key={row.id} run={ref} />
                  ))}
                </RowList>
              </Section>
            ) : null}
            {empty ? null : (
              <Section
                title={t("overview.running")}
                aside={<Link to="/instances">{t("overview.allInstances")}</Link>}
              >
                {active.length > 0 ? (
                  <RowList label={t("overview.running")}>
                    {active.map(({ ref, row }) => (
                      <InstanceRow key={row.id} instance={ref} />
                    ))}
                  </RowList>
                ) : (
                  <p className="soft">{t("overview.nothingRuns")}</p>
                )}
              </Section>
            )}
            {latest.length > 0 ? (
              <Section
                title={t("overview.latestRuns")}
                aside={<Link to="/runs">{t("overview.allRuns")}</Link>}
              >
                <RowList label={t("overview.latestRuns")}>
                  {latest.map(({ ref, row }) => (
                    <RunRow key={row.id} run={ref} />
                  ))}
                </RowList>
              </Section>
            ) : null}
          </>
        }
        side={
          data.team ? (
            <Panel
              title={t("quota.titleOf", { team: team.name })}
              aside={<Link to="/team">{t("overview.details")}</Link>}
            >
              <Quota quota={data.team.quota} brief />
            </Panel>
          ) : null
        }
      />
    </Page>
  );
}

/** References beside what they read to, for choosing by content and drawing by reference. */
function pair<R, T>(refs: readonly R[], rows: readonly T[]): { ref: R; row: T }[] {
  return refs.flatMap((ref, i) => {
    const row = rows[i];
    return row === undefined ? [] : [{ ref, row }];
  });
}

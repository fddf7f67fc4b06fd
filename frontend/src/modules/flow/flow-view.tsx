import { Button, SegmentedControl } from "@mantine/core";
import { IconHistory, IconPencil, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useSubscription } from "urql";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { FlowRowFragment } from "~/gql/graphql";
import { useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { EventList } from "~/modules/event/event-list";
import { BackfillDialog } from "~/modules/flow/backfill-dialog";
import { Backfills } from "~/modules/flow/backfills";
import { Calendar } from "~/modules/flow/calendar";
import { FlowFacts } from "~/modules/flow/flow-facts";
import { FlowMenu } from "~/modules/flow/flow-menu";
import { flowRowFragment } from "~/modules/flow/flow-row-fragment";
import { flowHeadFragment } from "~/modules/flow/fragments";
import { FlowGrid, gridRunFragment } from "~/modules/flow/grid-view";
import { usePause } from "~/modules/flow/pause";
import { RunFlow } from "~/modules/flow/run-flow";
import { asSpec, type FlowSpec } from "~/modules/flow/spec";
import { Versions } from "~/modules/flow/versions";
import { scheduleWords } from "~/modules/flow/words";
import { FlowRunList } from "~/modules/flowrun/flow-run-list";
import { ReasonNotice } from "~/modules/reason/reason";

const flowQuery = graphql(`
  query Flow($id: ID!) {
    flow(id: $id) {
      ...FlowRow
      ...FlowHead
      grid: lastRuns(last: 30) {
        ...FlowGridRun
      }
      events(first: 50) {
        nodes {
          ...EventItem
        }
      }
    }
  }
`);

const flowChanged = graphql(`
  subscription FlowChanged($teamId: ID) {
    flowsChanged(teamId: $teamId) {
      ...FlowRow
      ...FlowHead
    }
  }
`);

const runsChanged = graphql(`
  subscription FlowGridChanged($flowId: ID) {
    flowRunsChanged(flowId: $flowId) {
      ...FlowGridRun
      flow {
        id
        nextFireAt
      }
    }
  }
`);

const tabs = ["runs", "versions", "calendar", "backfills"] as const;
type Tab = (typeof tabs)[number];

export function FlowView({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: flowQuery, variables: { id } });
  const flow = data?.flow;
  const head = readFragment(flowHeadFragment, flow);
  const runs = flow?.grid;
  const known = readFragment(gridRunFragment, runs ?? []);
  useSubscription({ query: flowChanged, variables: { teamId: head?.team.id ?? null }, pause: !head });
  useSubscription({ query: runsChanged, variables: { flowId: id }, pause: !head }, (_, change) => {
    const changed = readFragment(gridRunFragment, change.flowRunsChanged);
    if (!known.some((run) => run.id === changed.id)) reload();
    return change;
  });
  usePoll(reload, 60_000); // that it is overdue nothing tells but the clock
  const spec = useMemo(() => asSpec(head?.version?.spec), [head?.version?.spec]);
  const tasks = useMemo(() => spec.tasks.map((task) => task.name), [spec]);
  const parent = { to: "/flows", label: t("frame.flows") };

  if (loading) {
    return (
      <Page title={t("state.loading")} parent={parent}>
        <Columns main={<SkeletonBlock height={480} />} side={<SkeletonBlock height={360} />} />
      </Page>
    );
  }
  if (!flow || !head || !runs) {
    return (
      <Page title={t("flow.one")} parent={parent}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("flow.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  const row = readFragment(flowRowFragment, flow);
  return (
    <Page
      title={row.name}
      parent={parent}
      subtitle={<Sentence row={row} />}
      actions={<HeadActions row={row} spec={spec} teamId={head.team.id} />}
    >
      <Columns
        main={
          <>
            {row.pausedWhy ? <ReasonNotice reason={row.pausedWhy} tone="attention" /> : null}
            {row.overdue ? <ReasonNotice reason={row.overdue} tone="attention" /> : null}
            {row.description === "" ? null : <p className="soft">{row.description}</p>}
            <Panel title={t("flow.grid.title")} flush={runs.length > 0}>
              {runs.length > 0 ? (
                <FlowGrid tasks={tasks} runs={runs} />
              ) : (
                <p className="soft">{t("flowRun.none")}</p>
              )}
            </Panel>
            <Tabs row={row} />
          </>
        }
        side={
          <>
            <FlowFacts row={row} head={head} spec={spec} />
            <Panel title={t("event.title")}>
              <EventList subjectId={id} events={flow.events.nodes} />
            </Panel>
          </>
        }
      />
    </Page>
  );
}

/** One sentence: whether it fires, when next, on which schedule. */
function Sentence({ row }: { row: FlowRowFragment }) {
  const { t, i18n } = useTranslation();
  return (
    <>
      {row.paused ? (
        <StateMark large tone="stopped" label={t("flow.row.paused")} />
      ) : row.nextFireAt ? (
        <span>
          {t("flow.pause.nextLabel")} <RelativeTime at={row.nextFireAt} />
        </span>
      ) : (
        <span>{t("flow.noNext")}</span>
      )}
      <span>{scheduleWords(row.schedule, t, i18n.language)}</span>
      <span>{row.owner.displayName}</span>
    </>
  );
}

function HeadActions({ row, spec, teamId }: { row: FlowRowFragment; spec: FlowSpec; teamId: string }) {
  const { t } = useTranslation();
  const { toggle, busy, dialog } = usePause(row);
  const [open, setOpen] = useState<"run" | "backfill" | null>(null);
  const [, setSearch] = useSearchParams();
  const zone = row.schedule.timezone || "UTC";
  return (
    <>
      <FlowMenu flow={row} teamId={teamId} />
      {row.can.run && row.schedule.kind !== "MANUAL" && row.schedule.kind !== "UPSTREAM" ? (
        <Button
          variant="default"
          leftSection={<IconHistory size={16} aria-hidden />}
          onClick={() => setOpen("backfill")}
        >
          {t("flow.backfill.open")}
        </Button>
      ) : null}
      {row.can.pause ? (
        <Button
          variant="default"
          leftSection={
            row.paused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />
          }
          disabled={busy}
          onClick={toggle}
        >
          {t(row.paused ? "flow.pause.confirm" : "flow.pause.pause")}
        </Button>
      ) : null}
      {row.can.edit ? (
        <Button
          variant="default"
          component={Link}
          to={`/flows/${row.id}/edit`}
          leftSection={<IconPencil size={16} aria-hidden />}
        >
          {t("flow.edit")}
        </Button>
      ) : null}
      {row.can.run ? (
        <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => setOpen("run")}>
          {t("flow.run.open")}
        </Button>
      ) : null}
      {dialog}
      {open === "run" ? <RunFlow flow={row} spec={spec} zone={zone} onClose={() => setOpen(null)} /> : null}
      {open === "backfill" ? (
        <BackfillDialog
          flowId={row.id}
          spec={spec}
          zone={zone}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null);
            setSearch({ tab: "backfills" }, { replace: true });
          }}
        />
      ) : null}
    </>
  );
}

function Tabs({ row }: { row: FlowRowFragment }) {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const tab: Tab = tabs.find((each) => each === search.get("tab")) ?? "runs";
  return (
    <section aria-label={t("flow.tab.label")}>
      <SegmentedControl
        mb="md"
        aria-label={t("flow.tab.label")}
        data={tabs.map((each) => ({ value: each, label: t(`flow.tab.${each}`) }))}
        value={tab}
        // The filters of one tab mean nothing to another.
        onChange={(next) => setSearch(next === "runs" ? {} : { tab: next }, { replace: true })}
      />
      {tab === "runs" ? <FlowRunList flowId={row.id} /> : null}
      {tab === "versions" ? <Versions flowId={row.id} mayEdit={row.can.edit} /> : null}
      {tab === "calendar" ? <Calendar flowId={row.id} paused={row.paused} /> : null}
      {tab === "backfills" ? <Backfills flowId={row.id} mayRun={row.can.run} /> : null}
    </section>
  );
}

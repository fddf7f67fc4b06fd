import { Button, SegmentedControl } from "@mantine/core";
import { IconPlayerStop, IconRepeat } from "@tabler/icons-react";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useSubscription } from "urql";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import { Elapsed, RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { FlowRunHeadFragment } from "~/gql/graphql";
import { formatDuration } from "~/lib/format";
import { useLive } from "~/lib/live";
import { asSpec } from "~/modules/flow/spec";
import { useFlowRunActions } from "~/modules/flowrun/actions";
import { DeleteFlowRun } from "~/modules/flowrun/flow-run-delete";
import { FlowRunFacts } from "~/modules/flowrun/flow-run-facts";
import { flowRunHeadFragment } from "~/modules/flowrun/fragments";
import { GanttView } from "~/modules/flowrun/gantt-view";
import { History } from "~/modules/flowrun/history";
import { flowRunEnded, flowRunTones } from "~/modules/flowrun/state";
import { StepPanel } from "~/modules/flowrun/step-panel";
import { ReasonNotice } from "~/modules/reason/reason";
import classes from "./flow-run-view.module.css";
import { clockText } from "~/modules/flow/zoned";

// The graph's library is large: it comes with the first graph.
const RunGraph = lazy(() => import("~/modules/flowrun/run-graph"));

const runQuery = graphql(`
  query FlowRun($id: ID!) {
    flowRun(id: $id) {
      ...FlowRunRow
      ...FlowRunHead
      spec
      parameters
      owner {
        id
        displayName
      }
      flow {
        id
        name
        lastRuns(last: 30) {
          id
          localTime
        }
      }
    }
  }
`);

const runChanged = graphql(`
  subscription FlowRunChanged($id: ID!) {
    flowRunChanged(id: $id) {
      ...FlowRunRow
      ...FlowRunHead
    }
  }
`);

const tabs = ["graph", "timeline", "history"] as const;

export function FlowRunView({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: runQuery, variables: { id } });
  useSubscription({ query: runChanged, variables: { id }, pause: !data?.flowRun });
  const [search, setSearch] = useSearchParams();
  const [tab, setTab] = useState<string>("graph");
  const run = data?.flowRun;
  const tasks = useMemo(
    () =>
      asSpec(run?.spec).tasks.map((task) => ({
        name: task.name,
        needs: task.needs ?? [],
        executor: task.executor,
      })),
    [run?.spec],
  );
  const choose = useCallback(
    (name: string | null) => {
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (name === null) next.delete("step");
          else next.set("step", name);
          return next;
        },
        { replace: true },
      );
    },
    [setSearch],
  );

  if (loading) {
    return (
      <Page title={t("state.loading")} parent={{ to: "/flows", label: t("frame.flows") }}>
        <Columns main={<SkeletonBlock height={480} />} side={<SkeletonBlock height={360} />} />
      </Page>
    );
  }
  if (!run) {
    return (
      <Page title={t("flowRun.one")} parent={{ to: "/flows", label: t("frame.flows") }}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("flowRun.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  const head = readFragment(flowRunHeadFragment, run);
  const wanted = search.get("step");
  const step = head.steps.find((each) => each.name === wanted);
  const selected = step?.name ?? null;

  return (
    <Page
      title={`${run.flow.name} · ${clockText(head.localTime)}`}
      parent={{ to: `/flows/${run.flow.id}`, label: run.flow.name }}
      subtitle={<Sentence head={head} />}
      actions={<HeadActions head={head} flow={run.flow} />}
    >
      <div className={classes.beside} data-open={step ? true : undefined}>
        <div className={classes.column}>
          {head.reason ? <ReasonNotice reason={head.reason} tone={flowRunTones[head.state]} /> : null}
          <Panel
            title={t(`flowRun.tab.${tabs.find((each) => each === tab) ?? "graph"}`)}
            flush
            aside={
              <SegmentedControl
                size="xs"
                aria-label={t("flow.tab.label")}
                data={tabs.map((each) => ({ value: each, label: t(`flowRun.tab.${each}`) }))}
                value={tab}
                onChange={setTab}
              />
            }
          >
            {tab === "graph" ? (
              <Suspense fallback={<SkeletonBlock height={460} />}>
                <RunGraph tasks={tasks} steps={head.steps} selected={selected} onSelect={choose} />
              </Suspense>
            ) : tab === "timeline" ? (
              <GanttView
                steps={head.steps}
                startedAt={head.startedAt}
                selected={selected}
                onSelect={choose}
              />
            ) : (
              <History id={id} version={head.version} />
            )}
          </Panel>
          <FlowRunFacts
            head={head}
            flow={run.flow}
            owner={run.owner.displayName}
            parameters={run.parameters}
          />
        </div>
        {step ? (
          <StepPanel
            key={step.id}
            flowRunId={id}
            step={step}
            mayRerun={head.can.rerun}
            onClose={() => choose(null)}
          />
        ) : null}
      </div>
    </Page>
  );
}

/** One sentence: what it does or how it ended, how long it took, how late it was, and who stopped it. */
function Sentence({ head }: { head: FlowRunHeadFragment }) {
  const { t } = useTranslation();
  const ended = flowRunEnded(head.state);
  return (
    <>
      <StateMark large tone={flowRunTones[head.state]} label={t(`flowRun.state.${head.state}`)} />
      {head.startedAt ? (
        <span>
          {ended ? t("run.took") : t("run.runningFor")} <Elapsed from={head.startedAt} to={head.endedAt} />
        </span>
      ) : null}
      {head.lateness && head.lateness >= 60 ? (
        <span>{t("flowRun.late", { span: formatDuration(head.lateness, t) })}</span>
      ) : null}
      {head.stoppedBy ? <span>{t("run.stoppedBy", { name: head.stoppedBy.displayName })}</span> : null}
      {head.endedAt ? <RelativeTime at={head.endedAt} /> : null}
    </>
  );
}

function HeadActions({ head, flow }: { head: FlowRunHeadFragment; flow: { id: string } }) {
  const { t } = useTranslation();
  const { stop, rerun, busy } = useFlowRunActions(head.id);
  const ended = flowRunEnded(head.state);
  const failed = ended && head.steps.some((step) => step.state !== "SUCCEEDED" && step.state !== "SKIPPED");
  return (
    <>
      {head.can.delete ? <DeleteFlowRun id={head.id} name={head.localTime} flowId={flow.id} /> : null}
      {head.can.stop && !ended ? (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          disabled={busy}
          onClick={() => void stop()}
        >
          {t("flowRun.stop")}
        </Button>
      ) : null}
      {head.can.rerun && ended ? (
        <>
          <Button variant="default" disabled={busy} onClick={() => void rerun("ALL")}>
            {t("flowRun.rerunAll")}
          </Button>
          {failed ? (
            <Button
              leftSection={<IconRepeat size={16} aria-hidden />}
              disabled={busy}
              onClick={() => void rerun("FAILED")}
            >
              {t("flowRun.rerunFailed")}
            </Button>
          ) : null}
        </>
      ) : null}
    </>
  );
}

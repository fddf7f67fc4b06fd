import { Button, CloseButton, SegmentedControl, Select } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { StateMark } from "~/components/state-mark";
import { Elapsed, RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { FlowRunHeadFragment, StepDetailFragment } from "~/gql/graphql";
import { useLive } from "~/lib/live";
import { useFlowRunActions } from "~/modules/flowrun/actions";
import { stepEnded, stepTones } from "~/modules/flowrun/state";
import { LogRemoved } from "~/modules/log/log-removed";
import { LogView } from "~/modules/log/log-view";
import { ReasonNotice } from "~/modules/reason/reason";
import { isEnded } from "~/modules/run/state";
import classes from "./step-panel.module.css";

const detailFragment = graphql(`
  fragment StepDetail on Step {
    id
    outputs
    with
    runs {
      id
      name
      state
      can {
        rerun
      }
      attempts {
        id
        number
        state
        exitCode
        log {
          lines
          complete
          truncated
          removedAt
          keptDays
        }
      }
    }
  }
`);

const stepQuery = graphql(`
  query FlowRunStep($id: ID!) {
    node(id: $id) {
      kind: __typename
      ... on Step {
        ...StepDetail
      }
    }
  }
`);

type StepHead = FlowRunHeadFragment["steps"][number];

interface StepPanelProps {
  flowRunId: string;
  step: StepHead;
  mayRerun: boolean;
  onClose: () => void;
}

/** One step: why it is as it is, what can be done, its log, what it was told and what it gave. */
export function StepPanel({ flowRunId, step, mayRerun, onClose }: StepPanelProps) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: stepQuery, variables: { id: step.id } });
  // The subscription tells that it changed; what it was told and its attempts are read anew then.
  const sign = `${step.state} ${step.round} ${step.startedAt ?? ""}`;
  const seen = useRef(sign);
  useEffect(() => {
    if (seen.current === sign) return;
    seen.current = sign;
    reload();
  }, [sign, reload]);
  const node = data?.node?.kind === "Step" ? data.node : null;
  const detail = readFragment(detailFragment, node);
  return (
    <section className={classes.panel} aria-label={t("flowRun.stepOf", { name: step.name })}>
      <header className={classes.head}>
        <div className={classes.title}>
          <h2>{step.name}</h2>
          <div className={classes.state}>
            <StateMark tone={stepTones[step.state]} label={t(`flowRun.step.${step.state}`)} />
            {step.startedAt ? <Elapsed from={step.startedAt} to={step.endedAt} /> : null}
            {step.round > 1 ? <span>{t("flowRun.round", { n: step.round })}</span> : null}
            {step.state === "WAITING_INPUTS" && step.polls > 0 ? (
              <span>{t("flowRun.polls", { count: step.polls })}</span>
            ) : null}
            {step.nextPollAt && !stepEnded(step.state) ? (
              <span>
                {t("flowRun.nextPoll")} <RelativeTime at={step.nextPollAt} />
              </span>
            ) : null}
          </div>
        </div>
        <CloseButton aria-label={t("action.close")} onClick={onClose} />
      </header>
      <div className={classes.body}>
        {step.reason ? <ReasonNotice reason={step.reason} tone={stepTones[step.state]} /> : null}
        {mayRerun ? <StepActions flowRunId={flowRunId} step={step} /> : null}
      </div>
      {loading ? (
        <SkeletonBlock height={320} />
      ) : detail ? (
        <StepBody detail={detail} />
      ) : fault ? (
        <Failed fault={fault} retry={reload} />
      ) : null}
    </section>
  );
}

function StepActions({ flowRunId, step }: { flowRunId: string; step: StepHead }) {
  const { t } = useTranslation();
  const { rerunFrom, mark, busy } = useFlowRunActions(flowRunId);
  const good = step.state === "SUCCEEDED" || step.state === "SKIPPED";
  return (
    <div className={classes.buttons}>
      {stepEnded(step.state) ? (
        <Button size="xs" variant="default" disabled={busy} onClick={() => void rerunFrom(step.name)}>
          {t("flowRun.rerunFrom")}
        </Button>
      ) : null}
      {good ? null : (
        <>
          <Button
            size="xs"
            variant="default"
            disabled={busy}
            onClick={() => void mark(step.name, "SUCCEEDED")}
          >
            {t("flowRun.markSucceeded")}
          </Button>
          <Button size="xs" variant="default" disabled={busy} onClick={() => void mark(step.name, "SKIPPED")}>
            {t("flowRun.markSkipped")}
          </Button>
        </>
      )}
    </div>
  );
}

function StepBody({ detail }: { detail: StepDetailFragment }) {
  const { t } = useTranslation();
  const outputs = Object.keys(detail.outputs).length > 0;
  const views = [
    ...(detail.runs.length > 0 ? (["log"] as const) : []),
    ...(outputs ? (["outputs"] as const) : []),
    ...(detail.with ? (["told"] as const) : []),
  ];
  const [view, setView] = useState<string | null>(null);
  const shown = views.find((each) => each === view) ?? views[0];
  if (!shown) return null;
  return (
    <>
      {views.length > 1 ? (
        <div className={classes.logHead}>
          <SegmentedControl
            size="xs"
            aria-label={t("flowRun.view.label")}
            data={views.map((each) => ({ value: each, label: t(`flowRun.view.${each}`) }))}
            value={shown}
            onChange={setView}
          />
        </div>
      ) : null}
      {shown === "log" ? (
        <StepLog runs={detail.runs} />
      ) : (
        <div className={classes.body}>
          <pre className={classes.json} tabIndex={0} role="region" aria-label={t(`flowRun.view.${shown}`)}>
            {JSON.stringify(shown === "outputs" ? detail.outputs : detail.with, null, 2)}
          </pre>
        </div>
      )}
    </>
  );
}

/** The log of an attempt: the newest of the newest round, until another is chosen. */
function StepLog({ runs }: { runs: StepDetailFragment["runs"] }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string | null>(null);
  const all = runs.flatMap((run, i) =>
    run.attempts.toReversed().map((attempt) => ({ run, attempt, round: runs.length - i })),
  );
  const shown = all.find((each) => each.attempt.id === chosen) ?? all[0];
  if (!shown) return <p className={classes.body}>{t("log.waiting")}</p>;
  return (
    <div className={classes.log}>
      <div className={classes.logHead}>
        {all.length > 1 ? (
          <Select
            size="xs"
            aria-label={t("run.attempts")}
            data={all.map(({ attempt, round }) => ({
              value: attempt.id,
              label: [
                ...(runs.length > 1 ? [t("flowRun.round", { n: round })] : []),
                t("run.attempt", { n: attempt.number }),
                t(`run.attemptState.${attempt.state}`),
              ].join(" · "),
            }))}
            value={shown.attempt.id}
            onChange={setChosen}
            allowDeselect={false}
          />
        ) : null}
        {shown.attempt.exitCode === null || shown.attempt.exitCode === undefined ? null : (
          <span className="soft" data-exit-code={shown.attempt.exitCode}>
            {t("run.exitCode", { code: shown.attempt.exitCode })}
          </span>
        )}
        <Link to={`/runs/${shown.run.id}`}>{t("flowRun.openRun")}</Link>
        {shown.run.can.rerun && isEnded(shown.run.state) && shown.run.state !== "SUCCEEDED" ? (
          <Link to={`/instances/new?from=${shown.run.id}`}>{t("run.openInstance")}</Link>
        ) : null}
      </div>
      {shown.attempt.log.removedAt ? (
        <LogRemoved at={shown.attempt.log.removedAt} days={shown.attempt.log.keptDays} />
      ) : (
        <LogView
          key={shown.attempt.id}
          attemptId={shown.attempt.id}
          lines={shown.attempt.log.lines}
          truncated={shown.attempt.log.truncated}
        />
      )}
    </div>
  );
}

import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import { Elapsed } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { ComparedRunFragment, StepState } from "~/gql/graphql";
import { formatDuration } from "~/lib/format";
import { useLive } from "~/lib/live";
import { ChangeList } from "~/modules/flow/change-list";
import { pairSteps, pairValues } from "~/modules/flowrun/compare";
import { flowRunTones, stepTones } from "~/modules/flowrun/state";
import { ReasonLine } from "~/modules/reason/reason";
import classes from "./compare-view.module.css";
import { clockText } from "~/modules/flow/zoned";

const comparedFragment = graphql(`
  fragment ComparedRun on FlowRun {
    id
    number
    state
    cause
    localTime
    lateness
    startedAt
    endedAt
    parameters
    reason {
      ...ReasonText
    }
    flow {
      id
      name
    }
    steps {
      id
      name
      state
      startedAt
      endedAt
    }
  }
`);

const compareQuery = graphql(`
  query CompareFlowRuns($left: ID!, $right: ID!) {
    left: flowRun(id: $left) {
      ...ComparedRun
    }
    right: flowRun(id: $right) {
      ...ComparedRun
    }
  }
`);

const changesQuery = graphql(`
  query ComparedVersions($id: ID!, $number: Int!, $from: Int!) {
    flow(id: $id) {
      id
      version(number: $number) {
        id
        changes(from: $from) {
          ...FlowChangeItem
        }
      }
    }
  }
`);

/** Two runs of a flow side by side: the other at the left, this one at the right. */
export function CompareView({ id, other }: { id: string; other: string }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({
    query: compareQuery,
    variables: { left: other, right: id },
  });
  const parent = { to: `/flow-runs/${id}`, label: t("flowRun.one") };
  const left = readFragment(comparedFragment, data?.left);
  const right = readFragment(comparedFragment, data?.right);
  if (loading) {
    return (
      <Page title={t("flowRun.compare.title")} parent={parent}>
        <SkeletonBlock height={480} />
      </Page>
    );
  }
  if (!left || !right) {
    return (
      <Page title={t("flowRun.compare.title")} parent={parent}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("flowRun.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  return (
    <Page
      title={t("flowRun.compare.title")}
      parent={{ to: `/flow-runs/${id}`, label: `${right.flow.name} · ${clockText(right.localTime)}` }}
    >
      <Stack gap="md">
        <Panel title={t("flowRun.compare.runs")} flush>
          <Heads left={left} right={right} />
        </Panel>
        <Panel title={t("flowRun.compare.steps")} flush>
          <Steps left={left} right={right} />
        </Panel>
        <Panel title={t("flow.parameters")} flush>
          <Parameters left={left} right={right} />
        </Panel>
        <Panel title={t("flowRun.compare.versions")}>
          {left.flow.id !== right.flow.id ? (
            <p className="soft">{t("flowRun.compare.otherFlow")}</p>
          ) : left.number === right.number ? (
            <p className="soft">{t("flowRun.compare.sameVersion", { number: right.number })}</p>
          ) : (
            <VersionDiff flowId={right.flow.id} from={left.number} number={right.number} />
          )}
        </Panel>
      </Stack>
    </Page>
  );
}

interface Both {
  left: ComparedRunFragment;
  right: ComparedRunFragment;
}

interface TableProps extends Both {
  first: string;
  /** Over a column beside the two runs. */
  last?: string;
  children: ReactNode;
}

function Table({ left, right, first, last, children }: TableProps) {
  return (
    <div className={classes.scroll} role="region" aria-label={first} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {[left, right].map((run) => (
              <th key={run.id} scope="col">
                <Link to={`/flow-runs/${run.id}`}>{clockText(run.localTime)}</Link>
              </th>
            ))}
            {last === undefined ? null : <th scope="col">{last}</th>}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Heads({ left, right }: Both) {
  const { t } = useTranslation();
  const row = (name: string, of: (run: ComparedRunFragment) => ReactNode): ReactNode => (
    <tr>
      <th scope="row">{name}</th>
      <td>{of(left)}</td>
      <td>{of(right)}</td>
    </tr>
  );
  return (
    <Table left={left} right={right} first={t("flowRun.compare.runs")}>
      {row(t("filter.state"), (run) => (
        <>
          <StateMark tone={flowRunTones[run.state]} label={t(`flowRun.state.${run.state}`)} />
          {run.reason ? (
            <div className="soft">
              <ReasonLine reason={run.reason} />
            </div>
          ) : null}
        </>
      ))}
      {row(t("flowRun.duration"), (run) =>
        run.startedAt ? <Elapsed from={run.startedAt} to={run.endedAt} /> : "–",
      )}
      {row(t("flowRun.lateness"), (run) => (run.lateness ? formatDuration(run.lateness, t) : "–"))}
      {row(t("flowRun.causeLabel"), (run) => t(`flowRun.cause.${run.cause}`))}
      {row(t("flow.facts.version"), (run) => `v${run.number}`)}
    </Table>
  );
}

function Steps({ left, right }: Both) {
  const { t } = useTranslation();
  const cell = (side: { state: StepState; seconds: number | null } | null): ReactNode =>
    side ? (
      <>
        <StateMark tone={stepTones[side.state]} label={t(`flowRun.step.${side.state}`)} />
        {side.seconds === null ? null : (
          <span className={classes.seconds}>{formatDuration(side.seconds, t)}</span>
        )}
      </>
    ) : (
      "–"
    );
  return (
    <Table left={left} right={right} first={t("flow.grid.task")} last={t("flowRun.compare.delta")}>
      {pairSteps(left.steps, right.steps).map((pair) => (
        <tr key={pair.name} data-differs={pair.differs || undefined}>
          <th scope="row">{pair.name}</th>
          <td>{cell(pair.left)}</td>
          <td>{cell(pair.right)}</td>
          <td>
            {pair.delta === null || Math.abs(pair.delta) < 1
              ? ""
              : `${pair.delta > 0 ? "+" : "−"}${formatDuration(Math.abs(pair.delta), t)}`}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Parameters({ left, right }: Both) {
  const { t } = useTranslation();
  const pairs = pairValues(left.parameters, right.parameters);
  return (
    <Table left={left} right={right} first={t("flow.parameters")}>
      {pairs.map((pair) => (
        <tr key={pair.name} data-differs={pair.left !== pair.right || undefined}>
          <th scope="row">{pair.name}</th>
          <td className="mono">{pair.left ?? "–"}</td>
          <td className="mono">{pair.right ?? "–"}</td>
        </tr>
      ))}
    </Table>
  );
}

function VersionDiff({ flowId, from, number }: { flowId: string; from: number; number: number }) {
  const { data, fault, reload } = useLive({ query: changesQuery, variables: { id: flowId, number, from } });
  const changes = data?.flow?.version?.changes;
  if (changes) return <ChangeList changes={changes} />;
  return fault ? <Failed fault={fault} retry={reload} /> : <SkeletonBlock height={80} />;
}

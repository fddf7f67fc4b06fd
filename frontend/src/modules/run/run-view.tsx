import { Button } from "@mantine/core";
import { IconBug, IconCalendarPlus, IconPlayerStop, IconRepeat } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useSubscription } from "urql";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { StateIcon, StateMark } from "~/components/state-mark";
import { Elapsed, RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { RunHeadFragment } from "~/gql/graphql";
import { useLive } from "~/lib/live";
import { EventList } from "~/modules/event/event-list";
import { LogRemoved } from "~/modules/log/log-removed";
import { LogView } from "~/modules/log/log-view";
import { PhaseTimeline } from "~/modules/reason/phase-timeline";
import { ReasonNotice } from "~/modules/reason/reason";
import { useRunActions } from "~/modules/run/actions";
import { DeleteRun } from "~/modules/run/run-delete";
import { RunFacts } from "~/modules/run/run-facts";
import { attemptTones, isEnded, runReasonTone, runTones } from "~/modules/run/state";
import classes from "./run-view.module.css";

const headFragment = graphql(`
  fragment RunHead on Run {
    id
    name
    state
    version
    createdAt
    startedAt
    endedAt
    reason {
      ...ReasonText
    }
    step
    stoppedBy {
      id
      displayName
    }
    attempts {
      id
      number
      state
      exitCode
      imageDigest
      node
      job
      createdAt
      startedAt
      endedAt
      reason {
        ...ReasonText
      }
      timeline {
        ...PhaseItem
      }
      log {
        lines
        complete
        truncated
        removedAt
        keptDays
      }
    }
    can {
      stop
      rerun
    }
  }
`);

const runQuery = graphql(`
  query Run($id: ID!) {
    run(id: $id) {
      ...RunRow
      ...RunHead
      ...RunFacts
      events(first: 50) {
        nodes {
          ...EventItem
        }
      }
    }
  }
`);

const runChanged = graphql(`
  subscription RunChanged($id: ID!) {
    runChanged(id: $id) {
      ...RunRow
      ...RunHead
      ...RunFacts
    }
  }
`);

export function RunView({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: runQuery, variables: { id } });
  useSubscription({ query: runChanged, variables: { id }, pause: !data?.run });
  const [search, setSearch] = useSearchParams();
  const parent = { to: "/runs", label: t("frame.runs") };

  if (loading) {
    return (
      <Page title={t("state.loading")} parent={parent}>
        <Columns main={<SkeletonBlock height={480} />} side={<SkeletonBlock height={360} />} />
      </Page>
    );
  }
  const run = data?.run;
  if (!run) {
    return (
      <Page title={t("run.one")} parent={parent}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("run.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  const head = readFragment(headFragment, run);
  // `?attempt=` makes a link to an earlier attempt; without it the latest is shown.
  const wanted = Number(search.get("attempt"));
  const attempt = head.attempts.find((each) => each.number === wanted) ?? head.attempts.at(-1);
  const choose = (number: number): void => {
    const next = new URLSearchParams(search);
    if (number === head.attempts.at(-1)?.number) next.delete("attempt");
    else next.set("attempt", String(number));
    setSearch(next, { replace: true });
  };

  return (
    <Page
      title={head.name}
      parent={parent}
      subtitle={<StateSentence head={head} />}
      actions={<HeadActions head={head} />}
    >
      <Columns
        main={
          <>
            <Why head={head} attempt={attempt} />
            {attempt && attempt.timeline.length > 0 ? (
              <Panel title={t("phase.start")}>
                <PhaseTimeline
                  phases={attempt.timeline}
                  outcome={attempt.state === "FAILED" || attempt.state === "TIMED_OUT" ? "failed" : "going"}
                  ended={attempt.endedAt !== null && attempt.endedAt !== undefined}
                  endedAt={attempt.endedAt}
                  last={{ name: "ready", label: t("phase.running") }}
                />
              </Panel>
            ) : null}
            <Panel
              title={t("log.title")}
              flush
              aside={
                head.attempts.length > 1 ? (
                  <Attempts head={head} current={attempt?.number} choose={choose} />
                ) : null
              }
            >
              {attempt?.log.removedAt ? (
                <LogRemoved at={attempt.log.removedAt} days={attempt.log.keptDays} />
              ) : attempt ? (
                <LogView
                  key={attempt.id}
                  attemptId={attempt.id}
                  lines={attempt.log.lines}
                  truncated={attempt.log.truncated}
                />
              ) : (
                <SkeletonBlock height={360} />
              )}
            </Panel>
          </>
        }
        side={
          <>
            <RunFacts
              run={run}
              job={attempt?.job ?? ""}
              node={attempt?.node ?? ""}
              imageDigest={attempt?.imageDigest ?? ""}
            />
            <Panel title={t("event.title")}>
              <EventList subjectId={id} events={run.events.nodes} />
            </Panel>
          </>
        }
      />
    </Page>
  );
}

function Why({
  head,
  attempt,
}: {
  head: RunHeadFragment;
  attempt: RunHeadFragment["attempts"][number] | undefined;
}) {
  const latest = attempt?.number === head.attempts.at(-1)?.number;
  const reason = latest ? (head.reason ?? attempt?.reason) : attempt?.reason;
  if (!reason || !attempt) return null;
  return (
    <ReasonNotice reason={reason} tone={latest ? runReasonTone(head.state) : attemptTones[attempt.state]} />
  );
}

/** One sentence: what it does or how it ended, how long it took, and who stopped it. */
function StateSentence({ head }: { head: RunHeadFragment }) {
  const { t } = useTranslation();
  const exitCode = head.attempts.at(-1)?.exitCode;
  const ended = isEnded(head.state);
  return (
    <>
      <StateMark large tone={runTones[head.state]} label={t(`run.state.${head.state}`)} />
      {ended && exitCode !== null && exitCode !== undefined ? (
        <span data-exit-code={exitCode}>{t("run.exitCode", { code: exitCode })}</span>
      ) : null}
      {head.startedAt ? (
        <span>
          {ended ? t("run.took") : t("run.runningFor")} <Elapsed from={head.startedAt} to={head.endedAt} />
        </span>
      ) : null}
      {head.stoppedBy ? <span>{t("run.stoppedBy", { name: head.stoppedBy.displayName })}</span> : null}
      {head.endedAt ? <RelativeTime at={head.endedAt} /> : null}
    </>
  );
}

function HeadActions({ head }: { head: RunHeadFragment }) {
  const { t } = useTranslation();
  const { stop, rerun, busy } = useRunActions(head.id);
  return (
    <>
      {isEnded(head.state) && head.can.rerun ? <DeleteRun id={head.id} name={head.name} /> : null}
      {head.can.stop ? (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          disabled={busy}
          onClick={() => void stop()}
        >
          {t("run.stop")}
        </Button>
      ) : null}
      {head.can.rerun && head.step === "" ? (
        <Button
          variant="default"
          component={Link}
          to={`/flows/new?from=${head.id}`}
          leftSection={<IconCalendarPlus size={16} aria-hidden />}
        >
          {t("run.schedule")}
        </Button>
      ) : null}
      {head.can.rerun && isEnded(head.state) && head.state !== "SUCCEEDED" ? (
        <Button
          variant="default"
          component={Link}
          to={`/instances/new?from=${head.id}`}
          leftSection={<IconBug size={16} aria-hidden />}
        >
          {t("run.openInstance")}
        </Button>
      ) : null}
      {head.can.rerun ? (
        <Button
          leftSection={<IconRepeat size={16} aria-hidden />}
          disabled={busy}
          onClick={() => void rerun()}
        >
          {t("run.rerun")}
        </Button>
      ) : null}
    </>
  );
}

interface AttemptsProps {
  head: RunHeadFragment;
  current: number | undefined;
  choose: (number: number) => void;
}

function Attempts({ head, current, choose }: AttemptsProps) {
  const { t } = useTranslation();
  return (
    <div className={classes.attempts} role="group" aria-label={t("run.attempts")}>
      {head.attempts.map((attempt) => (
        <button
          key={attempt.id}
          type="button"
          className={classes.attempt}
          aria-pressed={attempt.number === current}
          title={t(`run.attemptState.${attempt.state}`)}
          onClick={() => choose(attempt.number)}
        >
          <StateIcon tone={attemptTones[attempt.state]} size={14} />
          {t("run.attempt", { n: attempt.number })}
        </button>
      ))}
    </div>
  );
}

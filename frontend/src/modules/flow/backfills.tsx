import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import type { Tone } from "~/components/tone";
import { graphql, readFragment } from "~/gql";
import type { BackfillState } from "~/gql/graphql";
import { useAction, useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { AskDialog } from "~/modules/volume/ask-dialog";
import classes from "./backfills.module.css";

const backfillFragment = graphql(`
  fragment BackfillItem on Backfill {
    id
    number
    total
    started
    parallel
    state
    createdAt
    endedAt
    actor {
      id
      displayName
    }
  }
`);

const backfillsQuery = graphql(`
  query Backfills($flowId: ID!) {
    backfills(flowId: $flowId) {
      ...BackfillItem
    }
  }
`);

const cancelMutation = graphql(`
  mutation CancelBackfill($id: ID!, $stopRuns: Boolean!) {
    cancelBackfill(id: $id, stopRuns: $stopRuns) {
      backfill {
        ...BackfillItem
      }
    }
  }
`);

const tones: Record<BackfillState, Tone> = { RUNNING: "working", DONE: "good", CANCELLED: "stopped" };

const pollMs = 5_000;

/** Ranges that were or are run afterwards, how far they are, and the way to end them. */
export function Backfills({ flowId, mayRun }: { flowId: string; mayRun: boolean }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: backfillsQuery, variables: { flowId } });
  const [ending, setEnding] = useState<string | null>(null);
  usePoll(reload, pollMs); // no subscription tells of backfills
  if (loading) return <SkeletonBlock height={120} />;
  if (!data) return fault ? <Failed fault={fault} retry={reload} /> : null;
  const all = readFragment(backfillFragment, data.backfills);
  if (all.length === 0) return <p className="soft">{t("flow.backfill.none")}</p>;
  return (
    <>
      <ul className={classes.list} aria-label={t("flow.tab.backfills")}>
        {all.map((one) => {
          const progress = t("flow.backfill.progress", { started: one.started, total: one.total });
          return (
            <li key={one.id} className={classes.backfill}>
              <span>
                <StateMark tone={tones[one.state]} label={t(`flow.backfill.state.${one.state}`)} />
                <span className="soft">
                  {one.actor?.displayName} <RelativeTime at={one.createdAt} />
                </span>
              </span>
              <span>
                <span className="soft">{progress}</span>
                <div
                  className={classes.track}
                  role="progressbar"
                  aria-label={progress}
                  aria-valuemin={0}
                  aria-valuemax={one.total}
                  aria-valuenow={one.started}
                >
                  <div
                    className={classes.done}
                    style={{ width: `${one.total > 0 ? (100 * one.started) / one.total : 0}%` }}
                  />
                </div>
              </span>
              {mayRun && one.state === "RUNNING" ? (
                <Button size="xs" variant="default" onClick={() => setEnding(one.id)}>
                  {t("flow.backfill.cancel")}
                </Button>
              ) : null}
            </li>
          );
        })}
      </ul>
      {ending === null ? null : <CancelBackfill id={ending} onClose={() => setEnding(null)} />}
    </>
  );
}

function CancelBackfill({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [stopRuns, setStopRuns] = useState(false);
  const [cancel] = useAction(cancelMutation);
  return (
    <AskDialog
      title={t("flow.backfill.cancelTitle")}
      submit={t("flow.backfill.cancelConfirm")}
      onClose={onClose}
      ask={async () => {
        const { fault } = await cancel({ id, stopRuns });
        if (!fault) onClose();
        return fault;
      }}
    >
      <p>{t("flow.backfill.cancelText")}</p>
      <Checkbox
        label={t("flow.backfill.stopRuns")}
        checked={stopRuns}
        onChange={(event) => setStopRuns(event.currentTarget.checked)}
      />
    </AskDialog>
  );
}

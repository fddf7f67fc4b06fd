import { NumberInput, Radio, Stack, Switch } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { graphql } from "~/gql";
import { useAction, useLive } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";
import { FireTimes } from "~/modules/flow/fire-times";
import { AskDialog } from "~/modules/volume/ask-dialog";

const pauseMutation = graphql(`
  mutation PauseFlow($id: ID!) {
    pauseFlow(id: $id) {
      flow {
        ...FlowRow
      }
    }
  }
`);

const unpauseMutation = graphql(`
  mutation UnpauseFlow($id: ID!, $catchUp: Int!) {
    unpauseFlow(id: $id, catchUp: $catchUp) {
      flow {
        ...FlowRow
      }
    }
  }
`);

const previewQuery = graphql(`
  query PreviewUnpause($id: ID!) {
    previewUnpause(id: $id) {
      missed
      times {
        ...FireTime
      }
      next {
        ...FireTime
      }
    }
  }
`);

// Where the server stops counting.
const mostCounted = 10_000;

interface PauseState {
  /** Pauses at once; unpausing asks first. */
  toggle: () => void;
  busy: boolean;
  dialog: React.ReactNode;
}

/** Pausing and unpausing a flow, with the question that unpausing needs (P62). */
export function usePause(flow: { id: string; name: string; paused: boolean }): PauseState {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const [pause, busy] = useAction(pauseMutation);
  const stop = async (): Promise<void> => {
    const { fault } = await pause({ id: flow.id });
    if (fault) notifyFault(fault, t);
    else notifyDone(t("flow.pause.done", { name: flow.name }));
  };
  return {
    toggle: () => {
      if (flow.paused) setAsking(true);
      else void stop();
    },
    busy,
    dialog: asking ? <Unpause id={flow.id} name={flow.name} onClose={() => setAsking(false)} /> : null,
  };
}

/** On: it fires by itself. */
export function PauseSwitch({ flow }: { flow: { id: string; name: string; paused: boolean } }) {
  const { t } = useTranslation();
  const { toggle, busy, dialog } = usePause(flow);
  return (
    <>
      <Switch
        aria-label={t("flow.switch", { name: flow.name })}
        checked={!flow.paused}
        disabled={busy}
        onChange={toggle}
      />
      {dialog}
    </>
  );
}

/** Lists what passed meanwhile, and starts none of it unless told to. */
export function Unpause({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { data, fault, reload } = useLive({ query: previewQuery, variables: { id } });
  const [way, setWay] = useState<"none" | "some">("none");
  const [count, setCount] = useState<number | string>(1);
  const [unpause] = useAction(unpauseMutation);
  const preview = data?.previewUnpause;
  const catchUp = way === "some" ? Math.round(Number(count)) : 0;
  return (
    <AskDialog
      title={t("flow.pause.title", { name })}
      submit={t("flow.pause.confirm")}
      disabled={!preview || (way === "some" && !(catchUp >= 1 && catchUp <= preview.missed))}
      onClose={onClose}
      ask={async () => {
        const result = await unpause({ id, catchUp });
        if (result.fault) return result.fault;
        notifyDone(t("flow.pause.undone", { name }));
        onClose();
        return undefined;
      }}
    >
      {preview ? (
        <>
          {preview.next ? (
            <FireTimes label={t("flow.pause.nextLabel")} fires={[preview.next]} />
          ) : (
            <p>{t("flow.pause.noNext")}</p>
          )}
          {preview.missed === 0 ? (
            <p>{t("flow.pause.noneMissed")}</p>
          ) : (
            <>
              <p>
                {preview.missed >= mostCounted
                  ? t("flow.pause.missedMany", { n: preview.missed })
                  : t("flow.pause.missed", { n: preview.missed, count: preview.missed })}
              </p>
              <FireTimes label={t("flow.pause.times")} fires={preview.times} total={preview.missed} />
              <Radio.Group
                label={t("flow.pause.what")}
                value={way}
                onChange={(value) => setWay(value === "some" ? "some" : "none")}
              >
                <Stack gap={8} mt={6}>
                  <Radio value="none" label={t("flow.pause.skip")} description={t("flow.pause.skipHint")} />
                  <Radio
                    value="some"
                    label={t("flow.pause.catchUp")}
                    description={t("flow.pause.catchUpHint")}
                  />
                </Stack>
              </Radio.Group>
              {way === "some" ? (
                <NumberInput
                  label={t("flow.pause.count")}
                  min={1}
                  max={preview.missed}
                  allowDecimal={false}
                  value={count}
                  onChange={setCount}
                />
              ) : null}
            </>
          )}
        </>
      ) : fault ? (
        <Failed fault={fault} retry={reload} />
      ) : (
        <SkeletonBlock height={120} />
      )}
    </AskDialog>
  );
}

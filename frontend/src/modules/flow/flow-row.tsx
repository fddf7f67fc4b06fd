import { useTranslation } from "react-i18next";
import { Row } from "~/components/row-list";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import { readFragment, type FragmentType } from "~/gql";
import { flowRowFragment } from "~/modules/flow/flow-row-fragment";
import { PauseSwitch } from "~/modules/flow/pause";
import { Sparks } from "~/modules/flow/sparks";
import { scheduleExpression, scheduleWords } from "~/modules/flow/words";

/** A flow as one line. */
export function FlowRow({ flow }: { flow: FragmentType<typeof flowRowFragment> }) {
  const { t, i18n } = useTranslation();
  const it = readFragment(flowRowFragment, flow);
  const words = scheduleWords(it.schedule, t, i18n.language);
  const expression = scheduleExpression(it.schedule, t, i18n.language);
  return (
    <Row
      to={`/flows/${it.id}`}
      name={it.name}
      mono={[it.description, ...it.tags.map((tag) => `#${tag}`)].filter(Boolean).join(" ")}
      state={<Sparks name={it.name} runs={it.lastRuns} />}
      detail={
        <span title={`${words} ${expression}`.trim()}>
          {words}
          {expression === "" ? null : <code> {expression}</code>}
        </span>
      }
      facts={[
        it.paused ? (
          <span key="next">{t("flow.row.paused")}</span>
        ) : it.overdue ? (
          <StateMark key="next" tone="attention" label={t("flow.row.overdue")} />
        ) : it.nextFireAt ? (
          <RelativeTime key="next" at={it.nextFireAt} />
        ) : (
          "–"
        ),
        it.owner.displayName,
      ]}
      actions={it.can.pause ? <PauseSwitch flow={it} /> : null}
    />
  );
}

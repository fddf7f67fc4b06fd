import { useTranslation } from "react-i18next";
import { Row } from "~/components/row-list";
import { StateMark } from "~/components/state-mark";
import { Elapsed, RelativeTime } from "~/components/time";
import { readFragment, type FragmentType } from "~/gql";
import { flowRunRowFragment } from "~/modules/flowrun/flow-run-row-fragment";
import { flowRunTones } from "~/modules/flowrun/state";
import { ReasonLine } from "~/modules/reason/reason";
import { clockText } from "~/modules/flow/zoned";

/** A run of a flow as one line: its logical time is its name. */
export function FlowRunRow({ run }: { run: FragmentType<typeof flowRunRowFragment> }) {
  const { t } = useTranslation();
  const it = readFragment(flowRunRowFragment, run);
  const cause = t(`flowRun.cause.${it.cause}`);
  return (
    <Row
      to={`/flow-runs/${it.id}`}
      name={clockText(it.localTime)}
      mono={t("flowRun.byVersion", { cause, number: it.number })}
      state={<StateMark tone={flowRunTones[it.state]} label={t(`flowRun.state.${it.state}`)} />}
      detail={it.reason ? <ReasonLine reason={it.reason} /> : null}
      facts={[
        it.startedAt ? <Elapsed key="took" from={it.startedAt} to={it.endedAt} /> : "–",
        it.actor?.displayName ?? "",
        <RelativeTime key="age" at={it.createdAt} />,
      ]}
    />
  );
}

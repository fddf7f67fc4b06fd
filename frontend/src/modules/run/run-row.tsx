import { ActionIcon, Tooltip } from "@mantine/core";
import { IconPlayerStop, IconRepeat } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Row } from "~/components/row-list";
import { StateMark } from "~/components/state-mark";
import { Elapsed, RelativeTime } from "~/components/time";
import { readFragment, type FragmentType } from "~/gql";
import { formatCommand } from "~/lib/command";
import { ReasonLine } from "~/modules/reason/reason";
import { useRunActions } from "~/modules/run/actions";
import { runRowFragment } from "~/modules/run/run-row-fragment";
import { runTones } from "~/modules/run/state";

/** A run as one line. */
export function RunRow({ run }: { run: FragmentType<typeof runRowFragment> }) {
  const { t } = useTranslation();
  const it = readFragment(runRowFragment, run);
  const { stop, rerun, busy } = useRunActions(it.id);
  const command = formatCommand([...it.task.command, ...it.task.args]);
  return (
    <Row
      to={`/runs/${it.id}`}
      name={it.name}
      mono={<span className="mono">{command}</span>}
      state={<StateMark tone={runTones[it.state]} label={t(`run.state.${it.state}`)} />}
      detail={it.reason ? <ReasonLine reason={it.reason} /> : null}
      facts={[
        it.startedAt ? <Elapsed key="took" from={it.startedAt} to={it.endedAt} /> : "–",
        it.owner.displayName,
        <RelativeTime key="age" at={it.createdAt} />,
      ]}
      actions={
        <>
          {it.can.rerun ? (
            <Tooltip label={t("run.rerun")}>
              <ActionIcon
                size={32}
                aria-label={t("run.rerunNamed", { name: it.name })}
                disabled={busy}
                onClick={() => void rerun()}
              >
                <IconRepeat size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          ) : null}
          {it.can.stop ? (
            <Tooltip label={t("run.stop")}>
              <ActionIcon
                size={32}
                aria-label={t("run.stopNamed", { name: it.name })}
                disabled={busy}
                onClick={() => void stop()}
              >
                <IconPlayerStop size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          ) : null}
        </>
      }
    />
  );
}

import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { toneColor } from "~/components/tone";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { flowRunTones } from "~/modules/flowrun/state";
import classes from "./sparks.module.css";
import { clockText } from "~/modules/flow/zoned";

export const sparkFragment = graphql(`
  fragment FlowSpark on FlowRun {
    id
    state
    localTime
  }
`);

/** The last runs as a row of ticks, the newest at the right; each leads to its run. */
export function Sparks({
  name,
  runs,
}: {
  name: string;
  runs: readonly FragmentType<typeof sparkFragment>[];
}) {
  const { t } = useTranslation();
  const all = readFragment(sparkFragment, runs);
  if (all.length === 0) return <span className="soft">{t("flow.noRuns")}</span>;
  return (
    <span className={classes.sparks} role="group" aria-label={t("flow.sparks", { name })}>
      {all.map((run) => {
        const label = t("flow.spark", {
          time: clockText(run.localTime),
          state: t(`flowRun.state.${run.state}`),
        });
        const tone = flowRunTones[run.state];
        return (
          // Ten of them in each row would be a long way for Tab: the flow's page has them, too.
          <Link
            key={run.id}
            to={`/flow-runs/${run.id}`}
            className={classes.spark}
            data-tone={tone}
            title={label}
            aria-label={label}
            tabIndex={-1}
          >
            <span style={{ background: toneColor(tone) }} />
          </Link>
        );
      })}
    </span>
  );
}

import { useTranslation } from "react-i18next";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment, type FragmentType } from "~/gql";
import classes from "./fire-times.module.css";
import { clockText } from "~/modules/flow/zoned";

export const fireFragment = graphql(`
  fragment FireTime on FlowFire {
    at
    local
    note
  }
`);

interface FireTimesProps {
  label: string;
  fires: readonly FragmentType<typeof fireFragment>[];
  /** How many there are, when the first and the last alone are listed. */
  total?: number;
}

/** Times of a schedule as its zone's clock shows them, with what a change of clocks did to them. */
export function FireTimes({ label, fires, total }: FireTimesProps) {
  return <FireLines label={label} fires={readFragment(fireFragment, fires)} total={total} />;
}

interface FireLinesProps {
  label: string;
  fires: readonly { at: string; local: string; note: string }[];
  total?: number | undefined;
}

/** The same for times that are read already. */
export function FireLines({ label, fires: all, total }: FireLinesProps) {
  const { t } = useTranslation();
  const hidden = (total ?? all.length) - all.length;
  // The server gives the first and the last: what is left out stands between them.
  const half = hidden > 0 ? Math.ceil(all.length / 2) : -1;
  return (
    <div>
      <p className={classes.label}>{label}</p>
      {/* It may scroll, so the keyboard must reach it. */}
      <div role="region" aria-label={label} tabIndex={0} className={classes.times}>
        {all.map((fire, i) => (
          <div key={fire.at} className={classes.time}>
            {i === half ? (
              <span className={classes.note}>{t("flow.fires.between", { n: hidden })}</span>
            ) : null}
            <span className="mono" title={fire.local}>
              {clockText(fire.local)}
            </span>
            <span className="soft">
              <RelativeTime at={fire.at} />
            </span>
            {fire.note === "" ? null : <span className={classes.note}>{fire.note}</span>}
          </div>
        ))}
      </div>
    </div>
  );
}

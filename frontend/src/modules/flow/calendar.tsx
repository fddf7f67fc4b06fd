import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import { useLive } from "~/lib/live";
import { byDay } from "~/modules/flow/days";
import { fireFragment } from "~/modules/flow/fire-times";
import classes from "./calendar.module.css";

const firesQuery = graphql(`
  query FlowFires($id: ID!, $first: Int!) {
    flowFires(id: $id, first: $first) {
      ...FireTime
    }
  }
`);

/** The next times at which a flow fires, day by day, as its zone's clock shows them. */
export function Calendar({ flowId, paused }: { flowId: string; paused: boolean }) {
  const { t, i18n } = useTranslation();
  const { data, fault, loading, reload } = useLive({
    query: firesQuery,
    variables: { id: flowId, first: 100 },
  });
  if (loading) return <SkeletonBlock height={200} />;
  if (!data) return fault ? <Failed fault={fault} retry={reload} /> : null;
  const fires = readFragment(fireFragment, data.flowFires);
  if (fires.length === 0) return <p className="soft">{t("flow.calendar.none")}</p>;
  return (
    <>
      {paused ? <p className="soft">{t("flow.calendar.paused")}</p> : null}
      <ol className={classes.days}>
        {byDay(fires).map((day) => (
          <li key={day.date} className={classes.day}>
            <h3 className={classes.date}>
              {new Intl.DateTimeFormat(i18n.language, {
                weekday: "short",
                day: "numeric",
                month: "short",
                timeZone: "UTC",
              }).format(new Date(`${day.date}T00:00Z`))}
            </h3>
            <ul className={classes.times}>
              {day.fires.map((fire, i) => (
                <li key={fire.at} className={classes.time}>
                  <span className="mono">{fire.clock}</span>
                  {i === 0 && day.first ? (
                    <span className="soft">
                      <RelativeTime at={fire.at} />
                    </span>
                  ) : null}
                  {fire.note === "" ? null : <span className={classes.note}>{fire.note}</span>}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </>
  );
}

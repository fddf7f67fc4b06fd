import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { graphql } from "~/gql";
import { formatClock, formatExact } from "~/lib/format";
import { useLive } from "~/lib/live";
import classes from "./history.module.css";

const historyQuery = graphql(`
  query FlowRunHistory($id: ID!) {
    flowRun(id: $id) {
      id
      transitions {
        id
        step
        round
        was
        becomes
        text
        at
        actor {
          id
          displayName
        }
      }
    }
  }
`);

/** Every change of state, with who or what did it; read anew when the run changes. */
export function History({ id, version }: { id: string; version: number }) {
  const { t, i18n } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: historyQuery, variables: { id } });
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current === version) return undefined;
    // Many steps change at once: one answer serves all.
    const timer = setTimeout(() => {
      seen.current = version;
      reload();
    }, 400);
    return () => clearTimeout(timer);
  }, [version, reload]);
  if (loading) return <SkeletonBlock height={300} />;
  if (!data?.flowRun) return fault ? <Failed fault={fault} retry={reload} /> : null;
  return (
    <div className={classes.history} role="region" aria-label={t("flowRun.tab.history")} tabIndex={0}>
      <ol>
        {data.flowRun.transitions.map((one) => {
          const at = new Date(one.at);
          return (
            <li key={one.id} className={classes.item}>
              <time className="soft" dateTime={one.at} title={formatExact(at, i18n.language)}>
                {formatClock(at)}
              </time>
              <span className="cut" title={one.step}>
                {one.step === "" ? t("flowRun.itself") : one.step}
                {one.round > 1 ? <span className="soft"> {t("flowRun.round", { n: one.round })}</span> : null}
              </span>
              <span>{one.text}</span>
              <span className="soft">{one.actor?.displayName}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

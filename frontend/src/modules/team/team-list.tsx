import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Meter, meterTone } from "~/components/meter";
import { StateIcon, StateMark } from "~/components/state-mark";
import { graphql } from "~/gql";
import type { TeamLineFragment } from "~/gql/graphql";
import { ReasonLine } from "~/modules/reason/reason";
import { resourceName, usedText, type QuotaResource } from "~/modules/team/amount";
import { teamTones } from "~/modules/team/state";
import classes from "./team-list.module.css";

export const teamLineFragment = graphql(`
  fragment TeamLine on Team {
    id
    name
    namespace
    state
    viewerRole
    reason {
      ...ReasonText
    }
    findings {
      code
    }
    quota {
      items {
        resource
        unit
        used
        requested
        limit
      }
    }
  }
`);

export const columns = ["cpu", "memory", "gpu", "storage"] as const satisfies readonly QuotaResource[];
export const orders = ["name", ...columns] as const;
export type TeamOrder = (typeof orders)[number];

/** How much of a limit is used; what has no limit comes last. */
function share(team: TeamLineFragment, resource: TeamOrder): number {
  const item = team.quota.items.find((each) => each.resource === resource);
  return item?.limit ? item.used / item.limit : -1;
}

/** By name, or the fullest first. */
export function sorted(teams: readonly TeamLineFragment[], by: TeamOrder): TeamLineFragment[] {
  return teams.toSorted(
    (a, b) => (by === "name" ? 0 : share(b, by) - share(a, by)) || a.name.localeCompare(b.name),
  );
}

/** Teams with what they use of what they may use. */
export function TeamList({ teams, to }: { teams: readonly TeamLineFragment[]; to: (id: string) => string }) {
  const { t } = useTranslation();
  return (
    <div className={classes.frame}>
      <ul className={classes.list} aria-label={t("team.list")}>
        {teams.map((team) => (
          <li key={team.id} className={classes.row}>
            <div className={classes.name}>
              <Link to={to(team.id)} className={classes.link}>
                {team.name}
              </Link>
              <div className={classes.under}>
                {team.state !== "ACTIVE" ? (
                  <StateMark tone={teamTones[team.state]} label={t(`team.state.${team.state}`)} />
                ) : team.reason ? (
                  <ReasonLine reason={team.reason} />
                ) : team.findings.length > 0 ? (
                  t("team.findings", { count: team.findings.length })
                ) : team.viewerRole ? (
                  t(`team.role.${team.viewerRole}`)
                ) : (
                  team.namespace
                )}
              </div>
            </div>
            {columns.map((column) => (
              <Use key={column} team={team} resource={column} />
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Use({ team, resource }: { team: TeamLineFragment; resource: QuotaResource }) {
  const { t, i18n } = useTranslation();
  const item = team.quota.items.find((each) => each.resource === resource);
  if (!item) return <div className={classes.cell} />;
  const limit = item.limit ?? null;
  const label = resourceName(resource, t);
  const text = usedText(item, t, i18n.language);
  const tone = meterTone(item.used, limit);
  return (
    <div className={classes.cell}>
      <div className={classes.amount}>
        <span className={classes.resource}>{label}</span>
        <span>
          {tone ? <StateIcon tone={tone} size={12} /> : null} {text}
        </span>
      </div>
      {limit === null ? null : <Meter label={label} text={text} used={item.used} limit={limit} />}
    </div>
  );
}

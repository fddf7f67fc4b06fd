import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Meter, meterTone } from "~/components/meter";
import { StateIcon } from "~/components/state-mark";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { amountText, resourceName, usedText } from "~/modules/team/amount";
import classes from "./quota.module.css";

export const quotaFragment = graphql(`
  fragment Quota on QuotaStatus {
    observedAt
    items {
      resource
      unit
      used
      requested
      limit
      holders {
        id
        name
        amount
        owner {
          id
          displayName
        }
      }
    }
  }
`);

interface QuotaProps {
  quota: FragmentType<typeof quotaFragment>;
  /** Without holders and without what has neither limit nor use, for a glance. */
  brief?: boolean;
}

/** What a team uses of what it may use, and who holds it. */
export function Quota({ quota, brief = false }: QuotaProps) {
  const { t, i18n } = useTranslation();
  const { items } = readFragment(quotaFragment, quota);
  const shown = items.filter((item) => !brief || (item.limit !== null && item.limit !== undefined));
  if (shown.length === 0) return <p className="soft">{t("quota.none")}</p>;
  return (
    <ul className={classes.items} data-brief={brief || undefined}>
      {shown.map((item) => {
        const limit = item.limit ?? null;
        const label = resourceName(item.resource, t);
        const text = usedText(item, t, i18n.language);
        const tone = meterTone(item.used, limit);
        return (
          <li key={item.resource}>
            <div className={classes.head}>
              <span className={classes.label}>{label}</span>
              <span className={classes.amount}>
                {tone ? <StateIcon tone={tone} size={14} /> : null}
                {text}
                {brief ||
                item.requested === null ||
                item.requested === undefined ||
                item.requested === item.used
                  ? null
                  : ` · ${t("quota.requested", { requested: amountText(item.requested, item.unit, i18n.language) })}`}
              </span>
            </div>
            {limit === null ? null : (
              <Meter
                label={label}
                text={text}
                used={item.used}
                limit={limit}
                parts={item.holders.map((holder) => ({
                  id: holder.id,
                  label: holder.name,
                  amount: holder.amount,
                }))}
              />
            )}
            {brief || item.holders.length === 0 ? null : (
              <ul className={classes.holders} aria-label={t("quota.holders", { what: label })}>
                {item.holders.map((holder) => (
                  <li key={holder.id} className={classes.holder}>
                    <HolderLink id={holder.id} name={holder.name} />
                    <span className="soft">{holder.owner?.displayName}</span>
                    <span className={classes.share}>
                      {amountText(holder.amount, item.unit, i18n.language)}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Who holds a part of a quota, with the way to it. */
export function HolderLink({ id, name }: { id: string; name: string }) {
  if (id.startsWith("ins-")) return <Link to={`/instances/${id}`}>{name}</Link>;
  if (id.startsWith("run-")) return <Link to={`/runs/${id}`}>{name}</Link>;
  if (id.startsWith("vol-")) return <Link to="/volumes">{name}</Link>;
  return <span>{name}</span>;
}

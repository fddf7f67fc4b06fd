import { useDebouncedValue } from "@mantine/hooks";
import { Fragment, useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { StateIcon } from "~/components/state-mark";
import type { Tone } from "~/components/tone";
import { graphql } from "~/gql";
import type { QuotaPreviewQuery } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { formatBytes, formatCores } from "~/lib/format";
import { useLive } from "~/lib/live";
import { amountText, resourceName } from "~/modules/team/amount";
import { HolderLink } from "~/modules/team/quota";
import { toQuotaInput, type QuotaValues } from "~/modules/team/quota-values";
import classes from "./quota-preview.module.css";

const previewQuery = graphql(`
  query QuotaPreview($input: QuotaPreviewInput!) {
    quotaPreview(input: $input) {
      largestVolume
      defaults {
        cpuMilli
        memoryBytes
      }
      defaultRequests {
        cpuMilli
        memoryBytes
      }
      items {
        resource
        unit
        used
        oldLimit
        newLimit
        excess
        promised
        unlimited
        capacity
        exceeding {
          id
          name
          amount
        }
        blocked {
          id
          name
          amount
        }
      }
    }
  }
`);

type Preview = QuotaPreviewQuery["quotaPreview"];
type Item = Preview["items"][number];

/** Says, a moment after typing, what a quota would change for who is there and for the cluster. */
export function QuotaPreview({ teamId, values }: { teamId: string | null; values: QuotaValues }) {
  const { t } = useTranslation();
  const [settled] = useDebouncedValue(values, 250);
  const input = useMemo(() => toQuotaInput(settled), [settled]);
  const { data, fault } = useLive({
    query: previewQuery,
    variables: { input: { teamId, ...(input ?? { quota: {} }) } },
    pause: input === null,
  });
  return (
    <div role="status" data-preview={input !== null && data ? "there" : "none"}>
      {input === null ? (
        <p className="soft">{t("quota.preview.unreadable")}</p>
      ) : data ? (
        <PreviewText preview={data.quotaPreview} />
      ) : (
        <p className="soft">{fault ? faultText(fault, t) : t("resources.checking")}</p>
      )}
    </div>
  );
}

function PreviewText({ preview }: { preview: Preview }) {
  const { t, i18n } = useTranslation();
  const quiet = preview.items.every((item) => item.excess === 0 && item.blocked.length === 0);
  return (
    <>
      <ul className={classes.items}>
        {preview.items.map((item) => (
          <PreviewItem key={item.resource} item={item} />
        ))}
      </ul>
      <p className={classes.foot}>
        {quiet ? t("quota.preview.quiet") : t("quota.preview.nothingEnds")}{" "}
        {t("quota.preview.defaults", {
          cpu: formatCores(preview.defaults.cpuMilli, i18n.language),
          memory: formatBytes(preview.defaults.memoryBytes, i18n.language),
          requestCpu: formatCores(preview.defaultRequests.cpuMilli, i18n.language),
          requestMemory: formatBytes(preview.defaultRequests.memoryBytes, i18n.language),
        })}{" "}
        {preview.largestVolume === null || preview.largestVolume === undefined
          ? null
          : t("quota.preview.largestVolume", { size: formatBytes(preview.largestVolume, i18n.language) })}
      </p>
    </>
  );
}

function PreviewItem({ item }: { item: Item }) {
  const { t, i18n } = useTranslation();
  const text = (amount: number): string => amountText(amount, item.unit, i18n.language);
  const limit = (amount: number | null | undefined): string =>
    amount === null || amount === undefined
      ? t("quota.preview.noLimit")
      : amount === 0
        ? t("quota.noneAllowed")
        : text(amount);
  const over = item.capacity !== null && item.capacity !== undefined && item.promised > item.capacity;
  return (
    <li data-resource={item.resource}>
      <div className={classes.head}>
        <span className={classes.name}>{resourceName(item.resource, t)}</span>
        <span className={classes.change}>
          {t("quota.preview.used", { used: text(item.used) })} ·{" "}
          {item.oldLimit === item.newLimit ? null : <del>{limit(item.oldLimit)}</del>}
          <ins>{limit(item.newLimit)}</ins>
        </span>
      </div>
      {item.excess > 0 ? (
        <Line tone="attention">
          {t("quota.preview.excess", { excess: text(item.excess) })} <Names holders={item.exceeding} />
        </Line>
      ) : null}
      {item.blocked.length > 0 ? (
        <Line tone="attention">
          {t("quota.preview.blocked")} <Names holders={item.blocked} />
        </Line>
      ) : null}
      {item.capacity === null || item.capacity === undefined ? null : (
        <Line tone={over ? "attention" : "waiting"}>
          {t(over ? "quota.preview.over" : "quota.preview.within", {
            promised: text(item.promised),
            capacity: text(item.capacity),
          })}{" "}
          {item.unlimited > 0 ? t("quota.preview.unlimited", { count: item.unlimited }) : null}
        </Line>
      )}
    </li>
  );
}

function Line({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <div className={classes.line}>
      <StateIcon tone={tone} size={14} />
      <span className={classes.names}>{children}</span>
    </div>
  );
}

function Names({ holders }: { holders: Item["exceeding"] }) {
  return holders.map((holder, i) => (
    <Fragment key={holder.id}>
      {i === 0 ? "" : ", "}
      <HolderLink id={holder.id} name={holder.name} />
    </Fragment>
  ));
}

import type { TFunction } from "i18next";
import { formatBytes, formatCores, formatCount } from "~/lib/format";

const known = ["cpu", "memory", "gpu", "storage", "volumes", "pods"] as const;
export type QuotaResource = (typeof known)[number];

export function isKnownResource(resource: string): resource is QuotaResource {
  return (known as readonly string[]).includes(resource);
}

/** The name of a resource of a quota; its code where the page is older than the server. */
export function resourceName(resource: string, t: TFunction): string {
  return isKnownResource(resource) ? t(`quota.resource.${resource}`) : resource;
}

/** What is used beside the limit, which 0 makes "none allowed" and null "no limit". */
export function usedText(
  item: { used: number; unit: string; limit?: number | null },
  t: TFunction,
  language: string,
): string {
  const used = amountText(item.used, item.unit, language);
  if (item.limit === null || item.limit === undefined) return t("quota.usedNoLimit", { used });
  if (item.limit === 0 && item.used === 0) return t("quota.noneAllowed");
  return t("quota.usedOf", { used, limit: amountText(item.limit, item.unit, language) });
}

/** An amount in the units that people type. */
export function amountText(amount: number, unit: string, language: string): string {
  if (unit === "bytes") return formatBytes(amount, language);
  if (unit === "milli") return formatCores(amount, language);
  return formatCount(amount, language);
}

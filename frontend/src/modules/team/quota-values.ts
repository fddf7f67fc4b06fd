import { formatBytes } from "~/lib/format";
import { parseSize, sizeQuantity } from "~/modules/resources/quantity";

/** A quota as a form holds it; an empty text is no limit, a 0 none at all. */
export interface QuotaValues extends Record<string, unknown> {
  name: string;
  cpu: string;
  memory: string;
  gpu: string;
  storage: string;
  volumes: string;
  pods: string;
  overcommitCpu: number | string;
  overcommitMemory: number | string;
  /** Of online work; empty means the same as above. */
  overcommitOnlineCpu: number | string;
  overcommitOnlineMemory: number | string;
}

export const quotaPaths = [
  "name",
  "cpu",
  "memory",
  "gpu",
  "storage",
  "volumes",
  "pods",
  "overcommitCpu",
  "overcommitMemory",
  "overcommitOnlineCpu",
  "overcommitOnlineMemory",
] as const;

/** Where the contract's paths differ from the form's. */
export const quotaRenames = Object.fromEntries(
  ["cpu", "memory", "gpu", "storage", "volumes", "pods"].map((each) => [`quota.${each}`, each]),
);

export const emptyQuota: QuotaValues = {
  name: "",
  cpu: "",
  memory: "",
  gpu: "",
  storage: "",
  volumes: "",
  pods: "",
  overcommitCpu: 1,
  overcommitMemory: 1,
  overcommitOnlineCpu: "",
  overcommitOnlineMemory: "",
};

/** Whole numbers, 0 for none at all, or nothing. */
export function isCount(text: string): boolean {
  return text.trim() === "" || /^(?:0|[1-9]\d{0,8})$/.test(text.trim());
}

/** Cores with at most three decimals, or nothing. */
export function isCores(text: string): boolean {
  return text.trim() === "" || (/^\d{1,7}(?:\.\d{1,3})?$/.test(text.trim()) && Number(text) > 0);
}

export function isSize(text: string): boolean {
  return text.trim() === "" || parseSize(text) !== null;
}

function count(text: string): number | null {
  return text.trim() === "" ? null : Number(text.trim());
}

function size(text: string): string | null {
  const bytes = parseSize(text);
  return bytes === null ? null : sizeQuantity(bytes);
}

function ratio(value: number | string, empty: number): number {
  return value === "" ? empty : Number(value);
}

/** The part of the contract that the preview, create and update share; null while something cannot be read. */
export function toQuotaInput(values: QuotaValues) {
  if (!isCores(values.cpu) || !isSize(values.memory) || !isSize(values.storage)) return null;
  if (![values.gpu, values.volumes, values.pods].every(isCount)) return null;
  return {
    quota: {
      cpu: values.cpu.trim() === "" ? null : values.cpu.trim(),
      memory: size(values.memory),
      gpu: count(values.gpu),
      storage: size(values.storage),
      volumes: count(values.volumes),
      pods: count(values.pods),
    },
    overcommitCpu: ratio(values.overcommitCpu, 1),
    overcommitMemory: ratio(values.overcommitMemory, 1),
    overcommitOnlineCpu: ratio(values.overcommitOnlineCpu, 0),
    overcommitOnlineMemory: ratio(values.overcommitOnlineMemory, 0),
  };
}

interface Limits {
  name: string;
  overcommit: { cpu: number; memory: number; onlineCpu: number; onlineMemory: number };
  quota: { items: readonly { resource: string; unit: string; limit?: number | null }[] };
}

/** What the form shows for a team that exists. */
export function toQuotaValues(team: Limits): QuotaValues {
  const limit = (resource: string): string => {
    const item = team.quota.items.find((each) => each.resource === resource);
    if (!item || item.limit === null || item.limit === undefined) return "";
    if (item.unit === "bytes") return exactSize(item.limit);
    return String(item.unit === "milli" ? item.limit / 1000 : item.limit);
  };
  const { overcommit } = team;
  return {
    name: team.name,
    cpu: limit("cpu"),
    memory: limit("memory"),
    gpu: limit("gpu"),
    storage: limit("storage"),
    volumes: limit("volumes"),
    pods: limit("pods"),
    overcommitCpu: overcommit.cpu,
    overcommitMemory: overcommit.memory,
    overcommitOnlineCpu: overcommit.onlineCpu === 0 ? "" : overcommit.onlineCpu,
    overcommitOnlineMemory: overcommit.onlineMemory === 0 ? "" : overcommit.onlineMemory,
  };
}

/** Bytes so that reading them back gives the same: rounded only where nothing is lost. */
function exactSize(bytes: number): string {
  const text = formatBytes(bytes, "en").replaceAll(",", "");
  return parseSize(text) === bytes ? text : `${Math.ceil(bytes / 1024 ** 2)} MiB`;
}

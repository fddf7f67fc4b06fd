/** What a form holds of CPU, memory and GPU; empty strings while nothing is typed. */
export interface ResourceValues {
  cpu: number | string;
  memoryGiB: number | string;
  gpu: number | string;
}

const gib = 1024 ** 3;
const mib = 1024 ** 2;

/** GiB to the suffix form of the contract: whole GiB as `24Gi`, else in MiB. */
export function memoryQuantity(value: number): string {
  return Number.isInteger(value) ? `${value}Gi` : `${Math.round(value * 1024)}Mi`;
}

/** Cores to the form of the contract: at most three decimals. */
export function cpuQuantity(cores: number): string {
  return Number.isInteger(cores) ? String(cores) : `${Math.round(cores * 1000)}m`;
}

/** What the server takes; null while something is missing. */
export function toResourcesInput(
  values: ResourceValues,
): { cpu: string; memory: string; gpu: number } | null {
  const cpu = Number(values.cpu);
  const memory = Number(values.memoryGiB);
  const gpu = Number(values.gpu);
  if (values.cpu === "" || values.memoryGiB === "" || !(cpu > 0) || !(memory > 0) || !(gpu >= 0)) return null;
  return { cpu: cpuQuantity(cpu), memory: memoryQuantity(memory), gpu };
}

/** What a form shows for resources that exist. */
export function toResourceValues(resources: {
  cpuMilli: number;
  memoryBytes: number;
  gpu: number;
}): ResourceValues {
  return {
    cpu: resources.cpuMilli / 1000,
    memoryGiB: Math.round((resources.memoryBytes / gib) * 1000) / 1000,
    gpu: resources.gpu,
  };
}

const suffixes: Record<string, number> = {
  "": gib,
  g: gib,
  gi: gib,
  gib: gib,
  gb: gib,
  m: mib,
  mi: mib,
  mib: mib,
  mb: mib,
  t: 1024 * gib,
  ti: 1024 * gib,
  tib: 1024 * gib,
  tb: 1024 * gib,
};

/** Reads `20`, `20Gi`, `512 MiB`; a bare number is GiB. Null when it is no size. */
export function parseSize(text: string): number | null {
  const match = /^\s*(\d+(?:[.,]\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  if (!match) return null;
  const factor = suffixes[(match[2] ?? "").toLowerCase()];
  const amount = Number((match[1] ?? "").replace(",", "."));
  return factor === undefined || !(amount > 0) ? null : Math.round(amount * factor);
}

/** Cores as the contract writes them, `4` or `500m`. */
export function parseCores(text: string): number {
  return text.endsWith("m") ? Number(text.slice(0, -1)) / 1000 : Number(text);
}

/** Bytes as the contract takes them. */
export function sizeQuantity(bytes: number): string {
  return bytes % gib === 0 ? `${bytes / gib}Gi` : `${Math.ceil(bytes / mib)}Mi`;
}

import type { EnvValue } from "~/modules/environment/env-field";
import type { PortValue } from "~/modules/instance/ports-field";
import type { MountValue } from "~/modules/mount/mounts-field";
import type { SecretUseValue } from "~/modules/secret/secrets-field";
import { toResourcesInput, type ResourceValues } from "~/modules/resources/quantity";

export interface InstanceValues extends Record<string, unknown> {
  name: string;
  imageId: string;
  resources: ResourceValues;
  mounts: MountValue[];
  ports: PortValue[];
  env: EnvValue[];
  secrets: SecretUseValue[];
  start: boolean;
  /** Rather than to be refused when GPUs or the quota are taken. */
  wait: boolean;
}

/** Paths of the form's fields; `*` stands for a row. */
export const instancePaths = [
  "name",
  "imageId",
  "resources.cpu",
  "resources.memoryGiB",
  "resources.gpu",
  "mounts.*.volumeId",
  "mounts.*.path",
  "mounts.*.subPath",
  "mounts.*.readOnly",
  "ports.*.number",
  "ports.*.name",
  "env.*.name",
  "env.*.value",
  "secrets.*.secretId",
  "secrets.*.as",
  "secrets.*.at",
] as const;

/** Where the contract's paths differ from the form's. */
export const instanceRenames = { "resources.memory": "resources.memoryGiB" };

/** The part of the contract's input that create and update share; null while something is missing. */
export function toInstanceInput(values: InstanceValues) {
  const resources = toResourcesInput(values.resources);
  if (!resources || values.imageId === "") return null;
  return {
    name: values.name.trim(),
    imageId: values.imageId,
    resources,
    mounts: values.mounts.map((mount) => ({
      ...mount,
      path: mount.path.trim(),
      subPath: mount.subPath.trim(),
    })),
    ports: values.ports.map((port) => ({ name: port.name.trim(), number: Number(port.number) })),
    env: values.env.filter((variable) => variable.name !== "" || variable.value !== ""),
    secrets: values.secrets.map((use) => ({ ...use, at: use.at.trim() })),
  };
}

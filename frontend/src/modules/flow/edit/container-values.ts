import type { SecretAs } from "~/gql/graphql";
import type { EnvValue } from "~/modules/environment/env-field";
import { isRecord, strings } from "~/modules/flow/spec";
import type { MountValue } from "~/modules/mount/mounts-field";
import { parseCores, parseSize, toResourcesInput, type ResourceValues } from "~/modules/resources/quantity";
import type { SecretUseValue } from "~/modules/secret/secrets-field";

const gib = 1024 ** 3;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** What a container is told, as the fields of the form hold it. */
export interface ContainerValues {
  imageId: string;
  command: string[];
  args: string[];
  workingDir: string;
  env: EnvValue[];
  secrets: SecretUseValue[];
  resources: ResourceValues;
  mounts: MountValue[];
  code: { volumeId: string; subPath: string; writable: boolean; freeze: boolean };
}

const ways: Record<string, SecretAs> = { auto: "AUTO", env: "ENV", file: "FILE" };

export function readContainer(told: Record<string, unknown>): ContainerValues {
  const resources = isRecord(told.resources) ? told.resources : {};
  const bytes = parseSize(String(resources.memory ?? ""));
  const code = isRecord(told.code) ? told.code : {};
  return {
    imageId: text(told.imageId),
    command: strings(told.command),
    args: strings(told.args),
    workingDir: text(told.workingDir),
    env: records(told.env).map((each) => ({ name: text(each.name), value: text(each.value) })),
    secrets: records(told.secrets).map((each) => ({
      secretId: text(each.secretId),
      as: ways[text(each.as).toLowerCase()] ?? "AUTO",
      at: text(each.at),
    })),
    resources: {
      cpu: parseCores(String(resources.cpu ?? "")) || "",
      memoryGiB: bytes === null ? "" : Math.round((bytes / gib) * 1000) / 1000,
      gpu: Number(resources.gpu ?? 0) || 0,
    },
    mounts: records(told.mounts).map((each) => ({
      volumeId: text(each.volumeId),
      path: text(each.path),
      readOnly: each.readOnly === true,
      subPath: text(each.subPath),
    })),
    code: {
      volumeId: text(code.volumeId),
      subPath: text(code.subPath),
      writable: code.writable === true,
      freeze: code.freeze === true,
    },
  };
}

/** One field of the form, as the executor is told it; what says nothing is left out. */
export function writeContainer(
  told: Record<string, unknown>,
  part: Partial<ContainerValues>,
): Record<string, unknown> {
  const next: Record<string, unknown> = { ...told };
  const put = (key: string, value: unknown, says: boolean): void => {
    if (says) next[key] = value;
    else delete next[key];
  };
  if (part.imageId !== undefined) put("imageId", part.imageId, part.imageId !== "");
  if (part.command) put("command", part.command, part.command.length > 0);
  if (part.args) put("args", part.args, part.args.length > 0);
  if (part.workingDir !== undefined) put("workingDir", part.workingDir, part.workingDir !== "");
  if (part.env) put("env", part.env, part.env.length > 0);
  if (part.secrets) {
    const uses = part.secrets.map(({ secretId, as, at }) =>
      at === "" ? { secretId, as: as.toLowerCase() } : { secretId, as: as.toLowerCase(), at },
    );
    put("secrets", uses, uses.length > 0);
  }
  if (part.mounts) {
    const mounts = part.mounts.map(({ volumeId, path, readOnly, subPath }) =>
      subPath === "" ? { volumeId, path, readOnly } : { volumeId, path, readOnly, subPath },
    );
    put("mounts", mounts, mounts.length > 0);
  }
  if (part.code) {
    const { volumeId, subPath, writable, freeze } = part.code;
    const code = {
      volumeId,
      ...(subPath ? { subPath } : {}),
      ...(writable ? { writable } : {}),
      ...(freeze ? { freeze } : {}),
    };
    put("code", code, volumeId !== "");
  }
  // While a number is being typed there is nothing to say; what was said stays.
  const resources = part.resources && toResourcesInput(part.resources);
  if (resources) next.resources = resources;
  return next;
}

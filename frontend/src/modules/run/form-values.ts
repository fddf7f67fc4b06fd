import { parseArgumentLines, parseCommand } from "~/lib/command";
import type { RunNowInput, TaskClass } from "~/gql/graphql";
import type { EnvValue } from "~/modules/environment/env-field";
import type { MountValue } from "~/modules/mount/mounts-field";
import type { SecretUseValue } from "~/modules/secret/secrets-field";
import { toResourcesInput, type ResourceValues } from "~/modules/resources/quantity";

export interface RunValues extends Record<string, unknown> {
  /** Empty: the name is made from the command. */
  name: string;
  imageId: string;
  mode: "line" | "lines";
  command: string;
  codeVolumeId: string;
  codeSubPath: string;
  codeWritable: boolean;
  resources: ResourceValues;
  class: TaskClass;
  workingDir: string;
  mounts: MountValue[];
  env: EnvValue[];
  secrets: SecretUseValue[];
  timeoutMinutes: number | string;
  retries: number | string;
}

/** Paths of the form's fields; `*` stands for a row. */
export const runPaths = [
  "name",
  "imageId",
  "command",
  "codeVolumeId",
  "codeSubPath",
  "resources.cpu",
  "resources.memoryGiB",
  "resources.gpu",
  "class",
  "workingDir",
  "mounts.*.volumeId",
  "mounts.*.path",
  "mounts.*.subPath",
  "mounts.*.readOnly",
  "env.*.name",
  "env.*.value",
  "secrets.*.secretId",
  "secrets.*.as",
  "secrets.*.at",
  "timeoutMinutes",
  "retries",
] as const;

/** Where the contract's paths differ from the form's. */
export const runRenames = {
  "resources.memory": "resources.memoryGiB",
  args: "command",
  "code.volumeId": "codeVolumeId",
  "code.subPath": "codeSubPath",
  code: "codeVolumeId",
  timeoutSeconds: "timeoutMinutes",
};

export function argumentsOf(values: Pick<RunValues, "mode" | "command">): string[] {
  return values.mode === "lines" ? parseArgumentLines(values.command) : parseCommand(values.command).args;
}

const interpreters = /^(?:python\d*(?:\.\d+)?|bash|sh|node|java|Rscript|julia|torchrun|env)$/;

/** `python train.py --epochs 3` makes `train`: the first argument that names a script. */
export function nameFromCommand(args: readonly string[]): string {
  const words = args.map((arg) => arg.split("/").at(-1) ?? "").filter((word) => !interpreters.test(word));
  const script = words.find((word) => /^[\w-]+\.\w{1,5}$/.test(word));
  const word = script ?? words.find((each) => each !== "" && !each.startsWith("-")) ?? words[0];
  return (word ?? "")
    .replace(/\.\w{1,5}$/, "")
    .replaceAll(/[^\w-]+/g, "-")
    .slice(0, 32)
    .replaceAll(/^-+|-+$/g, "");
}

export function toRunInput(values: RunValues, teamId: string): RunNowInput | null {
  const resources = toResourcesInput(values.resources);
  const command = argumentsOf(values);
  if (!resources || values.imageId === "" || command.length === 0) return null;
  return {
    teamId,
    name: values.name.trim() || nameFromCommand(command),
    imageId: values.imageId,
    command,
    workingDir: values.workingDir.trim(),
    env: values.env.filter((variable) => variable.name !== "" || variable.value !== ""),
    secrets: values.secrets.map((use) => ({ ...use, at: use.at.trim() })),
    resources,
    mounts: values.mounts.map((mount) => ({
      ...mount,
      path: mount.path.trim(),
      subPath: mount.subPath.trim(),
    })),
    class: values.class,
    timeoutSeconds: Math.round(Number(values.timeoutMinutes) * 60) || 0,
    retries: Number(values.retries) || 0,
    ...(values.codeVolumeId === ""
      ? {}
      : {
          code: {
            volumeId: values.codeVolumeId,
            subPath: values.codeSubPath.trim().replace(/^\/+/, ""),
            writable: values.codeWritable,
          },
        }),
  };
}

import { Checkbox, Switch, Textarea, TextInput } from "@mantine/core";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { Fold } from "~/components/form-shell";
import type { TaskClass } from "~/gql/graphql";
import { formatCommand, parseArgumentLines, parseCommand } from "~/lib/command";
import { EnvField } from "~/modules/environment/env-field";
import { readContainer, writeContainer, type ContainerValues } from "~/modules/flow/edit/container-values";
import { messageAt } from "~/modules/flow/edit/sync";
import { ImageSelect } from "~/modules/image/image-select";
import { MountsField } from "~/modules/mount/mounts-field";
import type { ResourceValues } from "~/modules/resources/quantity";
import { ResourceFields } from "~/modules/resources/resource-fields";
import { CodeField } from "~/modules/run/code-field";
import { CommandField } from "~/modules/run/command-field";
import { SecretsField } from "~/modules/secret/secrets-field";

export interface ExecutorFormProps {
  teamId: string;
  taskClass: TaskClass;
  told: Record<string, unknown>;
  /** Changes what is told now, which may be newer than what was drawn. */
  onChange: (change: (told: Record<string, unknown>) => Record<string, unknown>) => void;
  /** Messages by the paths inside of `with`. */
  errors: Record<string, string>;
}

/** The fields of a run, for a task. Every text may hold macros. */
export function ContainerForm({ teamId, taskClass, told, onChange, errors }: ExecutorFormProps) {
  const { t } = useTranslation();
  const values = readContainer(told);
  // What is typed is kept as it is typed: a command that is being written is no list of arguments yet.
  const [command, setCommand] = useState(() => ({
    mode: "line" as "line" | "lines",
    text: formatCommand(values.command),
  }));
  const [args, setArgs] = useState(() => values.args.join("\n"));
  const [resources, setResources] = useState<ResourceValues>(values.resources);
  const set = useCallback(
    (part: Partial<ContainerValues>) => onChange((now) => writeContainer(now, part)),
    [onChange],
  );
  const setImage = useCallback((imageId: string) => set({ imageId }), [set]);
  const at = (path: string): string | undefined => messageAt(errors, path);
  const rows = (path: string) => (row: string) => errors[`${path}.${row}`];
  return (
    <>
      <CommandField
        mode={command.mode}
        text={command.text}
        error={at("command")}
        onChange={(mode, text) => {
          setCommand({ mode, text });
          const parsed = mode === "lines" ? null : parseCommand(text);
          if (!parsed?.error) set({ command: parsed ? parsed.args : parseArgumentLines(text) });
        }}
      />
      <CodeField
        teamId={teamId}
        volumeId={values.code.volumeId}
        subPath={values.code.subPath}
        onVolume={(volumeId) => set({ code: { ...values.code, volumeId } })}
        onSubPath={(subPath) => set({ code: { ...values.code, subPath } })}
        errors={{ volume: errors["code.volumeId"] ?? errors.code, subPath: errors["code.subPath"] }}
      />
      {values.code.volumeId === "" ? null : (
        <Checkbox
          label={t("code.freeze")}
          description={t("code.freezeHint")}
          checked={values.code.freeze}
          // What is frozen is only read.
          onChange={(event) =>
            set({
              code: {
                ...values.code,
                freeze: event.currentTarget.checked,
                writable: values.code.writable && !event.currentTarget.checked,
              },
            })
          }
          error={errors["code.freeze"]}
        />
      )}
      {values.imageId.includes("${") ? (
        // A macro names no image that could be chosen.
        <TextInput
          label={t("facts.image")}
          value={values.imageId}
          onChange={(event) => setImage(event.currentTarget.value)}
          error={at("imageId")}
          classNames={{ input: "mono" }}
        />
      ) : (
        <ImageSelect teamId={teamId} value={values.imageId} onChange={setImage} error={at("imageId")} />
      )}
      <ResourceFields
        teamId={teamId}
        class={taskClass}
        values={resources}
        onChange={(next) => {
          setResources(next);
          set({ resources: next });
        }}
        errors={{
          cpu: at("resources.cpu") ?? errors.resources,
          memoryGiB: at("resources.memory"),
          gpu: at("resources.gpu"),
        }}
      />
      <Fold
        title={t("form.advanced")}
        hint={t("flow.task.containerHint")}
        open={values.mounts.length + values.env.length + values.secrets.length + values.args.length > 0}
      >
        <Textarea
          label={t("flow.task.args")}
          description={t("flow.task.argsHint")}
          value={args}
          onChange={(event) => {
            setArgs(event.currentTarget.value);
            set({ args: parseArgumentLines(event.currentTarget.value) });
          }}
          autosize
          minRows={1}
          maxRows={10}
          error={at("args")}
          classNames={{ input: "mono" }}
        />
        <TextInput
          label={t("facts.workingDir")}
          placeholder={values.code.volumeId === "" ? t("run.field.homeDir") : "/code"}
          value={values.workingDir}
          onChange={(event) => set({ workingDir: event.currentTarget.value })}
          error={at("workingDir")}
          classNames={{ input: "mono" }}
        />
        {values.code.volumeId === "" ? null : (
          <Switch
            label={t("code.writable")}
            checked={values.code.writable}
            disabled={values.code.freeze}
            error={errors["code.writable"]}
            onChange={(event) => set({ code: { ...values.code, writable: event.currentTarget.checked } })}
          />
        )}
        <MountsField
          teamId={teamId}
          values={values.mounts}
          onChange={(mounts) => set({ mounts })}
          errorAt={rows("mounts")}
        />
        <EnvField values={values.env} onChange={(env) => set({ env })} errorAt={rows("env")} />
        <SecretsField
          teamId={teamId}
          values={values.secrets}
          onChange={(secrets) => set({ secrets })}
          errorAt={rows("secrets")}
        />
      </Fold>
    </>
  );
}

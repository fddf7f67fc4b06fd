import { NumberInput, Radio, Stack, Switch, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useCallback, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Fold, FormShell } from "~/components/form-shell";
import type { TaskClass } from "~/gql/graphql";
import { formatCommand } from "~/lib/command";
import { focusFirstError } from "~/lib/form-faults";
import { formatBytes, formatCores } from "~/lib/format";
import { EnvField } from "~/modules/environment/env-field";
import { ImageSelect, useImageChoices } from "~/modules/image/image-select";
import { MountsField } from "~/modules/mount/mounts-field";
import { ResourceFields } from "~/modules/resources/resource-fields";
import { CodeField } from "~/modules/run/code-field";
import { CommandField } from "~/modules/run/command-field";
import { argumentsOf, nameFromCommand, type RunValues } from "~/modules/run/form-values";
import { SecretsField } from "~/modules/secret/secrets-field";

interface RunFormProps {
  teamId: string;
  form: UseFormReturnType<RunValues>;
  onSubmit: () => void;
  busy: boolean;
  error: string | null;
  cancel: ReactNode;
}

/** The fields of a run. */
export function RunForm({ teamId, form, onSubmit, busy, error, cancel }: RunFormProps) {
  const { t } = useTranslation();
  const { values, errors, setFieldValue } = form;
  const setImage = useCallback((id: string) => setFieldValue("imageId", id), [setFieldValue]);
  const text = (path: string): string | undefined => (errors[path] ? String(errors[path]) : undefined);
  return (
    <FormShell
      onSubmit={form.onSubmit(onSubmit, focusFirstError)}
      submit={t("run.create")}
      busy={busy}
      error={error}
      cancel={cancel}
      summary={<Summary teamId={teamId} values={values} />}
    >
      <CommandField
        mode={values.mode}
        text={values.command}
        error={errors.command}
        onChange={(mode, command) => {
          setFieldValue("mode", mode);
          setFieldValue("command", command);
        }}
      />
      <CodeField
        teamId={teamId}
        volumeId={values.codeVolumeId}
        subPath={values.codeSubPath}
        onVolume={(id) => setFieldValue("codeVolumeId", id)}
        onSubPath={(path) => setFieldValue("codeSubPath", path)}
        errors={{ volume: errors.codeVolumeId, subPath: errors.codeSubPath }}
      />
      <ImageSelect teamId={teamId} value={values.imageId} onChange={setImage} error={errors.imageId} />
      <ResourceFields
        teamId={teamId}
        class={values.class}
        values={values.resources}
        onChange={(resources) => setFieldValue("resources", resources)}
        errors={{
          cpu: text("resources.cpu"),
          memoryGiB: text("resources.memoryGiB"),
          gpu: text("resources.gpu"),
        }}
      />
      <Radio.Group
        label={t("facts.class")}
        value={values.class}
        onChange={(value) => setFieldValue("class", value as TaskClass)}
        error={errors.class}
      >
        <Stack gap={8} mt={6}>
          <Radio value="TEST" label={t("run.class.TEST")} description={t("run.classHint.TEST")} />
          <Radio value="ONLINE" label={t("run.class.ONLINE")} description={t("run.classHint.ONLINE")} />
        </Stack>
      </Radio.Group>
      <Fold
        title={t("form.advanced")}
        hint={t("run.field.advancedHint")}
        open={values.mounts.length + values.env.length + values.secrets.length > 0}
      >
        <TextInput
          label={t("run.field.name")}
          placeholder={nameFromCommand(argumentsOf(values)) || t("run.field.nameHint")}
          maxLength={63}
          {...form.getInputProps("name")}
        />
        <TextInput
          label={t("facts.workingDir")}
          placeholder={values.codeVolumeId === "" ? t("run.field.homeDir") : "/code"}
          classNames={{ input: "mono" }}
          {...form.getInputProps("workingDir")}
        />
        {values.codeVolumeId === "" ? null : (
          <Switch label={t("code.writable")} {...form.getInputProps("codeWritable", { type: "checkbox" })} />
        )}
        <MountsField
          teamId={teamId}
          values={values.mounts}
          onChange={(mounts) => setFieldValue("mounts", mounts)}
          errorAt={(path) => errors[`mounts.${path}`]}
        />
        <EnvField
          values={values.env}
          onChange={(env) => setFieldValue("env", env)}
          errorAt={(path) => errors[`env.${path}`]}
        />
        <SecretsField
          teamId={teamId}
          values={values.secrets}
          onChange={(secrets) => setFieldValue("secrets", secrets)}
          errorAt={(path) => errors[`secrets.${path}`]}
        />
        <NumberInput
          label={t("run.field.timeout")}
          description={t("run.field.timeoutHint")}
          suffix={` ${t("duration.minutes")}`}
          min={0}
          {...form.getInputProps("timeoutMinutes")}
        />
        <NumberInput
          label={t("run.field.retries")}
          description={t("run.field.retriesHint")}
          min={0}
          max={20}
          allowDecimal={false}
          {...form.getInputProps("retries")}
        />
      </Fold>
    </FormShell>
  );
}

function Summary({ teamId, values }: { teamId: string; values: RunValues }) {
  const { t, i18n } = useTranslation();
  const { images } = useImageChoices(teamId);
  const { cpu, memoryGiB, gpu } = values.resources;
  const command = formatCommand(argumentsOf(values));
  const parts = [
    images?.find((image) => image.id === values.imageId)?.name,
    t("resources.cpu", { n: formatCores(Number(cpu) * 1000, i18n.language) }),
    formatBytes(Number(memoryGiB) * 1024 ** 3, i18n.language),
    Number(gpu) > 0 ? t("resources.gpu", { n: Number(gpu) }) : null,
    t(`run.class.${values.class}`),
  ];
  return (
    <>
      {command === "" ? t("run.field.noCommand") : <code>{command}</code>}
      <br />
      {parts.filter(Boolean).join(" · ")}
    </>
  );
}

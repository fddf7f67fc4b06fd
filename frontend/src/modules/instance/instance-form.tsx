import { Switch, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useCallback, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Fold, FormShell } from "~/components/form-shell";
import { formatBytes, formatCores } from "~/lib/format";
import { focusFirstError } from "~/lib/form-faults";
import { EnvField } from "~/modules/environment/env-field";
import { ImageSelect, useImageChoices } from "~/modules/image/image-select";
import type { InstanceValues } from "~/modules/instance/form-values";
import { PortsField } from "~/modules/instance/ports-field";
import { MountsField } from "~/modules/mount/mounts-field";
import { ResourceFields } from "~/modules/resources/resource-fields";
import { SecretsField } from "~/modules/secret/secrets-field";

interface InstanceFormProps {
  teamId: string;
  form: UseFormReturnType<InstanceValues>;
  onSubmit: () => void;
  busy: boolean;
  error: string | null;
  /** Creating offers to start at once. */
  creating: boolean;
  submit: string;
  cancel: ReactNode;
}

/** The fields of an instance, for making one and for changing one. */
export function InstanceForm({
  teamId,
  form,
  onSubmit,
  busy,
  error,
  creating,
  submit,
  cancel,
}: InstanceFormProps) {
  const { t } = useTranslation();
  const { values, errors } = form;
  const { setFieldValue } = form;
  const setImage = useCallback((id: string) => setFieldValue("imageId", id), [setFieldValue]);
  const text = (path: string): string | undefined => (errors[path] ? String(errors[path]) : undefined);
  return (
    <FormShell
      onSubmit={form.onSubmit(onSubmit, focusFirstError)}
      submit={submit}
      busy={busy}
      error={error}
      cancel={cancel}
      summary={<Summary teamId={teamId} values={values} creating={creating} />}
    >
      <TextInput
        label={t("instance.field.name")}
        description={creating ? t("instance.field.nameHint") : undefined}
        inputWrapperOrder={["label", "input", "description", "error"]}
        data-autofocus
        maxLength={63}
        {...form.getInputProps("name")}
      />
      <ImageSelect
        teamId={teamId}
        development
        value={values.imageId}
        onChange={setImage}
        error={errors.imageId}
      />
      <ResourceFields
        teamId={teamId}
        values={values.resources}
        onChange={(resources) => form.setFieldValue("resources", resources)}
        errors={{
          cpu: text("resources.cpu"),
          memoryGiB: text("resources.memoryGiB"),
          gpu: text("resources.gpu"),
        }}
      />
      <Fold
        title={t("instance.field.storage")}
        hint={
          values.mounts.length === 0
            ? t("instance.field.homeOnly")
            : t("instance.field.mounts", { count: values.mounts.length })
        }
        open={values.mounts.length > 0}
      >
        <MountsField
          teamId={teamId}
          values={values.mounts}
          onChange={(mounts) => form.setFieldValue("mounts", mounts)}
          errorAt={(path) => errors[`mounts.${path}`]}
        />
      </Fold>
      <Fold
        title={t("form.advanced")}
        hint={t("instance.field.advancedHint")}
        open={values.env.length + values.ports.length + values.secrets.length > 0}
      >
        <EnvField
          values={values.env}
          onChange={(env) => form.setFieldValue("env", env)}
          errorAt={(path) => errors[`env.${path}`]}
        />
        <SecretsField
          teamId={teamId}
          values={values.secrets}
          onChange={(secrets) => form.setFieldValue("secrets", secrets)}
          errorAt={(path) => errors[`secrets.${path}`]}
        />
        <PortsField
          values={values.ports}
          onChange={(ports) => form.setFieldValue("ports", ports)}
          errorAt={(path) => errors[`ports.${path}`]}
        />
      </Fold>
      {creating ? (
        <Switch label={t("instance.field.start")} {...form.getInputProps("start", { type: "checkbox" })} />
      ) : null}
      {creating && values.start ? (
        <Switch label={t("instance.field.wait")} {...form.getInputProps("wait", { type: "checkbox" })} />
      ) : null}
    </FormShell>
  );
}

function Summary({
  teamId,
  values,
  creating,
}: {
  teamId: string;
  values: InstanceValues;
  creating: boolean;
}) {
  const { t, i18n } = useTranslation();
  const { images } = useImageChoices(teamId, true);
  const { cpu, memoryGiB, gpu } = values.resources;
  const parts = [
    values.name.trim() || t("instance.field.unnamed"),
    images?.find((image) => image.id === values.imageId)?.name,
    t("resources.cpu", { n: formatCores(Number(cpu) * 1000, i18n.language) }),
    formatBytes(Number(memoryGiB) * 1024 ** 3, i18n.language),
    Number(gpu) > 0 ? t("resources.gpu", { n: Number(gpu) }) : null,
    values.mounts.length > 0 ? t("instance.field.mounts", { count: values.mounts.length }) : null,
    creating ? (values.start ? t("instance.field.startsNow") : t("instance.field.startsLater")) : null,
  ];
  return <>{parts.filter(Boolean).join(" · ")}</>;
}

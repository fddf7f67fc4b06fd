import { NumberInput, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Fold } from "~/components/form-shell";
import { RowsField } from "~/components/rows-field";
import { ScheduleFields } from "~/modules/flow/edit/schedule-fields";
import type { Fire } from "~/modules/flow/edit/sync";
import type { FlowSpec, ParameterSpec } from "~/modules/flow/spec";
import classes from "./edit.module.css";

interface FlowFormProps {
  teamId: string;
  spec: FlowSpec;
  fires: readonly Fire[];
  errors: Record<string, string>;
  onChange: (change: (spec: FlowSpec) => FlowSpec) => void;
}

/** What the flow says beside its tasks: when, with what, and what happens when it is due while it runs. */
export function FlowForm({ teamId, spec, fires, errors, onChange }: FlowFormProps) {
  const { t } = useTranslation();
  const [tags, setTags] = useState(() => (spec.tags ?? []).join(", "));
  const set = (part: Partial<FlowSpec>): void => onChange((now) => ({ ...now, ...part }));
  const span = (key: "timeout" | "finishBy", label: string, hint: string): React.ReactNode => (
    <TextInput
      label={label}
      description={hint}
      placeholder="6h"
      value={spec[key] ?? ""}
      onChange={(event) => set({ [key]: event.currentTarget.value })}
      error={errors[key]}
    />
  );
  return (
    <section className={classes.side} aria-label={t("flow.editor.flow")}>
      <header className={classes.sideHead}>
        <h2>{t("flow.editor.flow")}</h2>
      </header>
      <div className={classes.fields}>
        <ScheduleFields
          teamId={teamId}
          schedule={spec.schedule ?? {}}
          fires={fires}
          errors={errors}
          onChange={(schedule) => set({ schedule })}
        />
        <Select
          label={t("flow.facts.concurrency")}
          data={(["forbid", "allow", "replace", "queue"] as const).map((each) => ({
            value: each,
            label: t(`flow.concurrency.${each}`),
          }))}
          value={spec.concurrency || "forbid"}
          onChange={(concurrency) => concurrency && set({ concurrency })}
          allowDeselect={false}
          error={errors.concurrency}
        />
        <Parameters
          values={spec.parameters ?? []}
          errors={errors}
          onChange={(parameters) => set({ parameters })}
        />
        <Fold
          title={t("form.advanced")}
          hint={t("flow.field.advancedHint")}
          open={Boolean(spec.description || spec.timeout || spec.finishBy || tags)}
        >
          <Textarea
            label={t("flow.field.description")}
            value={spec.description ?? ""}
            onChange={(event) => set({ description: event.currentTarget.value })}
            autosize
            minRows={2}
            error={errors.description}
          />
          <TextInput
            label={t("flow.tags")}
            placeholder={t("flow.field.tagsHint")}
            value={tags}
            onChange={(event) => {
              setTags(event.currentTarget.value);
              set({ tags: event.currentTarget.value.split(/[\s,，]+/).filter(Boolean) });
            }}
            error={errors.tags}
          />
          <Select
            label={t("facts.class")}
            data={[
              { value: "test", label: t("run.class.TEST") },
              { value: "online", label: t("run.class.ONLINE") },
            ]}
            value={spec.class || "test"}
            onChange={(next) => next && set({ class: next })}
            allowDeselect={false}
            error={errors.class}
          />
          {span("timeout", t("facts.timeout"), t("flow.field.timeoutHint"))}
          {span("finishBy", t("flow.facts.finishBy"), t("flow.field.finishByHint"))}
          <NumberInput
            label={t("flow.field.priority")}
            description={t("flow.field.priorityHint")}
            min={-100}
            max={100}
            allowDecimal={false}
            value={spec.priority ?? 0}
            onChange={(priority) => set({ priority: Number(priority) || 0 })}
            error={errors.priority}
          />
        </Fold>
      </div>
    </section>
  );
}

interface ParametersProps {
  values: readonly ParameterSpec[];
  errors: Record<string, string>;
  onChange: (values: ParameterSpec[]) => void;
}

function Parameters({ values, errors, onChange }: ParametersProps) {
  const { t } = useTranslation();
  const set = (index: number, part: Partial<ParameterSpec>): void =>
    onChange(values.map((each, i) => (i === index ? { ...each, ...part } : each)));
  return (
    <RowsField
      label={t("flow.parameters")}
      hint={t("flow.field.parametersHint")}
      count={values.length}
      add={t("flow.field.parameterAdd")}
      onAdd={() => onChange([...values, { name: "" }])}
      remove={(index) => t("flow.field.parameterRemove", { n: index + 1 })}
      onRemove={(index) => onChange(values.filter((_, i) => i !== index))}
      row={(index) => (
        <>
          <TextInput
            aria-label={t("flow.field.parameterName")}
            placeholder={t("flow.field.parameterName")}
            value={values[index]?.name ?? ""}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
            error={errors[`parameters.${index}.name`]}
            classNames={{ input: "mono" }}
          />
          <TextInput
            aria-label={t("flow.field.parameterDefault")}
            placeholder={t("flow.field.parameterDefault")}
            value={values[index]?.default ?? ""}
            onChange={(event) => set(index, { default: event.currentTarget.value })}
            error={errors[`parameters.${index}.default`]}
            classNames={{ input: "mono" }}
          />
          <TextInput
            aria-label={t("flow.field.description")}
            placeholder={t("flow.field.description")}
            value={values[index]?.description ?? ""}
            onChange={(event) => set(index, { description: event.currentTarget.value })}
          />
          <Switch
            label={t("flow.field.parameterRequired")}
            checked={values[index]?.required === true}
            onChange={(event) => set(index, { required: event.currentTarget.checked })}
          />
        </>
      )}
    />
  );
}

import {
  ActionIcon,
  MultiSelect,
  NumberInput,
  Select,
  Switch,
  Textarea,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { IconTrash, IconX } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { Fold } from "~/components/form-shell";
import { graphql } from "~/gql";
import { useLive } from "~/lib/live";
import { changeTask, mayConnect, renameTask, taskName } from "~/modules/flow/edit/change";
import { CheckForm } from "~/modules/flow/edit/check-form";
import { ContainerForm } from "~/modules/flow/edit/container-form";
import { HttpForm } from "~/modules/flow/edit/http-form";
import { JsonField } from "~/modules/flow/edit/json-field";
import { messageAt } from "~/modules/flow/edit/sync";
import type { FlowSpec, TaskSpec } from "~/modules/flow/spec";
import classes from "./edit.module.css";

const groupsQuery = graphql(`
  query SlotGroups($teamId: ID!) {
    slotGroups(teamId: $teamId) {
      id
      name
      slots
    }
  }
`);

const executors = ["container", "check", "http", "jar", "spark"] as const;

const triggers = ["all-succeeded", "all-done", "any-failed"] as const;

interface TaskFormProps {
  teamId: string;
  spec: FlowSpec;
  task: TaskSpec;
  /** Messages by the paths inside of the task. */
  errors: Record<string, string>;
  onChange: (change: (spec: FlowSpec) => FlowSpec) => void;
  onRename: (from: string, to: string) => void;
  onRemove: () => void;
  onClose: () => void;
}

/** The fields of one task. */
export function TaskForm(props: TaskFormProps) {
  const { t } = useTranslation();
  const { teamId, spec, task, errors, onChange, onRename, onRemove, onClose } = props;
  const { name } = task;
  const set = useCallback(
    (part: Partial<TaskSpec>) => onChange((now) => changeTask(now, name, (each) => ({ ...each, ...part }))),
    [onChange, name],
  );
  const tell = useCallback(
    (change: (told: Record<string, unknown>) => Record<string, unknown>) =>
      onChange((now) => changeTask(now, name, (each) => ({ ...each, with: change(each.with) }))),
    [onChange, name],
  );
  const needs = task.needs ?? [];
  const candidates = spec.tasks
    .map((each) => each.name)
    .filter((each) => needs.includes(each) || mayConnect(spec, each, name));
  const told = Object.fromEntries(
    Object.entries(errors).flatMap(([path, text]) =>
      path === "with" || path.startsWith("with.") ? [[path.slice("with.".length), text]] : [],
    ),
  );
  const taskClass = spec.class === "online" ? "ONLINE" : "TEST";
  const known = executors.some((each) => each === task.executor);
  const form = { teamId, taskClass, told: task.with, onChange: tell, errors: told } as const;
  return (
    <section className={classes.side} aria-label={t("flow.task.of", { name })}>
      <header className={classes.sideHead}>
        <h2>{name}</h2>
        <div>
          <Tooltip label={t("flow.task.remove")}>
            <ActionIcon size={32} aria-label={t("flow.task.remove")} onClick={onRemove}>
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
          <ActionIcon size={32} aria-label={t("action.close")} onClick={onClose}>
            <IconX size={16} />
          </ActionIcon>
        </div>
      </header>
      <div className={classes.fields}>
        <NameField spec={spec} name={name} error={errors.name} onRename={onRename} />
        <Select
          label={t("flow.task.executor")}
          data={[
            ...executors.map((each) => ({ value: each as string, label: t(`flow.executor.${each}`) })),
            ...(known ? [] : [{ value: task.executor, label: task.executor }]),
          ]}
          value={task.executor}
          onChange={(executor) => executor && set({ executor })}
          allowDeselect={false}
          error={errors.executor}
        />
        <MultiSelect
          label={t("flow.task.needs")}
          data={candidates}
          value={needs}
          onChange={(next) => set({ needs: next })}
          searchable
          error={messageAt(errors, "needs")}
        />
        {task.executor === "container" ? (
          <ContainerForm {...form} />
        ) : task.executor === "check" ? (
          <CheckForm {...form} />
        ) : task.executor === "http" ? (
          <HttpForm {...form} />
        ) : (
          <JsonField
            label={t("flow.task.with")}
            hint={t("flow.task.withHint")}
            value={task.with}
            onChange={(value) => tell(() => value)}
            error={messageAt(errors, "with")}
          />
        )}
        <Course teamId={teamId} task={task} errors={errors} set={set} />
      </div>
    </section>
  );
}

interface CourseProps {
  teamId: string;
  task: TaskSpec;
  errors: Record<string, string>;
  set: (part: Partial<TaskSpec>) => void;
}

/** When it starts, how often it is tried, how long it may take. */
function Course({ teamId, task, errors, set }: CourseProps) {
  const { t } = useTranslation();
  const { data } = useLive({ query: groupsQuery, variables: { teamId } });
  const retry = task.retry ?? {};
  const groups = (data?.slotGroups ?? []).map((group) => ({
    value: group.name,
    label: t("flow.task.groupOf", { name: group.name, slots: group.slots }),
  }));
  const open = Boolean(
    task.trigger ||
    task.when ||
    task.skip ||
    task.timeout ||
    task.pendingTimeout ||
    task.group ||
    retry.count,
  );
  const text = (
    key: "timeout" | "pendingTimeout" | "when",
    label: string,
    placeholder: string,
    hint?: string,
  ): React.ReactNode => (
    <TextInput
      label={label}
      description={hint}
      placeholder={placeholder}
      value={task[key] ?? ""}
      onChange={(event) => set({ [key]: event.currentTarget.value })}
      error={errors[key]}
      classNames={{ input: "mono" }}
    />
  );
  return (
    <Fold title={t("flow.task.course")} hint={t("flow.task.courseHint")} open={open || hasErrors(errors)}>
      <Select
        label={t("flow.task.trigger")}
        data={triggers.map((each) => ({ value: each, label: t(`flow.trigger.${each}`) }))}
        value={task.trigger || "all-succeeded"}
        onChange={(trigger) => set({ trigger: trigger === "all-succeeded" ? "" : (trigger ?? "") })}
        allowDeselect={false}
        error={errors.trigger}
      />
      {text("when", t("flow.task.when"), "${param.full} == yes", t("flow.task.whenHint"))}
      <div className={classes.pair}>
        <NumberInput
          label={t("run.field.retries")}
          min={0}
          max={100}
          allowDecimal={false}
          value={retry.count ?? 0}
          onChange={(count) => set({ retry: { ...retry, count: Number(count) || 0 } })}
          error={errors["retry.count"]}
        />
        <TextInput
          label={t("flow.task.wait")}
          placeholder="10s"
          value={retry.wait ?? ""}
          onChange={(event) => set({ retry: { ...retry, wait: event.currentTarget.value } })}
          error={errors["retry.wait"]}
        />
      </div>
      {retry.count ? (
        <div className={classes.pair}>
          <TextInput
            label={t("flow.task.most")}
            placeholder="5m"
            value={retry.most ?? ""}
            onChange={(event) => set({ retry: { ...retry, most: event.currentTarget.value } })}
            error={errors["retry.most"]}
          />
          <NumberInput
            label={t("flow.task.jitter")}
            min={0}
            max={1}
            step={0.1}
            value={retry.jitter ?? 0}
            onChange={(jitter) => set({ retry: { ...retry, jitter: Number(jitter) || 0 } })}
            error={errors["retry.jitter"]}
          />
        </div>
      ) : null}
      <div className={classes.pair}>
        {text("timeout", t("facts.timeout"), "2h")}
        {text("pendingTimeout", t("flow.task.pending"), "30m")}
      </div>
      <div className={classes.pair}>
        <Select
          label={t("flow.task.group")}
          data={
            task.group && !groups.some((group) => group.value === task.group)
              ? [...groups, { value: task.group, label: task.group }]
              : groups
          }
          value={task.group || null}
          onChange={(group) => set({ group: group ?? "" })}
          clearable
          error={errors.group}
        />
        <NumberInput
          label={t("flow.field.priority")}
          min={-100}
          max={100}
          allowDecimal={false}
          value={task.priority ?? 0}
          onChange={(priority) => set({ priority: Number(priority) || 0 })}
          error={errors.priority}
        />
      </div>
      <Switch
        label={t("flow.task.skip")}
        checked={task.skip === true}
        onChange={(event) => set({ skip: event.currentTarget.checked })}
      />
      <Textarea
        label={t("flow.field.description")}
        value={task.description ?? ""}
        onChange={(event) => set({ description: event.currentTarget.value })}
        autosize
        minRows={1}
      />
    </Fold>
  );
}

function hasErrors(errors: Record<string, string>): boolean {
  return Object.keys(errors).some((path) => !/^(?:with|needs|name|executor)(?:\.|$)/.test(path));
}

interface NameFieldProps {
  spec: FlowSpec;
  name: string;
  error: string | undefined;
  onRename: (from: string, to: string) => void;
}

/** A name counts when the field is left: half a name may be another task's. */
function NameField({ spec, name, error, onRename }: NameFieldProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(name);
  const taken = typed !== name && spec.tasks.some((task) => task.name === typed);
  const wrong = !taskName.test(typed);
  const commit = (): void => {
    if (renameTask(spec, name, typed) !== spec) onRename(name, typed);
  };
  return (
    <TextInput
      label={t("flow.name")}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }}
      maxLength={63}
      error={taken ? t("flow.task.nameTaken") : wrong ? t("flow.task.nameWrong") : error}
      classNames={{ input: "mono" }}
    />
  );
}

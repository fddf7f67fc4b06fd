import { Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import { useLive } from "~/lib/live";
import { ContainerForm, type ExecutorFormProps } from "~/modules/flow/edit/container-form";
import { HttpForm } from "~/modules/flow/edit/http-form";
import { messageAt } from "~/modules/flow/edit/sync";
import { isRecord } from "~/modules/flow/spec";
import { useMountables } from "~/modules/volume/choices";
import classes from "./edit.module.css";

const choicesQuery = graphql(`
  query FlowChoices($teamId: ID!) {
    flows(first: 100, filter: { teamId: $teamId }) {
      nodes {
        id
        name
      }
    }
  }
`);

/** Flows of a team to choose from; one that is not among them stays, by its id. */
export function useFlowChoices(teamId: string, known: readonly string[]): { value: string; label: string }[] {
  const { data } = useLive({ query: choicesQuery, variables: { teamId } });
  const flows = (data?.flows.nodes ?? []).map((flow) => ({ value: flow.id, label: flow.name }));
  const ids = new Set(flows.map((flow) => flow.value));
  return [
    ...flows,
    ...known.filter((id) => id !== "" && !ids.has(id)).map((id) => ({ value: id, label: id })),
  ];
}

const kinds = ["path", "flow", "url", "webhdfs", "command"] as const;
type Kind = (typeof kinds)[number];

const beginnings: Record<Kind, Record<string, unknown>> = {
  path: { volumeId: "", path: "" },
  flow: { flowId: "" },
  url: { url: "" },
  webhdfs: { url: "", path: "" },
  command: { command: [], resources: { cpu: "500m", memory: "512Mi", gpu: 0 } },
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** What is waited for, how often it is looked at, and how long at most. */
export function CheckForm({ teamId, taskClass, told, onChange, errors }: ExecutorFormProps) {
  const { t } = useTranslation();
  const volumes = useMountables(teamId);
  const kind = kinds.find((each) => isRecord(told[each])) ?? "path";
  const inner = isRecord(told[kind]) ? told[kind] : beginnings[kind];
  const flows = useFlowChoices(teamId, [text(inner.flowId)]);
  const change = (part: Record<string, unknown>): void =>
    onChange((now) => {
      const before = now[kind];
      const next = { ...(isRecord(before) ? before : {}), ...part };
      for (const [key, value] of Object.entries(part)) if (value === "") delete next[key];
      return { ...now, [kind]: next };
    });
  const put = (key: "every" | "for", value: string): void =>
    onChange((now) => {
      const next = { ...now, [key]: value };
      if (value === "") delete next[key];
      return next;
    });
  const at = (path: string): string | undefined => messageAt(errors, path);
  const field = (name: string, label: string, placeholder: string): React.ReactNode => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={text(inner[name])}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
      error={at(`${kind}.${name}`)}
      classNames={{ input: "mono" }}
    />
  );
  // The first one is what it means when nothing is said.
  const choice = (name: string, label: string, data: { value: string; label: string }[]): React.ReactNode => (
    <Select
      label={label}
      data={data}
      value={text(inner[name]) || (data[0]?.value ?? null)}
      onChange={(next) => change({ [name]: next === data[0]?.value ? "" : next })}
      allowDeselect={false}
      error={at(`${kind}.${name}`)}
    />
  );
  const form = {
    teamId,
    taskClass,
    told: inner,
    onChange: (how: (told: Record<string, unknown>) => Record<string, unknown>) =>
      onChange((now) => ({ ...now, [kind]: how(isRecord(now[kind]) ? now[kind] : {}) })),
    errors: Object.fromEntries(
      Object.entries(errors).flatMap(([path, message]) =>
        path.startsWith(`${kind}.`) ? [[path.slice(kind.length + 1), message]] : [],
      ),
    ),
  };
  const known = volumes.some((volume) => volume.id === inner.volumeId);
  return (
    <>
      <Select
        label={t("flow.check.kind")}
        data={kinds.map((each) => ({ value: each, label: t(`flow.check.${each}`) }))}
        value={kind}
        onChange={(next) => {
          if (!next || next === kind) return;
          onChange((now) => {
            const rest = Object.entries(now).filter(([key]) => key !== kind);
            return { ...Object.fromEntries(rest), [next]: structuredClone(beginnings[next as Kind]) };
          });
        }}
        allowDeselect={false}
        error={errors[""] ?? errors[kind]}
      />
      {kind === "path" ? (
        <>
          <Select
            label={t("mount.volume")}
            data={[
              ...volumes.map((volume) => ({ value: volume.id, label: volume.label })),
              ...(known || !inner.volumeId
                ? []
                : [{ value: text(inner.volumeId), label: text(inner.volumeId) }]),
            ]}
            value={text(inner.volumeId) || null}
            onChange={(id) => id && change({ volumeId: id })}
            allowDeselect={false}
            error={at("path.volumeId")}
          />
          {field("path", t("flow.check.pathIn"), "daily/${yyyy-MM-dd}/_SUCCESS")}
        </>
      ) : null}
      {kind === "flow" ? (
        <>
          <Select
            label={t("flow.one")}
            data={flows}
            value={text(inner.flowId) || null}
            onChange={(id) => id && change({ flowId: id })}
            searchable
            allowDeselect={false}
            error={at("flow.flowId")}
          />
          {field("offset", t("flow.check.offset"), "-1d")}
          <div className={classes.pair}>
            {choice("match", t("flow.check.match"), [
              { value: "exact", label: t("flow.check.exact") },
              { value: "day", label: t("flow.check.day") },
            ])}
            {choice("state", t("flow.check.state"), [
              { value: "succeeded", label: t("flow.check.succeeded") },
              { value: "ended", label: t("flow.check.ended") },
            ])}
          </div>
        </>
      ) : null}
      {kind === "webhdfs" ? (
        <>
          {field("url", "URL", "http://namenode:9870")}
          {field("path", t("flow.check.pathAbsolute"), "/warehouse/${yyyyMMdd}/_SUCCESS")}
          {field("user", t("flow.check.user"), "")}
        </>
      ) : null}
      {kind === "url" ? <HttpForm {...form} /> : null}
      {kind === "command" ? <ContainerForm {...form} /> : null}
      <div className={classes.pair}>
        <TextInput
          label={t("flow.check.every")}
          placeholder="1m"
          value={text(told.every)}
          onChange={(event) => put("every", event.currentTarget.value)}
          error={at("every")}
        />
        <TextInput
          label={t("flow.check.for")}
          placeholder="6h"
          value={text(told.for)}
          onChange={(event) => put("for", event.currentTarget.value)}
          error={at("for")}
        />
      </div>
    </>
  );
}

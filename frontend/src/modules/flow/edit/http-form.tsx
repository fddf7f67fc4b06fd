import { NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ExecutorFormProps } from "~/modules/flow/edit/container-form";
import { messageAt } from "~/modules/flow/edit/sync";
import { isRecord } from "~/modules/flow/spec";
import classes from "./edit.module.css";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** `Name: value` a line, as headers are written. */
export function readHeaders(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines.split("\n").flatMap((line) => {
      const at = line.indexOf(":");
      return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()]] : [];
    }),
  );
}

export function writeHeaders(headers: unknown): string {
  return isRecord(headers)
    ? Object.entries(headers)
        .map(([name, value]) => `${name}: ${text(value)}`)
        .join("\n")
    : "";
}

/** A call of a URL, and what answer is expected. */
export function HttpForm({ told, onChange, errors }: ExecutorFormProps) {
  const { t } = useTranslation();
  const [headers, setHeaders] = useState(() => writeHeaders(told.headers));
  const expect = isRecord(told.expect) ? told.expect : {};
  const status: unknown = Array.isArray(expect.status) ? expect.status[0] : undefined;
  const at = (path: string): string | undefined => messageAt(errors, path);
  const put = (key: string, value: unknown, says: boolean): void =>
    onChange((now) => {
      const next = { ...now };
      if (says) next[key] = value;
      else delete next[key];
      return next;
    });
  return (
    <>
      <div className={classes.pair} data-first-small>
        <Select
          label={t("flow.http.method")}
          data={methods}
          value={text(told.method) || "GET"}
          onChange={(method) => put("method", method, true)}
          allowDeselect={false}
          error={at("method")}
        />
        <TextInput
          label="URL"
          placeholder="https://…"
          value={text(told.url)}
          onChange={(event) => put("url", event.currentTarget.value, true)}
          error={at("url")}
          classNames={{ input: "mono" }}
        />
      </div>
      <Textarea
        label={t("flow.http.headers")}
        placeholder="Content-Type: application/json"
        value={headers}
        onChange={(event) => {
          setHeaders(event.currentTarget.value);
          const read = readHeaders(event.currentTarget.value);
          put("headers", read, Object.keys(read).length > 0);
        }}
        autosize
        minRows={1}
        error={at("headers")}
        classNames={{ input: "mono" }}
      />
      <Textarea
        label={t("flow.http.body")}
        value={text(told.body)}
        onChange={(event) => put("body", event.currentTarget.value, event.currentTarget.value !== "")}
        autosize
        minRows={2}
        maxRows={12}
        error={at("body")}
        classNames={{ input: "mono" }}
      />
      <div className={classes.pair}>
        <NumberInput
          label={t("flow.http.status")}
          placeholder="2xx"
          min={100}
          max={599}
          allowDecimal={false}
          value={typeof status === "number" ? status : ""}
          onChange={(value) => {
            const code = Number(value);
            const { status: _status, ...rest } = expect;
            const next = value !== "" && code >= 100 ? { ...rest, status: [code] } : rest;
            put("expect", next, Object.keys(next).length > 0);
          }}
          error={at("expect")}
        />
        <TextInput
          label={t("facts.timeout")}
          placeholder="30s"
          value={text(told.timeout)}
          onChange={(event) => put("timeout", event.currentTarget.value, event.currentTarget.value !== "")}
          error={at("timeout")}
        />
      </div>
    </>
  );
}

import { MultiSelect, NumberInput, Select, TextInput } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFlowChoices } from "~/modules/flow/edit/check-form";
import { messageAt, type Fire } from "~/modules/flow/edit/sync";
import { FireLines } from "~/modules/flow/fire-times";
import type { ScheduleSpec } from "~/modules/flow/spec";
import { cronWords } from "~/modules/flow/words";
import { instantOf, localOf, zones } from "~/modules/flow/zoned";
import classes from "./edit.module.css";

const kinds = ["manual", "cron", "every", "at", "after"] as const;
type Kind = (typeof kinds)[number];

export function kindOf(schedule: ScheduleSpec): Kind {
  if (schedule.cron !== undefined && schedule.cron !== "") return "cron";
  if (schedule.every) return "every";
  if (schedule.at) return "at";
  return schedule.after && schedule.after.length > 0 ? "after" : "manual";
}

const beginnings: Record<Kind, ScheduleSpec> = {
  manual: {},
  cron: { cron: "0 2 * * *" },
  every: { every: "1h" },
  at: { at: "" },
  after: { after: [] },
};

/** A schedule of another kind; what belongs to every kind stays. */
export function becomes(schedule: ScheduleSpec, kind: Kind): ScheduleSpec {
  const { cron: _cron, every: _every, anchor: _anchor, at: _at, after: _after, ...rest } = schedule;
  if (kind === "at") return { ...rest, at: new Date(Math.ceil(Date.now() / 3.6e6) * 3.6e6).toISOString() };
  return { ...rest, ...beginnings[kind] };
}

interface ScheduleFieldsProps {
  teamId: string;
  schedule: ScheduleSpec;
  fires: readonly Fire[];
  /** Messages by the paths of the flow. */
  errors: Record<string, string>;
  onChange: (schedule: ScheduleSpec) => void;
}

/** When a flow fires, and the next times at which it would. */
export function ScheduleFields({ teamId, schedule, fires, errors, onChange }: ScheduleFieldsProps) {
  const { t, i18n } = useTranslation();
  const zone = schedule.timezone || "UTC";
  const allZones = useMemo(() => zones(), []);
  const flows = useFlowChoices(teamId, schedule.after ?? []);
  // While nothing is chosen yet, an empty list says that others are waited for.
  const kind = schedule.after ? "after" : schedule.cron === undefined ? kindOf(schedule) : "cron";
  const set = (part: Partial<ScheduleSpec>): void => onChange({ ...schedule, ...part });
  const at = (path: string): string | undefined => messageAt(errors, `schedule.${path}`);
  const words = schedule.cron ? cronWords(schedule.cron, t, i18n.language) : null;
  const instant = (key: "at" | "from" | "until", label: string): React.ReactNode => (
    <TextInput
      type="datetime-local"
      label={label}
      value={schedule[key] ? localOf(new Date(schedule[key]), zone) : ""}
      onChange={(event) => set({ [key]: instantOf(event.currentTarget.value, zone) ?? "" })}
      error={at(key)}
    />
  );
  return (
    <>
      <div className={classes.pair}>
        <Select
          label={t("flow.facts.schedule")}
          data={kinds.map((each) => ({ value: each, label: t(`flow.kind.${each}`) }))}
          value={kind}
          onChange={(next) => next && next !== kind && onChange(becomes(schedule, next as Kind))}
          allowDeselect={false}
          error={errors.schedule}
        />
        <Select
          label={t("flow.field.zone")}
          data={allZones.includes(zone) ? allZones : [zone, ...allZones]}
          value={zone}
          onChange={(next) => next && set({ timezone: next })}
          searchable
          allowDeselect={false}
          limit={40}
          error={at("timezone")}
        />
      </div>
      {kind === "cron" ? (
        <TextInput
          label={t("flow.field.cron")}
          description={words ?? t("flow.field.cronHint")}
          value={schedule.cron ?? ""}
          onChange={(event) => set({ cron: event.currentTarget.value })}
          error={at("cron")}
          classNames={{ input: "mono" }}
        />
      ) : null}
      {kind === "every" ? (
        <TextInput
          label={t("flow.field.every")}
          placeholder="8m"
          value={schedule.every ?? ""}
          onChange={(event) => set({ every: event.currentTarget.value })}
          error={at("every")}
          classNames={{ input: "mono" }}
        />
      ) : null}
      {kind === "at" ? instant("at", t("flow.field.at")) : null}
      {kind === "after" ? (
        <MultiSelect
          label={t("flow.field.after")}
          data={flows}
          value={schedule.after ?? []}
          onChange={(after) => set({ after })}
          searchable
          error={at("after")}
        />
      ) : null}
      {fires.length > 0 ? <FireLines label={t("flow.field.next")} fires={fires} /> : null}
      {kind === "manual" ? null : (
        <>
          <div className={classes.pair}>
            {instant("from", t("flow.field.from"))}
            {instant("until", t("flow.field.until"))}
          </div>
          <div className={classes.pair}>
            <Select
              label={t("flow.field.misfire")}
              data={(["skip", "latest", "all"] as const).map((each) => ({
                value: each,
                label: t(`flow.misfire.${each}`),
              }))}
              value={schedule.misfire?.policy || "latest"}
              onChange={(policy) => policy && set({ misfire: { ...schedule.misfire, policy } })}
              allowDeselect={false}
              error={at("misfire")}
            />
            {schedule.misfire?.policy === "all" ? (
              <NumberInput
                label={t("flow.field.misfireLimit")}
                min={1}
                max={100}
                allowDecimal={false}
                placeholder="10"
                value={schedule.misfire.limit ?? ""}
                onChange={(limit) => set({ misfire: { ...schedule.misfire, limit: Number(limit) || 0 } })}
                error={at("misfire.limit")}
              />
            ) : (
              <TextInput
                label={t("flow.field.startDeadline")}
                placeholder="1h"
                value={schedule.startDeadline ?? ""}
                onChange={(event) => set({ startDeadline: event.currentTarget.value })}
                error={at("startDeadline")}
              />
            )}
          </div>
        </>
      )}
    </>
  );
}

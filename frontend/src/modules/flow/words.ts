import type { TFunction } from "i18next";
import type { FlowScheduleKind } from "~/gql/graphql";

export interface ScheduleLike {
  kind: FlowScheduleKind;
  text: string;
  timezone: string;
}

const aliases: Record<string, string> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
};

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** `1,3-5` as numbers; null for what is no plain list within the bounds. */
function numbers(field: string, least: number, most: number, names: readonly string[] = []): number[] | null {
  const out: number[] = [];
  for (const part of field.toLowerCase().split(",")) {
    const ends = part.split("-").map((end) => (names.includes(end) ? String(names.indexOf(end)) : end));
    if (ends.length > 2 || ends.some((end) => !/^\d{1,2}$/.test(end))) return null;
    const from = Number(ends[0]);
    const to = Number(ends.at(-1));
    if (from > to || from < least || to > most) return null;
    for (let n = from; n <= to; n++) out.push(n);
  }
  return out;
}

/** N of a star with a step, 1 of a star alone; null for something else. */
function step(field: string): number | null {
  if (field === "*") return 1;
  const match = /^\*\/(\d{1,2})$/.exec(field);
  return match && Number(match[1]) > 0 ? Number(match[1]) : null;
}

const two = (n: number): string => String(n).padStart(2, "0");

function dayNames(days: readonly number[], language: string): string {
  const format = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
  // 2023-01-01 was a Sunday.
  return [...new Set(days.map((day) => day % 7))]
    .toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7))
    .map((day) => format.format(new Date(Date.UTC(2023, 0, 1 + day))))
    .join(language.startsWith("zh") ? "、" : ", ");
}

/** A cron expression in words; null where the words would be longer than the expression. */
export function cronWords(text: string, t: TFunction, language: string): string | null {
  const fields = (aliases[text.trim()] ?? text).trim().split(/\s+/);
  let seconds = "0";
  if (fields.length === 6) seconds = fields.shift() ?? "0";
  if (fields.length !== 5) return null;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  if (month !== "*") return null;
  const always = day === "*" && (weekday === "*" || weekday === "?");
  if (seconds !== "0") {
    const every = step(seconds);
    if (every === null || !always || minute !== "*" || hour !== "*") return null;
    return every === 1 ? t("flow.when.second") : t("flow.when.seconds", { n: every });
  }
  if (always && hour === "*" && step(minute) !== null) {
    const every = step(minute) ?? 1;
    // A step that does not divide the hour is no even interval: the expression says it better.
    if (every !== 1 && 60 % every !== 0) return null;
    return every === 1 ? t("flow.when.minute") : t("flow.when.minutes", { n: every });
  }
  const at = numbers(minute, 0, 59);
  if (!at || at.length !== 1) return null;
  const every = step(hour);
  if (every !== null) {
    if (!always || 24 % every !== 0) return null;
    const values = { n: every, minute: two(at[0] ?? 0) };
    return every === 1 ? t("flow.when.hourly", values) : t("flow.when.hours", values);
  }
  const hours = numbers(hour, 0, 23);
  if (!hours || hours.length > 4) return null;
  const time = hours.map((each) => `${two(each)}:${two(at[0] ?? 0)}`).join(", ");
  if (always) return t("flow.when.daily", { time });
  if (day === "*" || day === "?") {
    const days = numbers(weekday, 0, 7, weekdays);
    if (!days) return null;
    return days.join(",") === "1,2,3,4,5"
      ? t("flow.when.weekdays", { time })
      : t("flow.when.weekly", { days: dayNames(days, language), time });
  }
  const days = numbers(day, 1, 31);
  return days && (weekday === "*" || weekday === "?")
    ? t("flow.when.monthly", { days: days.join(", "), time })
    : null;
}

/** `1h30m` of Go as `1 h 30 min`; what is no duration stays as it is. */
export function spanWords(text: string, t: TFunction): string {
  if (!/^(?:\d+(?:\.\d+)?(?:h|m|s))+$/.test(text)) return text;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(h|m|s)/g)]
    .map((match) => t(`duration.${match[2] === "h" ? "h" : match[2] === "m" ? "min" : "s"}`, { n: match[1] }))
    .join(" ");
}

function instantWords(text: string, zone: string, language: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  try {
    return new Intl.DateTimeFormat(language, {
      dateStyle: "medium",
      timeStyle: "short",
      hourCycle: "h23",
      timeZone: zone,
    }).format(at);
  } catch {
    return text; // a zone that this browser does not know
  }
}

/** When a flow fires, as people say it: `every day 02:00 Asia/Shanghai`. */
export function scheduleWords(schedule: ScheduleLike, t: TFunction, language: string): string {
  const zone = schedule.timezone || "UTC";
  const zoned = (words: string): string => t("flow.when.zone", { words, zone });
  switch (schedule.kind) {
    case "CRON":
      return zoned(cronWords(schedule.text, t, language) ?? schedule.text);
    case "INTERVAL":
      return t("flow.when.every", { span: spanWords(schedule.text.replace(/^every\s+/, ""), t) });
    case "ONCE":
      return zoned(t("flow.when.once", { time: instantWords(schedule.text, zone, language) }));
    case "UPSTREAM":
      return t("flow.when.upstream");
    case "MANUAL":
      return t("flow.when.manual");
  }
}

/** The expression beside the words, where the words do not show it already. */
export function scheduleExpression(schedule: ScheduleLike, t: TFunction, language: string): string {
  return schedule.kind === "CRON" && cronWords(schedule.text, t, language) !== null ? schedule.text : "";
}

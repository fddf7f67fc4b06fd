import type { TFunction } from "i18next";

const binaryUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

function trimmed(value: number, language: string, digits: number): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
}

/** `24 GiB`: binary units, at most one decimal, none from 100 on. */
export function formatBytes(bytes: number, language: string): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < binaryUnits.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${trimmed(value, language, value >= 100 || unit === 0 ? 0 : 1)} ${binaryUnits[unit]}`;
}

/** Cores without their unit: `0.5`, `4`. */
export function formatCores(milli: number, language: string): string {
  return trimmed(milli / 1000, language, 2);
}

export function formatCount(count: number, language: string): string {
  return new Intl.NumberFormat(language).format(count);
}

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`: two units at most. */
export function formatDuration(seconds: number, t: TFunction): string {
  const s = Math.max(0, seconds);
  if (s < 10 && s !== Math.round(s)) return t("duration.s", { n: s.toFixed(1) });
  const whole = Math.round(s);
  if (whole < 60) return t("duration.s", { n: whole });
  const minutes = Math.floor(whole / 60);
  if (minutes < 60)
    return pair(t("duration.min", { n: minutes }), whole % 60, t("duration.s", { n: whole % 60 }));
  const hours = Math.floor(minutes / 60);
  if (hours < 24)
    return pair(t("duration.h", { n: hours }), minutes % 60, t("duration.min", { n: minutes % 60 }));
  return pair(t("duration.d", { n: Math.floor(hours / 24) }), hours % 24, t("duration.h", { n: hours % 24 }));
}

function pair(larger: string, rest: number, smaller: string): string {
  return rest === 0 ? larger : `${larger} ${smaller}`;
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** `now`, `5m ago`, `in 2h`; from 30 days on the date. */
export function formatRelative(at: Date, now: Date, language: string, t: TFunction): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const size = Math.abs(seconds);
  if (size < 45) return t("time.now");
  if (size > 30 * 86_400) return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(at);
  const relative = new Intl.RelativeTimeFormat(language, { style: "narrow" });
  for (const [unit, length] of steps) {
    if (size >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(Math.sign(seconds), "minute");
}

/** The instant to the second, in the viewer's zone, with the zone named. */
export function formatExact(at: Date, language: string): string {
  return new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  }).format(at);
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

/** `14:03:27`, in the viewer's zone. */
export function formatClock(at: Date, withMillis = false): string {
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return withMillis ? `${clock}.${String(at.getMilliseconds()).padStart(3, "0")}` : clock;
}

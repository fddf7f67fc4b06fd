import i18next from "i18next";
import { expect, test } from "vitest";
import { cronWords, scheduleExpression, scheduleWords } from "~/modules/flow/words";

const t = i18next.t;

test.each([
  ["0 2 * * *", "every day 02:00"],
  ["30 2,14 * * *", "every day 02:30, 14:30"],
  ["0 0 2 * * *", "every day 02:00"],
  ["@daily", "every day 00:00"],
  ["* * * * *", "every minute"],
  ["*/5 * * * *", "every 5 minutes"],
  ["15 * * * *", "every hour at minute 15"],
  ["0 */6 * * *", "every 6 hours at minute 00"],
  ["0 9 * * 1-5", "on working days 09:00"],
  ["0 9 * * MON,sun", "Mon, Sun 09:00"],
  ["0 9 * * 0,7", "Sun 09:00"],
  ["0 4 1,15 * *", "day 1, 15 of each month 04:00"],
  ["*/10 * * * * *", "every 10 seconds"],
])("%s is %s", (cron, words) => {
  expect(cronWords(cron, t, "en")).toBe(words);
});

// Words that would say something else than the expression are worse than none.
test.each([
  "*/7 * * * *",
  "0 */5 * * *",
  "0 2 1 * 1",
  "0 2 * 3 *",
  "0 2-40 * * *",
  "0 0 L * *",
  "nonsense",
  "",
])("%j has no words", (cron) => {
  expect(cronWords(cron, t, "en")).toBeNull();
});

test("a schedule is told with its zone, and the expression beside its words only", () => {
  const daily = { kind: "CRON", text: "0 2 * * *", timezone: "Asia/Shanghai" } as const;
  expect(scheduleWords(daily, t, "en")).toBe("every day 02:00 Asia/Shanghai");
  expect(scheduleExpression(daily, t, "en")).toBe("0 2 * * *");
  const odd = { kind: "CRON", text: "0 2 1 * 1", timezone: "" } as const;
  expect(scheduleWords(odd, t, "en")).toBe("0 2 1 * 1 UTC");
  expect(scheduleExpression(odd, t, "en")).toBe("");
});

test("intervals, once, after others and by hand", () => {
  expect(scheduleWords({ kind: "INTERVAL", text: "every 1h30m", timezone: "" }, t, "en")).toBe(
    "every 1 h 30 min",
  );
  expect(scheduleWords({ kind: "INTERVAL", text: "every 8m", timezone: "" }, t, "en")).toBe("every 8 min");
  expect(
    scheduleWords({ kind: "ONCE", text: "2026-03-01T18:00:00Z", timezone: "Asia/Shanghai" }, t, "en"),
  ).toBe("once, Mar 2, 2026, 02:00 Asia/Shanghai");
  expect(scheduleWords({ kind: "UPSTREAM", text: "", timezone: "" }, t, "en")).toBe("after other flows");
  expect(scheduleWords({ kind: "MANUAL", text: "", timezone: "" }, t, "en")).toBe("by hand");
});

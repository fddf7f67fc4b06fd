import { expect, test } from "vitest";
import { clockText, instantOf, localOf } from "~/modules/flow/zoned";

test.each([
  ["2026-03-01T02:00", "Asia/Shanghai", "2026-02-28T18:00:00.000Z"],
  ["2026-03-01", "UTC", "2026-03-01T00:00:00.000Z"],
  ["2026-07-01T02:00", "America/New_York", "2026-07-01T06:00:00.000Z"],
  // Twice: the earlier one.
  ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z"],
  // Never: 02:30 is 03:30 after the change.
  ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:30:00.000Z"],
  ["", "UTC", null],
  ["2026-03-01T02:00", "Nowhere/Town", null],
])("%s in %s is %s", (local, zone, instant) => {
  expect(instantOf(local, zone)).toBe(instant);
});

test("an instant as the zone's clock shows it", () => {
  expect(localOf(new Date("2026-02-28T18:00:00Z"), "Asia/Shanghai")).toBe("2026-03-01T02:00");
});

test("a local time is read without its offset, and seconds only where they tell something", () => {
  expect(clockText("2026-12-01T04:44:00+08:00")).toBe("2026-12-01 04:44");
  expect(clockText("2026-12-01T04:44:34Z")).toBe("2026-12-01 04:44:34");
});

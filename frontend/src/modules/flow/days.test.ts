import { expect, test } from "vitest";
import { byDay } from "~/modules/flow/days";

test("fires stand under the day of their zone, not of UTC", () => {
  const days = byDay([
    { at: "2026-02-28T18:00:00Z", local: "2026-03-01 02:00 +08:00", note: "" },
    { at: "2026-03-01T06:00:00Z", local: "2026-03-01 14:00 +08:00", note: "moved" },
    { at: "2026-03-01T18:00:00Z", local: "2026-03-02 02:00 +08:00", note: "" },
  ]);
  expect(days.map((day) => [day.date, day.first, day.fires.map((fire) => fire.clock)])).toEqual([
    ["2026-03-01", true, ["02:00 +08:00", "14:00 +08:00"]],
    ["2026-03-02", false, ["02:00 +08:00"]],
  ]);
  expect(days[0]?.fires[1]?.note).toBe("moved");
});

test("a text of another form is shown as it is", () => {
  expect(byDay([{ at: "2026-03-01T06:00:00Z", local: "soon", note: "" }])).toEqual([
    { date: "2026-03-01", first: true, fires: [{ at: "2026-03-01T06:00:00Z", clock: "soon", note: "" }] },
  ]);
});

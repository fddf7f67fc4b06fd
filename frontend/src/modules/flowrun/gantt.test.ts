import { expect, test } from "vitest";
import { gantt } from "~/modules/flowrun/gantt";

const at = (second: number): string => new Date(Date.UTC(2026, 2, 1) + second * 1_000).toISOString();

test("bars lie where their times are, and a wait stands before its bar", () => {
  const chart = gantt(
    [
      { name: "a", startedAt: at(0), endedAt: at(50) },
      { name: "b", readyAt: at(50), startedAt: at(60), endedAt: at(100) },
      { name: "c" },
    ],
    at(0),
    Date.parse(at(500)),
  );
  expect(chart.bars).toEqual([
    { name: "a", wait: null, run: { left: 0, width: 50 } },
    { name: "b", wait: { left: 50, width: 10 }, run: { left: 60, width: 40 } },
    { name: "c", wait: null, run: null },
  ]);
  expect(chart.ticks.map((tick) => tick.seconds)).toEqual([0, 15, 30, 45, 60, 75, 90]);
});

test("what runs reaches to now", () => {
  const chart = gantt([{ name: "a", startedAt: at(10), endedAt: null }], at(0), Date.parse(at(20)));
  expect(chart.bars[0]?.run).toEqual({ left: 50, width: 50 });
});

test("a run that has not begun has no axis", () => {
  expect(gantt([{ name: "a" }], null, 5).ticks).toEqual([]);
});

test("long runs have few lines", () => {
  for (const seconds of [1, 59, 3_601, 100_000, 9_999_999]) {
    const chart = gantt([{ name: "a", startedAt: at(0), endedAt: at(seconds) }], at(0), 0);
    expect(chart.ticks.length).toBeLessThanOrEqual(9);
    expect(chart.ticks.every((tick) => tick.left <= 100)).toBe(true);
  }
});

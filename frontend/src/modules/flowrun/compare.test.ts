import { expect, test } from "vitest";
import { pairSteps, pairValues, type ComparedStep } from "~/modules/flowrun/compare";

const step = (name: string, state: ComparedStep["state"], seconds?: number): ComparedStep => ({
  name,
  state,
  startedAt: "2026-03-01T00:00:00Z",
  endedAt: seconds === undefined ? null : new Date(Date.UTC(2026, 2, 1) + seconds * 1_000).toISOString(),
});

test("steps are paired by name, and what differs is marked", () => {
  const pairs = pairSteps(
    [step("a", "SUCCEEDED", 100), step("gone", "SUCCEEDED", 1), step("b", "SUCCEEDED", 10)],
    [step("a", "SUCCEEDED", 101), step("b", "FAILED", 10), step("c", "RUNNING")],
  );
  expect(pairs.map((pair) => [pair.name, pair.delta, pair.differs])).toEqual([
    ["a", 1, false],
    ["b", 0, true],
    ["c", null, true],
    ["gone", null, true],
  ]);
});

test("a step that took much longer differs", () => {
  expect(pairSteps([step("a", "SUCCEEDED", 60)], [step("a", "SUCCEEDED", 120)])[0]).toMatchObject({
    delta: 60,
    differs: true,
  });
});

test("values are paired by name", () => {
  expect(pairValues({ day: "1", old: 2 }, { day: "2", list: ["x"] })).toEqual([
    { name: "day", left: "1", right: "2" },
    { name: "list", left: null, right: '["x"]' },
    { name: "old", left: "2", right: null },
  ]);
});

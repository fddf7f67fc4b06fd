import { expect, test } from "vitest";
import { gridRows, moveIn, type GridRun } from "~/modules/flow/grid";

const run = (id: string, steps: Record<string, "SUCCEEDED" | "FAILED">): GridRun => ({
  id,
  localTime: id,
  state: "SUCCEEDED",
  steps: Object.entries(steps).map(([name, state]) => ({ id: `${id}-${name}`, name, state })),
});

test("rows follow the newest version; tasks that are gone come last, with holes where they were not", () => {
  const runs = [run("1", { old: "SUCCEEDED", a: "FAILED" }), run("2", { a: "SUCCEEDED", b: "SUCCEEDED" })];
  expect(gridRows(["b", "a"], runs)).toEqual([
    { task: "b", cells: [null, "SUCCEEDED"], current: true },
    { task: "a", cells: ["FAILED", "SUCCEEDED"], current: true },
    { task: "old", cells: ["SUCCEEDED", null], current: false },
  ]);
});

test("arrows stay within the grid", () => {
  const at = { row: 0, column: 2 };
  expect(moveIn("ArrowUp", at, 3, 3)).toEqual({ row: 0, column: 2 });
  expect(moveIn("ArrowRight", at, 3, 3)).toEqual({ row: 0, column: 2 });
  expect(moveIn("ArrowDown", at, 3, 3)).toEqual({ row: 1, column: 2 });
  expect(moveIn("PageDown", at, 3, 3)).toEqual({ row: 2, column: 2 });
  expect(moveIn("Home", at, 3, 3)).toEqual({ row: 0, column: 0 });
  expect(moveIn("a", at, 3, 3)).toBeNull();
});

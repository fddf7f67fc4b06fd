import { expect, test } from "vitest";
import { edgesOf, layout, nodeHeight, nodeWidth, type GraphTask } from "~/modules/flow/graph/layout";

const task = (name: string, ...needs: string[]): GraphTask => ({ name, needs });

test("what needs something stands right of it, and nothing overlaps", () => {
  const tasks = [task("a"), task("b", "a"), task("c", "a"), task("d", "b", "c"), task("alone")];
  const places = layout(tasks);
  expect([...places.keys()]).toEqual(["a", "b", "c", "d", "alone"]);
  for (const { from, to } of edgesOf(tasks)) {
    expect(places.get(to)?.x ?? 0).toBeGreaterThanOrEqual((places.get(from)?.x ?? 0) + nodeWidth);
  }
  const all = [...places.values()];
  for (const [i, one] of all.entries()) {
    for (const other of all.slice(i + 1)) {
      expect(Math.abs(one.x - other.x) >= nodeWidth || Math.abs(one.y - other.y) >= nodeHeight).toBe(true);
    }
  }
});

test("a definition that is still wrong has a layout: circles, unknown needs, needs of itself", () => {
  const tasks = [task("a", "b"), task("b", "a"), task("c", "c", "nobody", "a", "a")];
  expect(edgesOf(tasks)).toEqual([
    { from: "b", to: "a" },
    { from: "a", to: "b" },
    { from: "a", to: "c" },
  ]);
  expect(layout(tasks).size).toBe(3);
  expect(layout([]).size).toBe(0);
});

test("500 tasks are laid out while somebody waits", () => {
  const tasks = Array.from({ length: 500 }, (_, i) =>
    task(`t${i}`, ...(i < 20 ? [] : [`t${i - 20}`, `t${i - 13}`])),
  );
  const begun = performance.now();
  expect(layout(tasks).size).toBe(500);
  expect(performance.now() - begun).toBeLessThan(8_000);
});

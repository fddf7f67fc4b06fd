import { expect, test } from "vitest";
import {
  addTask,
  changeTask,
  connect,
  disconnect,
  mayConnect,
  removeTask,
  renameTask,
} from "~/modules/flow/edit/change";
import type { FlowSpec, TaskSpec } from "~/modules/flow/spec";

const task = (name: string, ...needs: string[]): TaskSpec => ({
  name,
  executor: "container",
  with: {},
  needs,
});
const flow = (...tasks: TaskSpec[]): FlowSpec => ({ description: "kept", tasks });
const shape = (spec: FlowSpec): [string, string[]][] =>
  spec.tasks.map((each) => [each.name, each.needs ?? []]);

test("a new task has a name that is free, what it needs, and nothing of an earlier one", () => {
  const first = addTask(flow(), "container");
  const second = addTask(first.spec, "container", first.name);
  expect(shape(second.spec)).toEqual([
    ["task", []],
    ["task-2", ["task"]],
  ]);
  expect(second.spec.description).toBe("kept");
  expect(second.spec.tasks[1]?.with).not.toBe(second.spec.tasks[0]?.with);
});

test("who is removed is needed by nobody", () => {
  expect(shape(removeTask(flow(task("a"), task("b", "a"), task("c", "a", "b")), "a"))).toEqual([
    ["b", []],
    ["c", ["b"]],
  ]);
});

test("a new name goes wherever the old one was said, and nowhere else", () => {
  const spec = flow(task("a"), {
    ...task("b", "a"),
    when: "${tasks.a.outputs.rows} != 0",
    with: { args: ["${tasks.a.outputs.day}", "${tasks.ab.outputs.day}"], env: [{ name: "a", value: "a" }] },
  });
  const renamed = renameTask(spec, "a", "load");
  expect(renamed.tasks[1]).toMatchObject({
    needs: ["load"],
    when: "${tasks.load.outputs.rows} != 0",
    with: {
      args: ["${tasks.load.outputs.day}", "${tasks.ab.outputs.day}"],
      env: [{ name: "a", value: "a" }],
    },
  });
});

test.each(["b", "", "1a", "a b", "a".repeat(64)])("%j is no new name", (to) => {
  const spec = flow(task("a"), task("b"));
  expect(renameTask(spec, "a", to)).toBe(spec);
});

test("edges go between two tasks, once, and in no circle", () => {
  const spec = flow(task("a"), task("b", "a"), task("c", "b"));
  expect(mayConnect(spec, "a", "c")).toBe(true);
  expect(mayConnect(spec, "a", "b")).toBe(false);
  expect(mayConnect(spec, "c", "a")).toBe(false);
  expect(mayConnect(spec, "a", "a")).toBe(false);
  expect(mayConnect(spec, "nobody", "a")).toBe(false);
  expect(connect(spec, "c", "a")).toBe(spec);
  expect(shape(connect(spec, "a", "c"))[2]).toEqual(["c", ["b", "a"]]);
  expect(shape(disconnect(spec, "a", "b"))[1]).toEqual(["b", []]);
});

test("a circle that a document has does not hang the page", () => {
  expect(mayConnect(flow(task("a", "b"), task("b", "a"), task("c")), "a", "c")).toBe(true);
});

test("one task changes, the others stay the same objects", () => {
  const spec = flow(task("a"), task("b"));
  const next = changeTask(spec, "b", (each) => ({ ...each, skip: true }));
  expect(next.tasks[0]).toBe(spec.tasks[0]);
  expect(next.tasks[1]?.skip).toBe(true);
});

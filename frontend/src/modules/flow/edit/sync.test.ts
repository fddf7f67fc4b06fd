import { expect, test } from "vitest";
import { begin, edit, messageAt, problemsAt, taskOf, type Check, type Sync } from "~/modules/flow/edit/sync";
import type { FlowSpec } from "~/modules/flow/spec";

const spec = (...names: string[]): FlowSpec => ({
  tags: [],
  parameters: [],
  schedule: {},
  tasks: names.map((name) => ({ name, executor: "http", with: {}, needs: [] })),
});
const check = (part: Partial<Check>): Check => ({ problems: [], spec: null, yaml: "", fires: [], ...part });
const checked = (state: Sync, part: Partial<Check>, revision = state.revision): Sync =>
  edit(state, { kind: "checked", revision, check: check(part) });

test("the text follows the form", () => {
  let state = edit(begin(spec("a")), { kind: "form", change: () => spec("a", "b") });
  state = checked(state, { spec: spec("a", "b"), yaml: "tasks: a, b" });
  expect([state.yaml, state.checked, state.epoch]).toEqual(["tasks: a, b", state.revision, 0]);
});

test("the form follows the text, and the text stays as it was typed", () => {
  let state = edit(begin(spec("a")), { kind: "text", yaml: "tasks:   [b] # mine" });
  expect(state.spec.tasks[0]?.name).toBe("a");
  state = checked(state, { spec: spec("b"), yaml: "tasks: [b]" });
  expect([state.yaml, state.spec.tasks[0]?.name, state.epoch]).toEqual(["tasks:   [b] # mine", "b", 1]);
});

test("a text that says the same leaves what is typed in the form", () => {
  let state = edit(begin(spec("a"), "x"), { kind: "text", yaml: "x # a comment" });
  state = checked(state, { spec: spec("a") });
  expect(state.epoch).toBe(0);
});

test("while the text is no document the form waits; when it is one again, it goes on", () => {
  let state = edit(begin(spec("a"), "x"), { kind: "text", yaml: "x: [" });
  const problem = { path: "", line: 1, column: 4, text: "not closed" };
  state = checked(state, { problems: [problem] });
  expect([state.readable, state.spec.tasks[0]?.name, state.problems]).toEqual([false, "a", [problem]]);
  expect(edit(state, { kind: "form", change: () => spec("lost") })).toBe(state);
  state = edit(state, { kind: "text", yaml: "x: []" });
  state = checked(state, { spec: spec("c") });
  expect([state.readable, state.spec.tasks[0]?.name]).toEqual([true, "c"]);
});

test("an answer to an older edit says nothing", () => {
  const first = edit(begin(spec("a")), { kind: "text", yaml: "1" });
  const second = edit(first, { kind: "text", yaml: "2" });
  expect(checked(second, { spec: spec("old") }, first.revision)).toBe(second);
});

test("no change is no edit", () => {
  const state = begin(spec("a"), "x");
  expect(edit(state, { kind: "text", yaml: "x" })).toBe(state);
  expect(edit(state, { kind: "form", change: (same) => same })).toBe(state);
});

test("problems are found at their fields", () => {
  const problems = [
    { path: "tasks[1].needs[0]", line: 3, column: 1, text: "Nobody has this name." },
    { path: "spec.tasks[1].with.env[2].name", line: 4, column: 1, text: "Twice." },
    { path: "schedule.cron", line: 1, column: 1, text: "Not a time." },
    { path: "tasks[10]", line: 9, column: 1, text: "Whole." },
  ];
  expect(problems.map((problem) => taskOf(problem.path))).toEqual([1, 1, -1, 10]);
  const task = problemsAt(problems, 1);
  expect(task).toEqual({ "needs.0": "Nobody has this name.", "with.env.2.name": "Twice." });
  expect(messageAt(task, "needs")).toBe("Nobody has this name.");
  expect(messageAt(task, "with.environment")).toBeUndefined();
  expect(problemsAt(problems, -1)).toEqual({ "schedule.cron": "Not a time." });
  expect(problemsAt(problems, 10)).toEqual({ "": "Whole." });
});

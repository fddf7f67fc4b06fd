import { isRecord, type FlowSpec, type TaskSpec } from "~/modules/flow/spec";

/** What an executor needs to be told at the least, for a task that is new. */
const beginnings: Record<string, Record<string, unknown>> = {
  container: { command: [], resources: { cpu: "1", memory: "2Gi", gpu: 0 } },
  check: { path: { volumeId: "", path: "" }, every: "1m", for: "6h" },
  http: { method: "GET", url: "" },
};

export const taskName = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

function free(spec: FlowSpec, wish: string): string {
  const names = new Set(spec.tasks.map((task) => task.name));
  if (!names.has(wish)) return wish;
  for (let n = 2; ; n++) if (!names.has(`${wish}-${n}`)) return `${wish}-${n}`;
}

/** Adds a task, after another if one is given; gives its name, too. */
export function addTask(spec: FlowSpec, executor: string, after?: string): { spec: FlowSpec; name: string } {
  const name = free(spec, executor === "container" ? "task" : executor);
  const task: TaskSpec = {
    name,
    executor,
    with: structuredClone(beginnings[executor] ?? {}),
    ...(after ? { needs: [after] } : {}),
  };
  return { spec: { ...spec, tasks: [...spec.tasks, task] }, name };
}

/** Removes a task, and the needs for it. */
export function removeTask(spec: FlowSpec, name: string): FlowSpec {
  return {
    ...spec,
    tasks: spec.tasks
      .filter((task) => task.name !== name)
      .map((task) =>
        task.needs?.includes(name)
          ? Object.assign({}, task, { needs: task.needs.filter((need) => need !== name) })
          : task,
      ),
  };
}

/** Every text in a value, changed. */
function texts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => texts(each, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, texts(each, change)]));
}

/** Renames a task, the needs for it, and what macros say of its outputs; the same where the name is taken. */
export function renameTask(spec: FlowSpec, from: string, to: string): FlowSpec {
  if (from === to || !taskName.test(to) || spec.tasks.some((task) => task.name === to)) return spec;
  const macro = (text: string): string => text.replaceAll(`\${tasks.${from}.`, `\${tasks.${to}.`);
  return {
    ...spec,
    tasks: spec.tasks.map((task) => {
      const next = Object.assign({}, task, {
        name: task.name === from ? to : task.name,
        with: texts(task.with, macro) as Record<string, unknown>,
      });
      if (task.needs) next.needs = task.needs.map((need) => (need === from ? to : need));
      if (task.when !== undefined) next.when = macro(task.when);
      return next;
    }),
  };
}

/** Whether one task comes before another, directly or not. */
function comesBefore(spec: FlowSpec, before: string, after: string): boolean {
  const needs = new Map(spec.tasks.map((task) => [task.name, task.needs ?? []]));
  const seen = new Set<string>();
  const open = [after];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === before) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...(needs.get(name) ?? []));
  }
  return false;
}

/** Whether an edge may be drawn: between two tasks, once, and in no circle. */
export function mayConnect(spec: FlowSpec, from: string, to: string): boolean {
  const target = spec.tasks.find((task) => task.name === to);
  return (
    from !== to &&
    target !== undefined &&
    spec.tasks.some((task) => task.name === from) &&
    !target.needs?.includes(from) &&
    !comesBefore(spec, to, from)
  );
}

export function connect(spec: FlowSpec, from: string, to: string): FlowSpec {
  if (!mayConnect(spec, from, to)) return spec;
  return changeTask(spec, to, (task) => ({ ...task, needs: [...(task.needs ?? []), from] }));
}

export function disconnect(spec: FlowSpec, from: string, to: string): FlowSpec {
  return changeTask(spec, to, (task) => ({
    ...task,
    needs: (task.needs ?? []).filter((need) => need !== from),
  }));
}

export function changeTask(spec: FlowSpec, name: string, change: (task: TaskSpec) => TaskSpec): FlowSpec {
  return { ...spec, tasks: spec.tasks.map((task) => (task.name === name ? change(task) : task)) };
}

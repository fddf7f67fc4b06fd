import { asSpec, type FlowSpec } from "~/modules/flow/spec";

export interface Problem {
  path: string;
  line: number;
  column: number;
  text: string;
}

export interface Fire {
  at: string;
  local: string;
  note: string;
}

/** What the server says of a definition. */
export interface Check {
  problems: readonly Problem[];
  spec: unknown;
  yaml: string;
  fires: readonly Fire[];
}

/**
 * A definition that is edited in two forms. Whoever was edited last is the source; the other follows
 * when the server has looked at it:
 *
 *	form ──► spec changes ──► check(spec) ──► yaml follows
 *	text ──► yaml changes ──► check(yaml) ──► spec follows, unless the text cannot be read
 *
 * The text that somebody types is never replaced by the server's.
 */
export interface Sync {
  spec: FlowSpec;
  yaml: string;
  source: "form" | "text";
  /** Grows with each edit: an answer to an older one says nothing. */
  revision: number;
  /** The revision that the server has looked at. */
  checked: number;
  /** Grows when the spec came from the text: fields that hold what was typed begin anew. */
  epoch: number;
  /** False while the text is no document: the form shows what it said before, and waits. */
  readable: boolean;
  problems: readonly Problem[];
  fires: readonly Fire[];
}

export type Edit =
  | { kind: "form"; change: (spec: FlowSpec) => FlowSpec }
  | { kind: "text"; yaml: string }
  | { kind: "checked"; revision: number; check: Check };

export function begin(spec: FlowSpec, yaml = ""): Sync {
  return {
    spec,
    yaml,
    source: "form",
    revision: 1,
    checked: 0,
    epoch: 0,
    readable: true,
    problems: [],
    fires: [],
  };
}

export function edit(state: Sync, event: Edit): Sync {
  switch (event.kind) {
    case "form": {
      const spec = event.change(state.spec);
      if (spec === state.spec || !state.readable) return state;
      return { ...state, spec, source: "form", revision: state.revision + 1 };
    }
    case "text":
      if (event.yaml === state.yaml) return state;
      return { ...state, yaml: event.yaml, source: "text", revision: state.revision + 1 };
    case "checked":
      return event.revision === state.revision ? follow(state, event.check) : state;
  }
}

function follow(state: Sync, check: Check): Sync {
  const next: Sync = {
    ...state,
    checked: state.revision,
    problems: check.problems,
    fires: check.fires,
  };
  if (state.source === "form") return { ...next, yaml: check.yaml, readable: true };
  if (check.spec === null || check.spec === undefined) return { ...next, readable: false };
  const spec = asSpec(check.spec);
  // The same said in other words leaves the fields as they are.
  const same = JSON.stringify(spec) === JSON.stringify(asSpec(state.spec));
  return { ...next, readable: true, ...(same ? {} : { spec, epoch: state.epoch + 1 }) };
}

/** The task that a problem is about, by its place; -1 for the flow itself. */
export function taskOf(path: string): number {
  const match = /^(?:spec\.)?tasks\[(\d+)\]/.exec(path);
  return match ? Number(match[1]) : -1;
}

/** Messages at the fields of a task, or of the flow for -1: paths without what leads to it. */
export function problemsAt(problems: readonly Problem[], task: number): Record<string, string> {
  const out: Record<string, string> = {};
  for (const problem of problems) {
    if (taskOf(problem.path) !== task) continue;
    const path = problem.path
      .replace(/^spec\./, "")
      .replace(/^tasks\[\d+\]\.?/, "")
      .replaceAll(/\[(\d+)\]/g, ".$1");
    out[path] = out[path] ? `${out[path]} ${problem.text}` : problem.text;
  }
  return out;
}

/** The message of a field or of what is in it. */
export function messageAt(errors: Record<string, string>, path: string): string | undefined {
  const found = Object.entries(errors).filter(([key]) => key === path || key.startsWith(`${path}.`));
  return found.length > 0 ? found.map(([, text]) => text).join(" ") : undefined;
}

/** A definition as data: what YAML holds under `spec`. What is not known here is kept as it is. */
export interface FlowSpec {
  description?: string;
  tags?: string[];
  class?: string;
  parameters?: ParameterSpec[];
  schedule?: ScheduleSpec;
  concurrency?: string;
  timeout?: string;
  finishBy?: string;
  priority?: number;
  tasks: TaskSpec[];
}

export interface ParameterSpec {
  name: string;
  default?: string;
  description?: string;
  required?: boolean;
}

export interface ScheduleSpec {
  cron?: string;
  every?: string;
  anchor?: string;
  at?: string;
  after?: string[];
  timezone?: string;
  from?: string;
  until?: string;
  misfire?: { policy?: string; limit?: number };
  startDeadline?: string;
}

export interface TaskSpec {
  name: string;
  description?: string;
  executor: string;
  with: Record<string, unknown>;
  needs?: string[];
  trigger?: string;
  when?: string;
  skip?: boolean;
  retry?: { count?: number; wait?: string; most?: string; jitter?: number };
  timeout?: string;
  pendingTimeout?: string;
  group?: string;
  priority?: number;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The strings of a list; what is no list of strings is empty. */
export function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/**
 * A definition out of what the server keeps or a document says. Documents may be wrong in any way
 * while they are typed: what would break the page is left out, the server tells of the rest.
 */
export function asSpec(value: unknown): FlowSpec {
  if (!isRecord(value)) return { tasks: [] };
  const tasks = Array.isArray(value.tasks) ? value.tasks.filter(isRecord) : [];
  return {
    ...value,
    tags: strings(value.tags),
    parameters: (Array.isArray(value.parameters) ? value.parameters : []).filter(
      (each): each is ParameterSpec => isRecord(each) && typeof each.name === "string",
    ),
    schedule: isRecord(value.schedule) ? value.schedule : {},
    tasks: tasks.map((task) => asTask(task)),
  };
}

function asTask(task: Record<string, unknown>): TaskSpec {
  return Object.assign({}, task, {
    name: typeof task.name === "string" ? task.name : "",
    executor: typeof task.executor === "string" ? task.executor : "",
    with: isRecord(task.with) ? task.with : {},
    needs: strings(task.needs),
  });
}

function empty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.values(value).every(empty);
}

/** Without what says nothing, all the way down; a list keeps its places, since problems name them. */
function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (empty(each) ? [] : [[key, clean(each)]])),
  );
}

/** The same definition without what says nothing, as the server writes it. What executors are told is theirs. */
export function tidy(spec: FlowSpec): FlowSpec {
  const { tasks, ...rest } = spec;
  return {
    ...(clean(rest) as Omit<FlowSpec, "tasks">),
    tasks: tasks.map(({ name, executor, with: told, ...course }) =>
      Object.assign({ name, executor, with: told }, clean(course)),
    ),
  };
}

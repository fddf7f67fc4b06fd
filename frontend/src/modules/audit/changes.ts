export interface FieldChange {
  name: string;
  /** Missing where there was none. */
  before?: string;
  /** Missing where there is none any more. */
  after?: string;
}

function flat(values: unknown, prefix = ""): Map<string, string> {
  const out = new Map<string, string>();
  if (typeof values !== "object" || values === null) return out;
  for (const [key, value] of Object.entries(values)) {
    const name = prefix + key;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [inner, text] of flat(value, `${name}.`)) out.set(inner, text);
    } else {
      out.set(name, typeof value === "string" ? value : JSON.stringify(value));
    }
  }
  return out;
}

/** What an act changed, a line a field, nested ones by their path; what stayed as it was is named once, as it is. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const old = flat(before);
  const now = flat(after);
  return [...new Set([...old.keys(), ...now.keys()])].toSorted().map((name) => {
    const change: FieldChange = { name };
    const was = old.get(name);
    const is = now.get(name);
    if (was !== undefined && was !== is) change.before = was;
    if (is !== undefined) change.after = is;
    return change;
  });
}

/** What was typed and not saved; null goes back to the default. */
export interface Typed {
  value: string | null;
  /** Of what was there when it was typed: a change by somebody else since then is not overwritten. */
  version: number;
}

/** What was typed, by the setting's key. */
export type Draft = Readonly<Record<string, Typed>>;

interface Known {
  key: string;
  kind: string;
  value?: string | null;
  default: string;
  isSet: boolean;
  source: string;
  version: number;
}

/** What a field shows. */
export function shownValue(setting: Known, draft: Draft): string {
  const typed = draft[setting.key];
  if (typed?.value === null) return setting.kind === "SECRET" ? "" : setting.default;
  return typed?.value ?? setting.value ?? "";
}

export interface Change {
  key: string;
  value: string | null;
  version: number;
}

/** What there is to save: only what would be different. */
export function changesOf(settings: readonly Known[], draft: Draft): Change[] {
  return settings.flatMap((setting): Change[] => {
    const typed = draft[setting.key];
    if (typed === undefined) return [];
    const { value, version } = typed;
    if (value === null) return setting.source === "PAGE" ? [{ key: setting.key, value, version }] : [];
    // An empty secret is one that nobody typed.
    const same = setting.kind === "SECRET" ? value === "" : value === (setting.value ?? "");
    return same ? [] : [{ key: setting.key, value, version }];
  });
}

/** What of a draft may be kept in the browser: not what is secret. */
export function keptDraft(settings: readonly Known[], draft: Draft): Draft {
  const open = new Set(settings.filter((each) => each.kind !== "SECRET").map((each) => each.key));
  return Object.fromEntries(Object.entries(draft).filter(([key]) => open.has(key)));
}

/** A draft as it was kept; what has another shape is left out. */
export function readKept(stored: unknown): Draft {
  if (typeof stored !== "object" || stored === null) return {};
  return Object.fromEntries(
    Object.entries(stored as Record<string, unknown>).flatMap(([key, typed]): [string, Typed][] => {
      if (typeof typed !== "object" || typed === null || !("value" in typed) || !("version" in typed))
        return [];
      const { value, version } = typed;
      if ((typeof value !== "string" && value !== null) || typeof version !== "number") return [];
      return [[key, { value, version }]];
    }),
  );
}

export interface ProfileValue {
  name: string;
  cpu: string;
  memory: string;
  gpu: number;
}

function isProfile(value: unknown): value is ProfileValue {
  return (
    typeof value === "object" &&
    value !== null &&
    ["name", "cpu", "memory", "gpu"].every((key) => key in value)
  );
}

/** The sizes in a setting's text; none when it cannot be read. */
export function readProfiles(text: string): ProfileValue[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isProfile) : [];
  } catch {
    return [];
  }
}

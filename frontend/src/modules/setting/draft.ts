/** What was typed and not saved, by key; null goes back to the default. */
export type Draft = Readonly<Record<string, string | null>>;

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
  if (typed === null) return setting.kind === "SECRET" ? "" : setting.default;
  return typed ?? setting.value ?? "";
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
    if (typed === null) {
      return setting.source === "PAGE" ? [{ key: setting.key, value: null, version: setting.version }] : [];
    }
    // An empty secret is one that nobody typed.
    const same = setting.kind === "SECRET" ? typed === "" : typed === (setting.value ?? "");
    return same ? [] : [{ key: setting.key, value: typed, version: setting.version }];
  });
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

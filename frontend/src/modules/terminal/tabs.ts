/** A terminal of this browser tab: what it is called, and the id that leads back to its shell. */
export interface TerminalTab {
  number: number;
  id: string;
}

const key = (instanceId: string): string => `goblinlab-terminals:${instanceId}`;

function isTab(value: unknown): value is TerminalTab {
  return (
    typeof value === "object" &&
    value !== null &&
    "number" in value &&
    Number.isInteger(value.number) &&
    "id" in value &&
    typeof value.id === "string"
  );
}

/** Terminals that this browser tab has open; a reload comes back to their shells. */
export function readTabs(instanceId: string): TerminalTab[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key(instanceId)) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isTab) : [];
  } catch {
    return [];
  }
}

export function writeTabs(instanceId: string, tabs: readonly TerminalTab[]): void {
  try {
    sessionStorage.setItem(key(instanceId), JSON.stringify(tabs));
  } catch {
    // A reload then starts without terminals.
  }
}

/** The lowest free number, and an id that nobody else can guess. */
export function newTab(tabs: readonly TerminalTab[]): TerminalTab {
  let number = 1;
  while (tabs.some((tab) => tab.number === number)) number++;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { number, id: Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

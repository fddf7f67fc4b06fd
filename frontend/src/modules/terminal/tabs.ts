const key = (instanceId: string): string => `goblinlab-terminals:${instanceId}`;

/** Numbers of the terminals that this browser tab has open. */
export function readTabs(instanceId: string): number[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key(instanceId)) ?? "[]");
    return Array.isArray(stored)
      ? stored.filter((tab): tab is number => Number.isInteger(tab) && tab > 0)
      : [];
  } catch {
    return [];
  }
}

export function writeTabs(instanceId: string, tabs: readonly number[]): void {
  try {
    sessionStorage.setItem(key(instanceId), JSON.stringify(tabs));
  } catch {
    // A reload then starts without terminals.
  }
}

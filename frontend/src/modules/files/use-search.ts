import { useEffect, useState } from "react";
import type { Fault } from "~/lib/fault";
import { faultOf, isAborted, type Entry, type Files } from "~/modules/files/api";

export interface Found {
  key: string;
  entries: readonly Entry[];
  busy: boolean;
  /** There are more than are shown. */
  truncated: boolean;
  fault: Fault | null;
}

const most = 1_000;
const nothing: Found = { key: "", entries: [], busy: false, truncated: false, fault: null };

function isEntry(line: Record<string, unknown>): boolean {
  return typeof line.ref === "string" && typeof line.name === "string" && typeof line.kind === "string";
}

/** Names below a folder, as they are found. */
export function useFind(files: Files, at: string, name: string, ready: boolean): Found {
  const key = `${at}?${name}`;
  const [found, setFound] = useState<Found>(nothing);
  useEffect(() => {
    if (name === "" || !ready) return undefined;
    const stop = new AbortController();
    const entries: Entry[] = [];
    // Shown a few times a second, however fast they come.
    const show = (part: Partial<Found>): void =>
      setFound({ ...nothing, key, entries: [...entries], busy: true, ...part });
    const timer = setInterval(() => show({}), 250);
    show({});
    files
      .lines<{ truncated?: boolean }>(
        files.url("search", at, `&name=${encodeURIComponent(name)}&limit=${most}`),
        { signal: stop.signal },
        (line) => {
          if (isEntry(line)) entries.push(line as unknown as Entry);
        },
      )
      .then(
        ({ truncated }) => show({ busy: false, truncated: truncated === true }),
        (error: unknown) => {
          if (!isAborted(error)) show({ busy: false, fault: faultOf(error) });
        },
      )
      .finally(() => clearInterval(timer));
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [files, at, name, key, ready]);
  return found.key === key ? found : { ...nothing, key, busy: name !== "" };
}

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Fault } from "~/lib/fault";
import { useConnection } from "~/lib/connection";
import { useStore } from "~/lib/store";
import { faultOf, Files, isAborted, type Entry, type Opened } from "~/modules/files/api";
import { arrivals } from "~/modules/files/uploads";

const askMs = 1_000;
const pageEntries = 1_000;

export interface OpenFiles {
  files: Files;
  opened: Opened | null;
  fault: Fault | null;
  retry: () => void;
}

/** Opens a volume, and waits until its files are served. */
export function useFiles(volumeId: string): OpenFiles {
  const files = useMemo(() => new Files(volumeId), [volumeId]);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      try {
        const now = await files.open(stop.signal);
        setOpened(now);
        setFault(null);
        if (!now.ready) timer = setTimeout(() => void ask(), askMs);
      } catch (error) {
        if (!isAborted(error)) setFault(faultOf(error));
      }
    };
    void ask();
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [files, round]);
  const retry = useCallback(() => {
    setFault(null);
    setRound((before) => before + 1);
  }, []);
  return { files, opened, fault, retry };
}

export interface FolderListing {
  entries: readonly Entry[];
  /** All that are in the folder, or -1 when that is not known. */
  total: number;
  whole: boolean;
  loading: boolean;
  fault: Fault | null;
  /** Asks for the next page, once at a time. */
  more: () => void;
  reload: () => void;
}

interface Pages {
  ref: string;
  entries: readonly Entry[];
  next: string;
  total: number;
  loaded: boolean;
}

const nothing: Pages = { ref: "", entries: [], next: "", total: -1, loaded: false };

/** A folder, page by page; read again when something arrives in it. */
export function useFolder(files: Files, ref: string, ready: boolean): FolderListing {
  const [pages, setPages] = useState<Pages>(nothing);
  const [fault, setFault] = useState<Fault | null>(null);
  const [round, setRound] = useState(0);
  const { epoch } = useConnection();
  const arrived = useStore(arrivals);
  const busy = useRef(false);
  const run = useRef(0);

  useEffect(() => {
    if (!ready) return undefined;
    const stop = new AbortController();
    const own = ++run.current;
    busy.current = true;
    const load = async (): Promise<void> => {
      try {
        const page = await files.list(ref, "", pageEntries, stop.signal);
        setPages({ ref, entries: page.entries, next: page.next, total: page.total, loaded: true });
        setFault(null);
      } catch (error) {
        if (isAborted(error)) return;
        setPages((before) => (before.ref === ref ? before : { ...nothing, ref }));
        setFault(faultOf(error));
      }
      if (own === run.current) busy.current = false;
    };
    void load();
    return () => stop.abort();
  }, [files, ref, ready, round, epoch, arrived]);

  const here = pages.ref === ref && pages.loaded;
  const { next } = pages;
  const more = useCallback(() => {
    if (busy.current || next === "") return;
    const own = run.current;
    busy.current = true;
    const load = async (): Promise<void> => {
      try {
        const page = await files.list(ref, next, pageEntries);
        if (own !== run.current) return;
        setPages((before) => ({
          ...before,
          entries: [...before.entries, ...page.entries],
          next: page.next,
          total: page.total,
        }));
      } catch (error) {
        if (own === run.current) setFault(faultOf(error));
      }
      if (own === run.current) busy.current = false;
    };
    void load();
  }, [files, ref, next]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return {
    entries: here ? pages.entries : nothing.entries,
    total: here ? pages.total : -1,
    whole: here && next === "",
    loading: !here && fault === null,
    fault: here ? null : fault,
    more,
    reload,
  };
}

export interface Loaded<T> {
  data: T | null;
  fault: Fault | null;
  reload: () => void;
}

/** Something about one file, asked again when its address changes. */
export function useAsked<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data: T | null; fault: Fault | null }>({
    key: "",
    data: null,
    fault: null,
  });
  const [round, setRound] = useState(0);
  const asking = useRef(ask);
  useEffect(() => {
    asking.current = ask;
  });
  useEffect(() => {
    const stop = new AbortController();
    asking.current(stop.signal).then(
      (data) => setState({ key, data, fault: null }),
      (error: unknown) => {
        if (!isAborted(error)) setState({ key, data: null, fault: faultOf(error) });
      },
    );
    return () => stop.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return state.key === key
    ? { data: state.data, fault: state.fault, reload }
    : { data: null, fault: null, reload };
}

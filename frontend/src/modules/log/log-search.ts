import { useCallback, useEffect, useRef, useState } from "react";
import { stripAnsi } from "~/lib/ansi";
import { foldCarriageReturns } from "~/lib/fold";
import { mostLinesAWindow, type LogFeed } from "~/modules/log/log-source";
import type { LogStore } from "~/modules/log/log-store";

/** What a line shows, without colours. */
export function plainText(text: string): string {
  return stripAnsi(foldCarriageReturns(text).text);
}

/** Lines that tell of an error, in the words of the usual programs. */
const errorPattern =
  /\b(?:error|exception|traceback|fatal|panic|segmentation fault|out of memory|oomkilled|killed)\b|错误|(?:Error|Exception):/i;

export function looksLikeError(text: string): boolean {
  return errorPattern.test(plainText(text));
}

/** Where a text occurs in a line, without regard to case. */
export function occurrences(text: string, query: string): [number, number][] {
  if (query === "") return [];
  const found: [number, number][] = [];
  const haystack = text.toLowerCase();
  const needle = query.toLowerCase();
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + needle.length)) {
    found.push([at, at + needle.length]);
  }
  return found;
}

export interface LogSearch {
  /** Numbers of the lines that match, in order. */
  hits: readonly number[];
  /** Lines that were looked through so far. */
  scanned: number;
  searching: boolean;
}

const nothing: LogSearch = { hits: [], scanned: 0, searching: false };

/**
 * Looks through the whole log, not only through what is loaded: windows that are
 * missing are fetched one after the other, and lines that come later are looked at too.
 */
export function useLogSearch(store: LogStore, feed: LogFeed, query: string, version: number): LogSearch {
  const [result, setResult] = useState<LogSearch>(nothing);
  const round = useRef({ query: "", scanned: 0, hits: [] as number[], running: false });

  useEffect(() => {
    if (round.current.query !== query) {
      round.current = { query, scanned: 0, hits: [], running: false };
      setResult(nothing);
    }
    const mine = round.current;
    if (query === "" || mine.running || mine.scanned >= store.total) return;
    mine.running = true;
    const run = async (): Promise<void> => {
      const current = (): boolean => round.current === mine;
      while (current() && mine.scanned < store.total) {
        const end = Math.min(store.total, mine.scanned + mostLinesAWindow);
        const hole = store.hole(mine.scanned, end, mostLinesAWindow);
        // oxlint-disable-next-line no-await-in-loop -- windows come in order, so that hits do
        if (hole && (await feed.load(hole.from, hole.limit)) === 0) break;
        if (!current()) return;
        if (hole && store.hole(mine.scanned, end, 1)) continue;
        for (let n = mine.scanned; n < end; n++) {
          const line = store.line(n);
          if (line && plainText(line.text).toLowerCase().includes(query.toLowerCase())) mine.hits.push(n);
        }
        mine.scanned = end;
        setResult({ hits: [...mine.hits], scanned: end, searching: end < store.total });
      }
    };
    void run()
      .catch(() => {
        // The window could not be loaded; the next change tries again.
      })
      .finally(() => {
        mine.running = false;
      });
  }, [store, feed, query, version]);

  return result;
}

/** Finds the first line from a number on that looks like an error, around the end if need be. */
export function useErrorJump(store: LogStore, feed: LogFeed): (after: number) => Promise<number | null> {
  return useCallback(
    async (after: number) => {
      const ranges: [number, number][] = [
        [after, store.total],
        [0, Math.min(after, store.total)],
      ];
      for (const [from, to] of ranges) {
        for (let n = from; n < to; n++) {
          if (!store.line(n)) {
            const hole = store.hole(n, to, mostLinesAWindow);
            // oxlint-disable-next-line no-await-in-loop -- stops at the first window that has one
            if (hole && (await feed.load(hole.from, hole.limit)) === 0) break;
          }
          const line = store.line(n);
          if (line && looksLikeError(line.text)) return n;
        }
      }
      return null;
    },
    [store, feed],
  );
}

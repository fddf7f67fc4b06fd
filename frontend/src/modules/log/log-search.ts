import { useCallback, useEffect, useRef, useState } from "react";
import { stripAnsi } from "~/lib/ansi";
import { foldCarriageReturns } from "~/lib/fold";
import { mostLinesAWindow, type LogFeed } from "~/modules/log/log-source";
import type { LogStore } from "~/modules/log/log-store";

/** What a line shows, without colours. */
export function plainText(text: string): string {
  return stripAnsi(foldCarriageReturns(text).text);
}

/** Lines that tell of an error, in the words of the usual programs: an expression for the server, in small letters or not. */
export const errorPattern = String.raw`\b(error|exception|traceback|fatal|panic|segmentation fault|out of memory|oomkilled|killed)\b|错误|(error|exception):`;

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
  /** There may be more hits: nobody steps through so many. */
  more: boolean;
}

const nothing: LogSearch = { hits: [], scanned: 0, searching: false, more: false };

const mostHits = 100_000;

/**
 * Looks through the whole log, which the server does, from window to window; of what
 * comes later and is held anyway, the page looks through the lines itself.
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
      while (current() && mine.scanned < store.total && mine.hits.length < mostHits) {
        const end = Math.min(store.total, mine.scanned + mostLinesAWindow);
        if (mine.scanned > 0 && !store.hole(mine.scanned, end, 1)) {
          for (let n = mine.scanned; n < end; n++) {
            if (occurrences(plainText(store.line(n)?.text ?? ""), query).length > 0) mine.hits.push(n);
          }
          mine.scanned = end;
        } else {
          // oxlint-disable-next-line no-await-in-loop -- windows come in order, so that hits do
          const found = await feed.search(query, mine.scanned);
          if (!current()) return;
          mine.hits.push(...found.numbers);
          mine.scanned = found.next;
          store.grow(found.next);
        }
        const left = mine.scanned < store.total;
        const more = left && mine.hits.length >= mostHits;
        setResult({ hits: [...mine.hits], scanned: mine.scanned, searching: left && !more, more });
      }
    };
    void run()
      .catch(() => {
        // The server could not be asked; the next change tries again.
      })
      .finally(() => {
        mine.running = false;
      });
  }, [store, feed, query, version]);

  return result;
}

/** Finds the first line from a number on that looks like an error, around the end if need be. */
export function useErrorJump(feed: LogFeed): (after: number) => Promise<number | null> {
  return useCallback(
    async (after: number) => {
      for (const start of after > 0 ? [after, 0] : [0]) {
        for (let from = start; ;) {
          // oxlint-disable-next-line no-await-in-loop -- stops at the first that is found
          const found = await feed.search(errorPattern, from, true, 1);
          if (found.numbers[0] !== undefined) return found.numbers[0];
          if (found.end) break;
          from = found.next;
        }
      }
      return null;
    },
    [feed],
  );
}

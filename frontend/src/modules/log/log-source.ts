import { stringifyDocument } from "@urql/core";
import type { Client } from "urql";
import { graphql } from "~/gql";
import type { LogAppendedSubscription, LogWindowFragment } from "~/gql/graphql";
import { readFragment } from "~/gql";
import { toFault, type Fault } from "~/lib/fault";
import { socket } from "~/lib/socket";
import type { LogStore } from "~/modules/log/log-store";

const windowFragment = graphql(`
  fragment LogWindow on LogWindow {
    lines {
      number
      time
      source
      text
      partial
      code
    }
    cursor
    complete
  }
`);

const logQuery = graphql(`
  query Log($attemptId: ID!, $after: String, $fromLine: Int64, $last: Int, $limit: Int) {
    log(attemptId: $attemptId, after: $after, fromLine: $fromLine, last: $last, limit: $limit) {
      ...LogWindow
    }
  }
`);

const searchQuery = graphql(`
  query SearchLog($attemptId: ID!, $text: String!, $regexp: Boolean!, $fromLine: Int64!, $limit: Int!) {
    searchLog(attemptId: $attemptId, text: $text, regexp: $regexp, fromLine: $fromLine, limit: $limit) {
      lines {
        number
      }
      next
      end
    }
  }
`);

const logAppended = graphql(`
  subscription LogAppended($attemptId: ID!, $after: String) {
    logAppended(attemptId: $attemptId, after: $after) {
      ...LogWindow
    }
  }
`);

/** What a search found. */
interface Found {
  /** Of the lines, in order. */
  numbers: number[];
  /** The first line that was not looked at. */
  next: number;
  /** There are no more lines now. */
  end: boolean;
}

/** The most lines that one window may hold. */
export const mostLinesAWindow = 5_000;

const tailLines = 1_000;

/** Fills a LogStore: windows on demand, the end as it comes. */
export class LogFeed {
  readonly #client: Client;
  readonly #attemptId: string;
  readonly #store: LogStore;
  #loading = false;
  #wanted: { from: number; to: number } | null = null;

  constructor(client: Client, attemptId: string, store: LogStore) {
    this.#client = client;
    this.#attemptId = attemptId;
    this.#store = store;
  }

  async #window(variables: { fromLine?: number; last?: number; limit?: number }): Promise<LogWindowFragment> {
    const result = await this.#client
      .query(logQuery, { attemptId: this.#attemptId, ...variables })
      .toPromise();
    if (result.error) throw new LogFault(toFault(result.error));
    if (!result.data) throw new LogFault({ code: "UNKNOWN", message: "", fields: [], requestId: "" });
    const window = readFragment(windowFragment, result.data.log);
    this.#store.add(window.lines);
    return window;
  }

  /** Loads lines from a number on; gives how many came. */
  async load(fromLine: number, limit: number): Promise<number> {
    const window = await this.#window({ fromLine, limit: Math.min(limit, mostLinesAWindow) });
    return window.lines.length;
  }

  /** Looks for a text, or an expression, from a line on: as far as the server looks at once. */
  async search(text: string, fromLine: number, regexp = false, limit = mostLinesAWindow): Promise<Found> {
    const result = await this.#client
      .query(searchQuery, { attemptId: this.#attemptId, text, regexp, fromLine, limit })
      .toPromise();
    if (result.error) throw new LogFault(toFault(result.error));
    if (!result.data) throw new LogFault({ code: "UNKNOWN", message: "", fields: [], requestId: "" });
    const { lines, next, end } = result.data.searchLog;
    return { numbers: lines.map((line) => line.number), next, end };
  }

  /** Loads the holes of a range that is looked at; the latest wish wins. */
  async want(from: number, to: number): Promise<void> {
    this.#wanted = { from, to };
    if (this.#loading) return;
    this.#loading = true;
    try {
      // Read anew each round: another call may have wished for something else meanwhile.
      const wanted = (): { from: number; to: number } | null => this.#wanted;
      for (let wish = wanted(); wish; wish = wanted()) {
        const hole = this.#store.hole(wish.from, wish.to, tailLines);
        if (!hole) {
          if (this.#wanted === wish) this.#wanted = null;
          continue;
        }
        // oxlint-disable-next-line no-await-in-loop -- one window at a time, so that the latest wish is heard
        if ((await this.load(hole.from, hole.limit)) === 0) break;
      }
    } finally {
      this.#loading = false;
    }
  }

  /**
   * Loads the end, then follows it until the log is complete. Each reconnect goes on
   * at the last cursor: graphql-ws sends the same payload again, so its variables
   * read the cursor at that moment.
   */
  follow(onFault: (fault: Fault) => void): () => void {
    let stopped = false;
    let unsubscribe: (() => void) | undefined;
    let cursor: string | undefined;

    const accept = (window: LogWindowFragment): void => {
      const before = this.#store.total;
      this.#store.add(window.lines);
      cursor = window.cursor;
      if (window.complete) this.#store.finish();
      // A jump over lines that never came is a hole; it is filled when it is looked at.
      const first = window.lines[0]?.number;
      if (first !== undefined && first > before) void this.want(before, first).catch(() => {});
    };

    const start = async (): Promise<void> => {
      const tail = await this.#window({ last: tailLines });
      if (stopped) return;
      accept(tail);
      if (tail.complete) return;
      const attemptId = this.#attemptId;
      unsubscribe = socket.subscribe<LogAppendedSubscription>(
        {
          query: stringifyDocument(logAppended),
          variables: {
            attemptId,
            get after() {
              return cursor;
            },
          },
        },
        {
          next: ({ data }) => {
            if (data) accept(readFragment(windowFragment, data.logAppended));
          },
          error: () => onFault({ code: "OFFLINE", message: "", fields: [], requestId: "" }),
          complete: () => {},
        },
      );
    };

    start().catch((error: unknown) => {
      if (!stopped) onFault(asFault(error));
    });
    return () => {
      stopped = true;
      unsubscribe?.();
    };
  }
}

/** A window that could not be loaded. */
export class LogFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

export function asFault(error: unknown): Fault {
  if (error instanceof LogFault) return error.fault;
  return { code: "UNKNOWN", message: String(error), fields: [], requestId: "" };
}

import type { LogSource } from "~/gql/graphql";

/** A line of a log, as the contract has it. */
export interface LogEntry {
  number: number;
  time: string;
  source: LogSource;
  text: string;
  partial: boolean;
  /** What a line of the platform is about, as `run.scheduled`; empty for output. */
  code: string;
}

const chunkSize = 512;
// About 100 MB of short lines; what lies far from the reader goes first.
const mostLines = 400_000;

/**
 * The lines of one attempt that the page holds, by number. Lines come from windows
 * in any order and from the subscription; a number that is there already is kept,
 * so that nothing shows twice, and holes are known, so that nothing is missing.
 */
export class LogStore {
  readonly #chunks = new Map<number, (LogEntry | undefined)[]>();
  readonly #listeners = new Set<() => void>();
  #total = 0;
  #held = 0;
  #platform = 0;
  #version = 0;
  #scheduled = false;
  #complete = false;

  /** How many lines there are, held or not. */
  get total(): number {
    return this.#total;
  }

  /** How many lines are held. */
  get held(): number {
    return this.#held;
  }

  /** How many of the lines that came are the platform's; it only grows. */
  get platform(): number {
    return this.#platform;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  get complete(): boolean {
    return this.#complete;
  }

  line(number: number): LogEntry | undefined {
    return this.#chunks.get(Math.floor(number / chunkSize))?.[number % chunkSize];
  }

  add(lines: readonly LogEntry[]): void {
    for (const line of lines) {
      const key = Math.floor(line.number / chunkSize);
      let chunk = this.#chunks.get(key);
      if (!chunk) {
        chunk = [];
        this.#chunks.set(key, chunk);
      }
      const at = line.number % chunkSize;
      if (chunk[at]) continue;
      chunk[at] = line;
      this.#held++;
      if (line.source === "PLATFORM") this.#platform++;
      if (line.number >= this.#total) this.#total = line.number + 1;
    }
    const last = lines.at(-1);
    if (last && this.#held > mostLines) this.#evict(last.number);
    if (lines.length > 0) this.#changed();
  }

  /** The server counts more lines than have come yet. */
  grow(total: number): void {
    if (total <= this.#total) return;
    this.#total = total;
    this.#changed();
  }

  finish(): void {
    if (this.#complete) return;
    this.#complete = true;
    this.#changed();
  }

  /** The first hole in a range, cut to `most` lines; null when all of it is held. */
  hole(from: number, to: number, most: number): { from: number; limit: number } | null {
    const end = Math.min(to, this.#total);
    let start = Math.max(0, from);
    while (start < end && this.line(start)) start++;
    if (start >= end) return null;
    let stop = start;
    while (stop < end && stop - start < most && !this.line(stop)) stop++;
    return { from: start, limit: stop - start };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #evict(near: number): void {
    const center = Math.floor(near / chunkSize);
    const byDistance = [...this.#chunks.keys()].toSorted(
      (a, b) => Math.abs(b - center) - Math.abs(a - center),
    );
    for (const key of byDistance) {
      if (this.#held <= mostLines * 0.8) return;
      this.#held -= this.#chunks.get(key)?.filter(Boolean).length ?? 0;
      this.#chunks.delete(key);
    }
  }

  /** Tells once for many changes: a fast log would draw the page thousands of times a second. */
  #changed(): void {
    this.#version++;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(
      () => {
        this.#scheduled = false;
        for (const listener of this.#listeners) listener();
      },
      this.#total > 20_000 ? 120 : 40,
    );
  }
}

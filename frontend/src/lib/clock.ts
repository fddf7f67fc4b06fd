import { useSyncExternalStore } from "react";

type Listener = () => void;

/** One timer for everyone who shows a time that moves. */
function ticker(everyMs: number): { subscribe: (listener: Listener) => () => void; get: () => number } {
  const listeners = new Set<Listener>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let now = Date.now();
  return {
    subscribe(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        now = Date.now();
        timer = setInterval(() => {
          now = Date.now();
          for (const each of listeners) each();
        }, everyMs);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      };
    },
    get: () => now,
  };
}

const seconds = ticker(1_000);
const halfMinutes = ticker(30_000);
const never = { subscribe: () => () => {}, get: () => 0 };

/** The time now, renewed each second, each half minute, or never (then 0). */
export function useNow(pace: "second" | "slow" | "never"): number {
  const source = pace === "second" ? seconds : pace === "slow" ? halfMinutes : never;
  return useSyncExternalStore(source.subscribe, source.get);
}

import { useEffect, useRef } from "react";

/** Calls again and again while the page is looked at; for what no subscription tells. */
export function usePoll(run: () => void, everyMs: number): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

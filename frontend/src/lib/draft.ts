import type { UseFormReturnType } from "@mantine/form";
import { useEffect, useRef } from "react";

const prefix = "goblinlab-draft:";

/** What was typed before, or nothing. Unknown shapes are left to `merge`. */
export function readDraft<T extends object>(key: string, initial: T): T {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(prefix + key) ?? "null");
    if (typeof stored !== "object" || stored === null) return initial;
    // Only fields that the form still has, so that a draft of an older page does no harm.
    const entries = Object.entries(stored).filter(
      ([name, value]) => name in initial && sameKind(value, (initial as Record<string, unknown>)[name]),
    );
    return { ...initial, ...Object.fromEntries(entries) };
  } catch {
    return initial;
  }
}

function sameKind(a: unknown, b: unknown): boolean {
  return b === null || a === null || (typeof a === typeof b && Array.isArray(a) === Array.isArray(b));
}

export function clearDraft(key: string): void {
  try {
    sessionStorage.removeItem(prefix + key);
  } catch {
    // Nothing was kept either.
  }
}

/** Keeps what is typed for as long as the tab lives, so that leaving the form loses nothing. */
export function useDraft<T extends Record<string, unknown>>(
  key: string,
  form: UseFormReturnType<T>,
): () => void {
  const dropped = useRef(false);
  const values = form.values;
  const dirty = form.isDirty();
  useEffect(() => {
    if (dropped.current || !dirty) return;
    try {
      sessionStorage.setItem(prefix + key, JSON.stringify(values));
    } catch {
      // Full or switched off: the form works without a draft.
    }
  }, [key, values, dirty]);
  return () => {
    dropped.current = true;
    clearDraft(key);
  };
}

import type { UseFormReturnType } from "@mantine/form";
import { useEffect, useRef } from "react";

const prefix = "goblinlab-draft:";

/** What was typed before, or nothing. Unknown shapes are left to `merge`. */
export function readDraft<T extends object>(key: string, initial: T): T {
  const stored = readKeptJson(key);
  if (typeof stored !== "object" || stored === null) return initial;
  // Only fields that the form still has, so that a draft of an older page does no harm.
  const entries = Object.entries(stored).filter(
    ([name, value]) => name in initial && sameKind(value, (initial as Record<string, unknown>)[name]),
  );
  return { ...initial, ...Object.fromEntries(entries) };
}

function sameKind(a: unknown, b: unknown): boolean {
  return b === null || a === null || (typeof a === typeof b && Array.isArray(a) === Array.isArray(b));
}

export function clearDraft(key: string): void {
  keepJson(key, null);
}

/** What was kept as it is, for who knows its shape. */
export function readKeptJson(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + key) ?? "null");
  } catch {
    return null;
  }
}

/** Keeps a value for as long as the tab lives; null forgets it. */
export function keepJson(key: string, value: object | null): void {
  try {
    if (value === null) sessionStorage.removeItem(prefix + key);
    else sessionStorage.setItem(prefix + key, JSON.stringify(value));
  } catch {
    // Full or switched off: the form works without a draft.
  }
}

/** Forgets every draft: the next person at this tab is somebody else. */
export function clearDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept either.
  }
}

/** Only the fields that differ from what is saved, or null when none does. */
export function changedFields<T extends Record<string, unknown>>(values: T, saved: T): Partial<T> | null {
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(saved[name]),
  );
  return changed.length > 0 ? (Object.fromEntries(changed) as Partial<T>) : null;
}

/**
 * The same for a form of something that is there: keeps the fields that were changed
 * alone, so that the others show what others made of them meanwhile.
 */
export function useEditDraft<T extends Record<string, unknown>>(key: string, values: T, saved: T): boolean {
  const changed = changedFields(values, saved);
  const text = changed ? JSON.stringify(changed) : "";
  useEffect(() => {
    keepJson(key, text === "" ? null : (JSON.parse(text) as object));
  }, [key, text]);
  return text !== "";
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
    keepJson(key, values);
  }, [key, values, dirty]);
  return () => {
    dropped.current = true;
    clearDraft(key);
  };
}

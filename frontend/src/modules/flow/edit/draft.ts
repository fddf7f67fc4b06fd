import { readKeptJson } from "~/lib/draft";
import type { EditorDraft } from "~/modules/flow/edit/editor";
import { asSpec, isRecord } from "~/modules/flow/spec";

function text(value: unknown, other: string): string {
  return typeof value === "string" ? value : other;
}

/** What was edited before in this tab; what has another shape than it should is left alone. */
export function readEditorDraft(key: string, initial: EditorDraft): EditorDraft {
  const kept = readKeptJson(key);
  if (!isRecord(kept) || !isRecord(kept.spec)) return initial;
  return {
    name: text(kept.name, initial.name),
    comment: text(kept.comment, initial.comment),
    spec: asSpec(kept.spec),
    yaml: text(kept.yaml, ""),
    source: kept.source === "text" ? "text" : "form",
    places: isRecord(kept.places) ? (kept.places as EditorDraft["places"]) : {},
  };
}

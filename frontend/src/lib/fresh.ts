import type { Exchange, OperationResult } from "@urql/core";
import { filter, pipe, tap } from "wonka";

interface Versioned {
  id: string;
  version: number;
}

function versioned(value: unknown): value is Versioned {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    "version" in value &&
    typeof value.version === "number"
  );
}

/** The instance or run that a subscription brought or a mutation answered with, if it tells its version. */
function subjects(result: OperationResult): Versioned[] {
  if (result.operation.kind === "query" || typeof result.data !== "object" || result.data === null) return [];
  return Object.values(result.data as Record<string, unknown>).flatMap((field) => {
    if (versioned(field)) return [field];
    if (typeof field !== "object" || field === null) return [];
    return Object.values(field).filter(versioned);
  });
}

/**
 * A socket and a POST overtake each other: an older state on the subscription must
 * not replace the newer one that a mutation answered with.
 */
export const freshOnly: Exchange = ({ forward }) => {
  const seen = new Map<string, number>();
  return (operations$) =>
    pipe(
      forward(operations$),
      filter(
        (result) =>
          result.operation.kind !== "subscription" ||
          subjects(result).every((one) => one.version >= (seen.get(one.id) ?? 0)),
      ),
      tap((result) => {
        for (const one of subjects(result)) seen.set(one.id, Math.max(one.version, seen.get(one.id) ?? 0));
      }),
    );
};

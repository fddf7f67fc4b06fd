import type { CombinedError } from "@urql/core";
import type { TFunction } from "i18next";

/** Codes of the server's errors, and two of the page's own. */
export type FaultCode =
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "INVALID_ARGUMENT"
  | "CONFLICT"
  | "FAILED_PRECONDITION"
  | "RESOURCE_EXHAUSTED"
  | "UNAVAILABLE"
  | "INTERNAL"
  | "OFFLINE"
  | "UNKNOWN";

export interface FieldFault {
  path: string;
  message: string;
}

/** An error as the page handles it: a code to branch on, words for people, fields for forms. */
export interface Fault {
  code: FaultCode;
  message: string;
  fields: FieldFault[];
  requestId: string;
}

const known: ReadonlySet<string> = new Set<FaultCode>([
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "NOT_FOUND",
  "INVALID_ARGUMENT",
  "CONFLICT",
  "FAILED_PRECONDITION",
  "RESOURCE_EXHAUSTED",
  "UNAVAILABLE",
  "INTERNAL",
]);

function isCode(value: unknown): value is FaultCode {
  return typeof value === "string" && known.has(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Reads `extensions.fields`; what has another shape is left out rather than trusted. */
function readFields(value: unknown): FieldFault[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) =>
    isRecord(item) && typeof item.path === "string" && typeof item.message === "string"
      ? [{ path: item.path, message: item.message }]
      : [],
  );
}

/** The first error of a response is the one that people see; fields are gathered from all. */
export function toFault(error: CombinedError): Fault {
  const first = error.graphQLErrors[0];
  if (!first) {
    return {
      code: "OFFLINE",
      message: error.networkError?.message ?? error.message,
      fields: [],
      requestId: "",
    };
  }
  const { code, requestId } = first.extensions;
  return {
    code: isCode(code) ? code : "UNKNOWN",
    message: first.message,
    fields: error.graphQLErrors.flatMap((one) => readFields(one.extensions.fields)),
    requestId: typeof requestId === "string" ? requestId : "",
  };
}

/** The sentence for people. The server's own text is already in their language. */
export function faultText(fault: Fault, t: TFunction): string {
  if (fault.code === "OFFLINE") return t("fault.offline");
  if (fault.code === "INTERNAL") {
    return fault.requestId ? t("fault.internalWithId", { id: fault.requestId }) : t("fault.internal");
  }
  return fault.message;
}

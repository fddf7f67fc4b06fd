import { signedOut } from "~/lib/client";
import type { Fault, FaultCode } from "~/lib/fault";
import { currentLanguage } from "~/lib/language";

/** What a folder holds. See docs/adr/0016-files.md for the protocol. */
export interface Entry {
  name: string;
  ref: string;
  kind: "file" | "folder" | "link" | "other";
  size: number;
  modified: string;
  mode: string;
  owner: number;
  links: number;
  etag: string;
  type?: string;
  target?: string;
  targetKind?: "file" | "folder" | "outside" | "broken" | "other";
}

export interface Opened {
  access: "read-write" | "read-only";
  ready: boolean;
  message: string;
  limits: { textBytes: number; chunkBytes: number; imageBytes: number };
}

export interface Listing {
  entries: Entry[];
  next: string;
  total: number;
}

export interface TextFile {
  text: string;
  encoding: string;
  binary: boolean;
  truncated: boolean;
  editable: boolean;
  entry: Entry;
}

export interface TableFile {
  rows: string[][];
  columns: number;
  delimiter: string;
  encoding: string;
  truncated: boolean;
}

export interface NotebookOutput {
  kind: "text" | "error" | "image" | "html" | "other";
  type: string;
  text: string;
}

export interface NotebookCell {
  kind: "code" | "markdown" | "raw";
  source: string;
  count: number | null;
  outputs: NotebookOutput[] | null;
}

export interface Notebook {
  language: string;
  cells: NotebookCell[];
  truncated: boolean;
}

export interface UsageItem {
  name: string;
  ref: string;
  kind: Entry["kind"];
  bytes: number;
  inodes: number;
}

export interface Usage {
  bytes: number;
  inodes: number;
  items: UsageItem[] | null;
  rest: { bytes: number; inodes: number };
  volume: { bytes: number; free: number; inodes: number; inodesFree: number };
}

export interface Upload {
  id: string;
  ref: string;
  size: number;
  offset: number;
  done: boolean;
}

/** A refusal of the server, in the language of the page. */
export class FilesError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

const codes: ReadonlySet<string> = new Set<FaultCode>([
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

/** Reads an error as the server writes it; what has another shape is of unknown kind. */
export function readFault(body: unknown): Fault {
  const told = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const { code, message, requestId } = told;
  return {
    code: typeof code === "string" && codes.has(code) ? (code as FaultCode) : "UNKNOWN",
    message: typeof message === "string" ? message : "",
    fields: [],
    requestId: typeof requestId === "string" ? requestId : "",
  };
}

/** An error as the page handles it; what is no answer at all means that nobody was there. */
export function faultOf(error: unknown): Fault {
  if (error instanceof FilesError) return error.fault;
  return {
    code: "OFFLINE",
    message: error instanceof Error ? error.message : String(error),
    fields: [],
    requestId: "",
  };
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

interface Ask {
  method?: string;
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** The files of one volume, or of a share of one. */
export class Files {
  readonly #base: string;

  constructor(volumeId: string) {
    this.#base = `/files/v1/volumes/${encodeURIComponent(volumeId)}`;
  }

  /** An address that a browser fetches by itself; `ref` is put as it is. */
  url(what: string, ref: string, more = ""): string {
    return `${this.#base}/${what}?path=${ref}${more}`;
  }

  async ask(path: string, { method = "GET", body, headers = {}, signal }: Ask = {}): Promise<Response> {
    const response = await fetch(path.startsWith("/") ? path : `${this.#base}/${path}`, {
      method,
      credentials: "same-origin",
      headers: { "Accept-Language": currentLanguage(), ...headers },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
    if (response.ok) return response;
    const told: unknown = await response.json().catch(() => null);
    const fault = readFault(told);
    if (fault.code === "UNAUTHENTICATED") signedOut.set(true);
    throw new FilesError(fault.message === "" ? { ...fault, message: `HTTP ${response.status}` } : fault);
  }

  async json<T>(path: string, ask: Ask = {}): Promise<T> {
    const response = await this.ask(path, ask);
    return (await response.json()) as T;
  }

  send<T>(method: string, path: string, value: object): Promise<T> {
    return this.json<T>(path, {
      method,
      body: JSON.stringify(value),
      headers: { "Content-Type": "application/json" },
    });
  }

  /** Starts what serves the files; it tells how far that is. */
  open(signal?: AbortSignal): Promise<Opened> {
    return this.json<Opened>("", { signal });
  }

  list(ref: string, after: string, limit: number, signal?: AbortSignal): Promise<Listing> {
    return this.json<Listing>(
      this.url("list", ref, `&limit=${limit}${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`),
      { signal },
    );
  }

  /**
   * Reads an answer of lines: those before the last go to `each`, the last is the result.
   * An answer without a last line broke off.
   */
  async lines<T>(path: string, ask: Ask, each: (line: Record<string, unknown>) => void): Promise<T> {
    const response = await this.ask(path, ask);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    let last: Record<string, unknown> | null = null;
    const take = (line: string): void => {
      if (line.trim() === "") return;
      const value = JSON.parse(line) as Record<string, unknown>;
      if (value.error) throw new FilesError(readFault(value.error));
      if (value.done === true) last = value;
      else each(value);
    };
    if (!reader) throw new TypeError("the answer has no body");
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- a stream has an order
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) take(part);
    }
    take(rest);
    if (last === null) throw new TypeError("the answer broke off");
    return last as T;
  }

  /** As `lines`, for something that is asked to be done. */
  work<T>(
    method: string,
    path: string,
    value: object | null,
    each: (line: Record<string, unknown>) => void,
    signal?: AbortSignal,
  ): Promise<T> {
    const body = value
      ? { body: JSON.stringify(value), headers: { "Content-Type": "application/json" } }
      : {};
    return this.lines<T>(path, { method, signal, ...body }, each);
  }
}

/** What an entry is, or leads to. */
export function kindOf(entry: Entry): "file" | "folder" | "other" {
  const kind = entry.kind === "link" ? entry.targetKind : entry.kind;
  return kind === "file" || kind === "folder" ? kind : "other";
}

export type Preview = "text" | "table" | "notebook" | "image";

const images = /\.(?:png|jpe?g|gif|webp|bmp|avif|ico|svg)$/i;

/** How a file is shown, by its name. */
export function previewOf(entry: Entry): Preview {
  if (images.test(entry.name)) return "image";
  if (/\.(?:csv|tsv)$/i.test(entry.name)) return "table";
  if (/\.ipynb$/i.test(entry.name)) return "notebook";
  return "text";
}

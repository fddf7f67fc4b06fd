import type { Fault } from "~/lib/fault";
import { createStore } from "~/lib/store";
import { faultOf, Files, FilesError, isAborted, type Upload } from "~/modules/files/api";

export type SendState = "waiting" | "sending" | "paused" | "checking" | "done" | "failed";

/** A file on its way into a volume. */
export interface Sending {
  key: number;
  volumeId: string;
  ref: string;
  name: string;
  size: number;
  sent: number;
  state: SendState;
  fault: Fault | null;
}

const atOnce = 2;
const firstChunk = 1 << 20;
/** A part should take about so long: small enough to see progress, large enough to be fast. */
const partMs = 1_500;
const waits = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
const memory = "goblinlab-upload:";

/** The size of the next part, from how long the one before took. */
export function nextChunk(size: number, took: number, most: number): number {
  const wish = took <= 0 ? size * 2 : size * Math.min(2, Math.max(0.5, partMs / took));
  return Math.max(64 << 10, Math.min(most, Math.round(wish)));
}

interface Job {
  file: File;
  replace: boolean;
  most: number;
  stop: AbortController;
}

/** The uploads of this tab. They go on while the page shows something else. */
export const uploads = createStore<readonly Sending[]>([]);

/** Grows when a file arrived, so that the folder on the screen is read again. */
export const arrivals = createStore(0);

const jobs = new Map<number, Job>();
let lastKey = 0;

function change(key: number, part: Partial<Sending>): void {
  const all = [...uploads.get()];
  const at = all.findIndex((each) => each.key === key);
  const was = all[at];
  if (!was) return;
  all[at] = { ...was, ...part };
  uploads.set(all);
}

function get(key: number): Sending | undefined {
  return uploads.get().find((each) => each.key === key);
}

export function addUpload(volumeId: string, ref: string, file: File, most: number): void {
  const key = ++lastKey;
  jobs.set(key, { file, replace: false, most, stop: new AbortController() });
  uploads.set([
    ...uploads.get(),
    { key, volumeId, ref, name: file.name, size: file.size, sent: 0, state: "waiting", fault: null },
  ]);
  pump();
}

/** Tries again; with `replace` over what is there. */
export function retryUpload(key: number, replace: boolean): void {
  const job = jobs.get(key);
  if (!job) return;
  jobs.set(key, { ...job, replace, stop: new AbortController() });
  change(key, { state: "waiting", fault: null });
  pump();
}

/** Ends an upload and forgets what arrived of it. */
export function cancelUpload(key: number): void {
  const job = jobs.get(key);
  job?.stop.abort();
  jobs.delete(key);
  const sending = get(key);
  uploads.set(uploads.get().filter((each) => each.key !== key));
  if (!job || !sending || sending.state === "done") return;
  const kept = recall(sending, job.file);
  if (kept !== "") {
    const files = new Files(sending.volumeId);
    files.ask(`uploads/${encodeURIComponent(kept)}`, { method: "DELETE" }).catch(() => {
      // It lapses by itself.
    });
    remember(sending, job.file, "");
  }
  pump();
}

/** Takes what has ended out of the list. */
export function clearUploads(): void {
  for (const each of uploads.get()) if (each.state === "done") jobs.delete(each.key);
  uploads.set(uploads.get().filter((each) => each.state !== "done"));
}

export function uploading(): boolean {
  return uploads.get().some((each) => ["waiting", "sending", "paused", "checking"].includes(each.state));
}

function pump(): void {
  const busy = uploads.get().filter((each) => ["sending", "paused", "checking"].includes(each.state)).length;
  const waiting = uploads.get().filter((each) => each.state === "waiting");
  for (const each of waiting.slice(0, Math.max(0, atOnce - busy))) {
    change(each.key, { state: "sending" });
    void run(each.key);
  }
}

async function run(key: number): Promise<void> {
  const job = jobs.get(key);
  const sending = get(key);
  if (!job || !sending) return;
  try {
    await send(key, sending, job);
    remember(sending, job.file, "");
    change(key, { state: "done", sent: sending.size, fault: null });
    arrivals.set(arrivals.get() + 1);
  } catch (error) {
    if (!isAborted(error)) change(key, { state: "failed", fault: faultOf(error) });
  }
  pump();
}

async function send(key: number, sending: Sending, job: Job): Promise<void> {
  const files = new Files(sending.volumeId);
  const { signal } = job.stop;
  const upload = await begin(files, sending, job);
  const path = `uploads/${encodeURIComponent(upload.id)}`;
  let { offset } = upload;
  let chunk = Math.min(firstChunk, job.most);
  let failures = 0;
  change(key, { sent: offset });
  while (offset < job.file.size) {
    const began = performance.now();
    // Parts follow one another, since each begins where the one before ended.
    /* oxlint-disable no-await-in-loop */
    try {
      const response = await files.ask(path, {
        method: "PATCH",
        body: job.file.slice(offset, offset + chunk),
        headers: { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) },
        signal,
      });
      const told = Number(response.headers.get("Upload-Offset"));
      offset = Number.isFinite(told) && told > offset ? told : offset + chunk;
      chunk = nextChunk(chunk, performance.now() - began, job.most);
      failures = 0;
      change(key, { sent: offset, state: "sending", fault: null });
    } catch (error) {
      if (isAborted(error) || !passes(error) || failures >= waits.length * 4) throw error;
      change(key, { state: "paused", fault: faultOf(error) });
      await pause(waits[Math.min(failures, waits.length - 1)] ?? 30_000, signal);
      failures++;
      // What arrived before it broke counts.
      offset = await files.json<Upload>(path, { signal }).then(
        (now) => now.offset,
        (again: unknown) => {
          if (again instanceof FilesError && !passes(again)) throw again;
          if (isAborted(again)) throw again;
          return offset;
        },
      );
    }
    /* oxlint-enable no-await-in-loop */
  }
  change(key, { state: "checking" });
  await files.work("POST", `${path}/finish`, null, () => {}, signal);
}

/** Goes on with what an earlier try left, if it was of the same file. */
async function begin(files: Files, sending: Sending, job: Job): Promise<Upload> {
  const { signal } = job.stop;
  const kept = recall(sending, job.file);
  if (kept !== "" && !job.replace) {
    try {
      const found = await files.json<Upload>(`uploads/${encodeURIComponent(kept)}`, { signal });
      if (found.ref === sending.ref && found.size === job.file.size) return found;
    } catch (error) {
      if (!(error instanceof FilesError)) throw error;
    }
  }
  const body = JSON.stringify({
    path: sending.ref,
    size: job.file.size,
    sha256: "",
    replace: job.replace,
  });
  const made = await files.json<Upload>("uploads", {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json" },
    signal,
  });
  remember(sending, job.file, made.id);
  return made;
}

/** True for what may go better by itself: nobody answered, or the offset was another. */
function passes(error: unknown): boolean {
  if (!(error instanceof FilesError)) return true;
  return error.fault.code === "UNAVAILABLE" || error.fault.code === "CONFLICT";
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        fail(new DOMException("cancelled", "AbortError"));
      },
      { once: true },
    );
  });
}

function keyOf(sending: Sending, file: File): string {
  return `${memory}${sending.volumeId}:${sending.ref}:${file.size}:${file.lastModified}`;
}

/** The upload of the same file to the same place, by an earlier page of this browser. */
function recall(sending: Sending, file: File): string {
  try {
    return localStorage.getItem(keyOf(sending, file)) ?? "";
  } catch {
    return "";
  }
}

function remember(sending: Sending, file: File, id: string): void {
  try {
    if (id === "") localStorage.removeItem(keyOf(sending, file));
    else localStorage.setItem(keyOf(sending, file), id);
  } catch {
    // Without it, an upload that a reload broke off begins anew.
  }
}

/** Codes of waits that end by themselves: nobody needs to do anything about them. */
const calm: ReadonlySet<string> = new Set([
  "container-creating",
  "image-building",
  "image-importing",
  "init-running",
  "not-ready",
  "pod-not-created",
  "pod-terminating",
  "preempting",
  "pulling",
  "scheduling",
  "starting",
  "suspended",
  "volume-pending",
]);

/** Whether a wait needs somebody. A code that is not known here does. */
export function needsSomebody(code: string): boolean {
  return !calm.has(code);
}

/** What a colour means. Nothing else on the page is coloured. */
export type Tone = "waiting" | "working" | "good" | "attention" | "failed" | "stopped";

export function toneColor(tone: Tone): string {
  return `var(--tone-${tone})`;
}

export function toneSoft(tone: Tone): string {
  return `var(--tone-${tone}-soft)`;
}

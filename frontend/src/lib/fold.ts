import { stripAnsi } from "~/lib/ansi";

/** A line after its carriage returns: what a terminal would still show. */
export interface Folded {
  text: string;
  /** How many earlier states of the line were overwritten. */
  hidden: number;
}

/** A progress bar writes its states with `\r`; only the last one that says something is kept. */
export function foldCarriageReturns(text: string): Folded {
  if (!text.includes("\r")) return { text, hidden: 0 };
  const states = text.split("\r").filter((state) => stripAnsi(state).trim() !== "");
  return { text: states.at(-1) ?? "", hidden: Math.max(0, states.length - 1) };
}

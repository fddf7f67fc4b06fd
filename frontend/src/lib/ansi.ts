/** A stretch of text of one look. Colours are CSS values. */
export interface Segment {
  text: string;
  color?: string;
  background?: string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
}

type Look = Omit<Segment, "text">;

// CSI sequences, OSC sequences (titles, links), and lone two-character escapes.
/* oxlint-disable no-control-regex -- escape sequences begin with a control character */
const sequence =
  /\u001b\[([0-9;:?]*)([ -/]*[@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[@-Z\\-_=>78]/g;

const steps = [0, 95, 135, 175, 215, 255] as const;

function indexed(n: number): string {
  if (n < 16) return `var(--ansi-${n})`;
  if (n < 232) {
    const k = n - 16;
    const level = (v: number): number => steps[v] ?? 0;
    return `rgb(${level(Math.floor(k / 36))},${level(Math.floor(k / 6) % 6)},${level(k % 6)})`;
  }
  const grey = 8 + (n - 232) * 10;
  return `rgb(${grey},${grey},${grey})`;
}

/** Reads `38;5;n` and `38;2;r;g;b`; gives the colour and how many codes it took. */
function extended(codes: readonly number[], at: number): [string | undefined, number] {
  if (codes[at + 1] === 5) return [indexed((codes[at + 2] ?? 0) & 255), 2];
  if (codes[at + 1] === 2) {
    return [
      `rgb(${(codes[at + 2] ?? 0) & 255},${(codes[at + 3] ?? 0) & 255},${(codes[at + 4] ?? 0) & 255})`,
      4,
    ];
  }
  return [undefined, 0];
}

function apply(look: Look, codes: readonly number[]): Look {
  let next: Look = { ...look };
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 0) next = {};
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7)
      next = { ...next, color: "var(--ansi-background)", background: next.color ?? "var(--ansi-text)" };
    else if (code === 22) next = { ...next, bold: undefined, dim: undefined };
    else if (code === 23) next.italic = undefined;
    else if (code === 24) next.underline = undefined;
    else if (code === 27 || code === 49) next.background = undefined;
    else if (code >= 30 && code <= 37) next.color = indexed(code - 30);
    else if (code >= 90 && code <= 97) next.color = indexed(code - 82);
    else if (code === 39) next.color = undefined;
    else if (code >= 40 && code <= 47) next.background = indexed(code - 40);
    else if (code >= 100 && code <= 107) next.background = indexed(code - 92);
    else if (code === 38 || code === 48) {
      const [color, taken] = extended(codes, i);
      if (code === 38) next.color = color;
      else next.background = color;
      i += taken;
    }
  }
  return next;
}

/** Splits a line into stretches; moves of the cursor and titles are dropped. */
export function parseAnsi(text: string): Segment[] {
  if (!text.includes("\u001b")) return text === "" ? [] : [{ text }];
  const segments: Segment[] = [];
  let look: Look = {};
  let from = 0;
  for (const match of text.matchAll(sequence)) {
    if (match.index > from) segments.push({ text: text.slice(from, match.index), ...look });
    from = match.index + match[0].length;
    if (match[2] === "m") {
      look = apply(
        look,
        (match[1] ?? "").split(/[;:]/).map((code) => Number.parseInt(code, 10) || 0),
      );
    }
  }
  if (from < text.length) segments.push({ text: text.slice(from), ...look });
  return segments;
}

/** The text without any escape sequence, for search and for copying. */
export function stripAnsi(text: string): string {
  return text.includes("\u001b") ? text.replace(sequence, "") : text;
}

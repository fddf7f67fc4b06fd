/** A command line taken apart the way people expect from a shell, without being one. */
export interface ParsedCommand {
  args: string[];
  /** What is wrong with it, if anything is. */
  error: "open-quote" | "open-escape" | null;
  /** Characters that a shell would act on and that are passed on as they are here. */
  shellSyntax: string[];
}

const blank = /\s/;
const operators = /^(?:\||\|\||&&|&|;|>|>>|<|2>|2>&1|\$\(.*|`.*)$/;

/**
 * Splits on blanks; single quotes keep everything, double quotes keep everything
 * but `\"` and `\\`, a backslash outside quotes keeps the next character, and a
 * backslash before a newline joins lines. Nothing is expanded.
 */
export function parseCommand(line: string): ParsedCommand {
  const args: string[] = [];
  const shellSyntax: string[] = [];
  let word = "";
  let started = false;
  let quoted = false;
  let quote: '"' | "'" | null = null;

  const finish = (): void => {
    if (!started) return;
    args.push(word);
    if (!quoted && (operators.test(word) || /[*?]|\$[A-Za-z_{(]/.test(word))) shellSyntax.push(word);
    word = "";
    started = false;
    quoted = false;
  };

  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    const next = line.charAt(i + 1);
    if (quote) {
      if (c === quote) quote = null;
      else if (quote === '"' && c === "\\" && (next === '"' || next === "\\")) {
        word += next;
        i++;
      } else word += c;
    } else if (c === "'" || c === '"') {
      quote = c;
      started = true;
      quoted = true;
    } else if (c === "\\") {
      if (next === "") return { args, error: "open-escape", shellSyntax };
      i++;
      if (next === "\n") continue;
      word += next;
      started = true;
      quoted = true;
    } else if (blank.test(c)) {
      finish();
    } else {
      word += c;
      started = true;
    }
  }
  if (quote) return { args, error: "open-quote", shellSyntax };
  finish();
  return { args, error: null, shellSyntax };
}

/** One argument a line; blank lines are no arguments. */
export function parseArgumentLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/\r$/, ""))
    .filter((line) => line.trim() !== "");
}

const plain = /^[\w@%+=:,./-]+$/;

/** The reverse of parseCommand: quotes only what needs it. */
export function formatCommand(args: readonly string[]): string {
  return args.map((arg) => (plain.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)).join(" ");
}

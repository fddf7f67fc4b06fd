import { expect, test } from "vitest";
import { diffLines, valueText, type DiffLine } from "~/modules/flow/line-diff";

const shown = (lines: readonly DiffLine[]): string[] =>
  lines.map((line) => `${line.kind === "same" ? " " : line.kind === "added" ? "+" : "-"}${line.text}`);

test("keeps what is common, and tells what came and went", () => {
  expect(shown(diffLines("a\nb\nc\nd", "a\nc\nx\nd"))).toEqual([" a", "-b", " c", "+x", " d"]);
});

test.each([
  ["", ""],
  ["a", ""],
  ["a\na\na", "a"],
  ["one\ntwo", "two\none"],
  ["x\ny\nz", "p\nq"],
])("both texts can be made again out of the difference of %j and %j", (before, after) => {
  const lines = diffLines(before, after);
  const take = (other: string): string =>
    lines
      .filter((line) => line.kind !== other)
      .map((line) => line.text)
      .join("\n");
  expect(take("added")).toBe(before);
  expect(take("removed")).toBe(after);
});

const text = (word: string): string => Array.from({ length: 3_000 }, (_, i) => `${word}${i}`).join("\n");

test("texts that are too long for a table are replaced as a whole", () => {
  const lines = diffLines(text("a"), text("b"));
  expect(lines).toHaveLength(6_000);
  expect(lines[0]?.kind).toBe("removed");
});

test("values as text", () => {
  expect([valueText(null), valueText("a\nb"), valueText(3), valueText(["x"])]).toEqual([
    "",
    "a\nb",
    "3",
    '[\n  "x"\n]',
  ]);
});

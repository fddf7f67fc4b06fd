import { expect, test } from "vitest";
import { looksLikeError, occurrences } from "~/modules/log/log-search";

test.each([
  ["a Python error", "ValueError: bad shape", true],
  ["a traceback", "Traceback (most recent call last):", true],
  ["a coloured level", "\u001b[31mERROR\u001b[0m no disk", true],
  ["a kill", "Killed", true],
  ["Chinese", "错误：文件不存在", true],
  ["a word that only contains it", "terrorists and mirrored", false],
  ["an ordinary line", "epoch 3 loss=0.1", false],
])("error or not: %s", (_, line, is) => {
  expect(looksLikeError(line)).toBe(is);
});

test("occurrences ignore case and do not overlap", () => {
  expect(occurrences("aAaA", "aa")).toEqual([
    [0, 2],
    [2, 4],
  ]);
  expect(occurrences("text", "")).toEqual([]);
});

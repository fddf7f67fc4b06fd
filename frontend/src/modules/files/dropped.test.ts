import { expect, test } from "vitest";
import { foldersOf } from "~/modules/files/dropped";

test("folders are made once, outer ones first", () => {
  const file = new File([], "x");
  expect(
    foldersOf([
      { file, folders: ["a", "b"] },
      { file, folders: ["a"] },
      { file, folders: [] },
      { file, folders: ["c", "b"] },
    ]),
  ).toEqual([["a"], ["c"], ["a", "b"], ["c", "b"]]);
});

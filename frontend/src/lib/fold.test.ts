import { expect, test } from "vitest";
import { foldCarriageReturns } from "~/lib/fold";

test.each([
  ["no return", "a b", { text: "a b", hidden: 0 }],
  ["a progress bar", "10%\r50%\r100%", { text: "100%", hidden: 2 }],
  ["a line end of another system", "text\r", { text: "text", hidden: 0 }],
  ["a bar that clears itself at the end", "10%\r90%\r   \r", { text: "90%", hidden: 1 }],
  ["only returns", "\r\r", { text: "", hidden: 0 }],
  ["colours without text", "a\r\u001b[0m", { text: "a", hidden: 0 }],
])("%s", (_, line, folded) => {
  expect(foldCarriageReturns(line)).toEqual(folded);
});

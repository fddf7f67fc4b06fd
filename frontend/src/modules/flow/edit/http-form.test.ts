import { expect, test } from "vitest";
import { readHeaders, writeHeaders } from "~/modules/flow/edit/http-form";

test("headers are lines, and lines are headers", () => {
  const headers = { Accept: "a/b", "X-Day": "${yyyy-MM-dd}" };
  expect(readHeaders(writeHeaders(headers))).toEqual(headers);
  expect(readHeaders("half\n: no name\n A : b:c ")).toEqual({ A: "b:c" });
  expect(writeHeaders(["x"])).toBe("");
});

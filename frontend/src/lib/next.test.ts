import { expect, test } from "vitest";
import { safeNext } from "~/lib/next";

const origin = "https://lab.example";

test.each([
  "https://evil.example",
  "//evil.example",
  String.raw`/\evil.example`,
  String.raw`\\evil.example`,
  "/\t/evil.example",
  "/\n/evil.example",
  "\t//evil.example",
  "/.//evil.example",
  "/x/..//evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "evil.example",
  "",
  null,
])("does not leave the page for %j", (next) => {
  const to = safeNext(next, origin);
  expect(new URL(to, origin).origin).toBe(origin);
  expect(to).toBe("/");
});

test.each([
  ["/runs", "/runs"],
  ["/runs/run-1?team=team-1#line", "/runs/run-1?team=team-1#line"],
  ["/invitation?token=abc", "/invitation?token=abc"],
  ["/a/../b", "/b"],
])("goes on to %s", (next, to) => expect(safeNext(next, origin)).toBe(to));

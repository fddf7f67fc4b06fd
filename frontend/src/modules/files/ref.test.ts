import { expect, test } from "vitest";
import {
  childRef,
  crumbsOf,
  decodeName,
  deepRef,
  isWithin,
  parentRef,
  readPlace,
  shownPath,
  writePlace,
} from "~/modules/files/ref";

test("a ref is made of names, whatever they hold", () => {
  expect(childRef("", "a b&c=d%.txt")).toBe("a%20b%26c%3Dd%25.txt");
  expect(childRef("data", "图 1.png")).toBe("data%2F%E5%9B%BE%201.png");
  expect(deepRef("data", ["x", "y"])).toBe("data%2Fx%2Fy");
});

test("the way to a folder", () => {
  expect(crumbsOf("")).toEqual([]);
  expect(crumbsOf("a%2Fb%20c%2fd")).toEqual([
    { ref: "a", name: "a" },
    { ref: "a%2Fb%20c", name: "b c" },
    { ref: "a%2Fb%20c%2fd", name: "d" },
  ]);
  expect(parentRef("a%2Fb")).toBe("a");
  expect(parentRef("a")).toBe("");
  expect(parentRef("")).toBe("");
  expect(shownPath("a%2Fb%20c")).toBe("/a/b c");
});

test("bytes that are no UTF-8 are shown, and kept exactly in the address", () => {
  expect(decodeName("%FFx%E5%9B%BE")).toBe("\u{FFFD}x图");
  const place = readPlace(writePlace({ at: "%FF%2Fa", open: "%FF%2Fa%2Fb%26", find: "a b*", view: "usage" }));
  expect(place).toEqual({ at: "%FF%2Fa", open: "%FF%2Fa%2Fb%26", find: "a b*", view: "usage" });
  expect(readPlace("?find=a+b").find).toBe("a b");
  expect(writePlace({})).toBe("");
});

test("what lies in a folder", () => {
  expect(isWithin("a%2Fb", "a")).toBe(true);
  expect(isWithin("ab", "a")).toBe(false);
  expect(isWithin("a", "a")).toBe(true);
  expect(isWithin("a", "")).toBe(true);
});

import { expect, test } from "vitest";
import en from "~/locales/en.json";
import zhCN from "~/locales/zh-CN.json";

/** Paths to their texts; Chinese has no plural, so `_one` and `_other` count as one. */
function flatten(tree: object, prefix = ""): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const [key, value] of Object.entries(tree)) {
    const path = prefix + key.replace(/_(?:one|other)$/, "");
    if (typeof value === "string") out.set(path, [...(out.get(path) ?? []), value]);
    else if (typeof value === "object" && value !== null) {
      for (const [inner, texts] of flatten(value, `${path}.`)) out.set(inner, texts);
    }
  }
  return out;
}

function placeholders(texts: readonly string[]): string[] {
  return [
    ...new Set(texts.flatMap((text) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? ""))),
  ].toSorted();
}

const english = flatten(en);
const chinese = flatten(zhCN);

test("both languages have the same keys", () => {
  expect([...chinese.keys()].toSorted()).toEqual([...english.keys()].toSorted());
});

test("both languages have the same placeholders", () => {
  for (const [key, texts] of english) {
    expect([key, placeholders(chinese.get(key) ?? [])]).toEqual([key, placeholders(texts)]);
  }
});

test("no text is empty", () => {
  for (const [key, texts] of [...english, ...chinese]) {
    for (const text of texts) expect(text.trim(), key).not.toBe("");
  }
});

test("Chinese uses full-width marks beside Chinese", () => {
  for (const [key, texts] of chinese) {
    for (const text of texts)
      expect(text, key).not.toMatch(/[\u4E00-\u9FFF][,;:?!]|[\u4E00-\u9FFF]\.(?:\s|$)/);
  }
});

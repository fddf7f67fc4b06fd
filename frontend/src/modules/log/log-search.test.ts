import { act, renderHook, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { errorPattern, occurrences, useErrorJump, useLogSearch } from "~/modules/log/log-search";
import type { LogFeed } from "~/modules/log/log-source";
import { LogStore } from "~/modules/log/log-store";

test.each([
  ["a Python error", "ValueError: bad shape", true],
  ["a traceback", "Traceback (most recent call last):", true],
  ["a level", "ERROR no disk", true],
  ["a kill", "Killed", true],
  ["Chinese", "错误：文件不存在", true],
  ["a word that only contains it", "terrorists and mirrored", false],
  ["an ordinary line", "epoch 3 loss=0.1", false],
])("error or not: %s", (_, line, is) => {
  expect(new RegExp(errorPattern, "i").test(line)).toBe(is);
});

test("occurrences ignore case and do not overlap", () => {
  expect(occurrences("aAaA", "aa")).toEqual([
    [0, 2],
    [2, 4],
  ]);
  expect(occurrences("text", "")).toEqual([]);
});

/** Answers as the server does, two lines at a time. */
function feedOf(texts: readonly string[]): LogFeed & { search: ReturnType<typeof vi.fn> } {
  const search = vi.fn(async (text: string, from: number, regexp = false, limit = 5000) => {
    const numbers: number[] = [];
    let next = from;
    while (next < Math.min(from + 2, texts.length) && numbers.length < limit) {
      const line = texts[next] ?? "";
      if (regexp ? new RegExp(text, "i").test(line) : line.includes(text)) numbers.push(next);
      next++;
    }
    return Promise.resolve({ numbers, next, end: next >= texts.length });
  });
  return { search } as unknown as LogFeed & { search: typeof search };
}

test("P83: the server searches what the page has not loaded, and the page what it holds of the rest", async () => {
  const texts = ["one a", "two", "three a", "four", "five a"];
  const store = new LogStore();
  store.grow(5);
  const feed = feedOf(texts);
  const { result, rerender } = renderHook(({ version }) => useLogSearch(store, feed, "a", version), {
    initialProps: { version: 0 },
  });
  await waitFor(() => expect(result.current.hits).toEqual([0, 2, 4]));
  expect(store.held).toBe(0);
  expect(result.current).toMatchObject({ scanned: 5, searching: false });
  const asked = feed.search.mock.calls.length;
  const line = { time: "2026-12-01T00:00:00Z", source: "OUTPUT" as const, partial: false, code: "" };
  act(() => {
    store.add([
      { ...line, number: 5, text: "six" },
      { ...line, number: 6, text: "seven A" },
    ]);
  });
  rerender({ version: 1 });
  await waitFor(() => expect(result.current.hits).toEqual([0, 2, 4, 6]));
  expect(feed.search.mock.calls.length).toBe(asked);
});

test("of very many hits a search stops, and says so", async () => {
  const store = new LogStore();
  store.grow(300_000);
  const search = vi.fn(async (_: string, from: number) =>
    Promise.resolve({
      numbers: Array.from({ length: 50_000 }, (__, n) => from + n),
      next: from + 50_000,
      end: false,
    }),
  );
  const { result } = renderHook(() => useLogSearch(store, { search } as unknown as LogFeed, "a", 0));
  await waitFor(() => expect(result.current.more).toBe(true));
  expect(result.current).toMatchObject({ scanned: 100_000, searching: false });
  expect(result.current.hits).toHaveLength(100_000);
});

test("the next error is found around the end", async () => {
  const { result } = renderHook(() => useErrorJump(feedOf(["fatal", "x", "x", "x", "an error", "x"])));
  expect(await result.current(1)).toBe(4);
  expect(await result.current(5)).toBe(0);
  const none = renderHook(() => useErrorJump(feedOf(["x", "y", "z"])));
  expect(await none.result.current(0)).toBeNull();
});

import { expect, test } from "vitest";
import { LogStore, type LogEntry } from "~/modules/log/log-store";

function lines(from: number, to: number): LogEntry[] {
  return Array.from({ length: to - from }, (_, i) => ({
    number: from + i,
    time: "2026-01-01T00:00:00Z",
    source: "OUTPUT" as const,
    text: `line ${from + i}`,
    partial: false,
    code: "",
  }));
}

test("windows in any order, overlapping, show each line once", () => {
  const store = new LogStore();
  store.add(lines(500, 1500));
  store.add(lines(1400, 1600));
  store.add(lines(0, 600));
  expect(store.total).toBe(1600);
  expect(store.held).toBe(1600);
  expect(store.line(1450)?.text).toBe("line 1450");
});

test("a hole is known and cut to the size of a window", () => {
  const store = new LogStore();
  store.grow(10_000);
  store.add(lines(9_000, 10_000));
  expect(store.hole(8_500, 9_500, 1_000)).toEqual({ from: 8_500, limit: 500 });
  expect(store.hole(0, 9_000, 1_000)).toEqual({ from: 0, limit: 1_000 });
  expect(store.hole(9_000, 20_000, 1_000)).toBeNull();
});

test("the first hole is found between lines that are held", () => {
  const store = new LogStore();
  store.add(lines(0, 10));
  store.add(lines(15, 20));
  expect(store.hole(0, 20, 1_000)).toEqual({ from: 10, limit: 5 });
});

test("P82: a very long log drops what lies far from the reader", () => {
  const store = new LogStore();
  for (let from = 0; from < 450_000; from += 5_000) store.add(lines(from, from + 5_000));
  expect(store.total).toBe(450_000);
  expect(store.held).toBeLessThanOrEqual(405_000);
  expect(store.line(449_999)).toBeDefined();
  expect(store.line(0)).toBeUndefined();
});

test("listeners hear once of many changes", async () => {
  const store = new LogStore();
  let heard = 0;
  store.subscribe(() => heard++);
  for (let i = 0; i < 100; i++) store.add(lines(i, i + 1));
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  expect(heard).toBe(1);
});

test("knows how many lines are the platform's, each once", () => {
  const store = new LogStore();
  const said: LogEntry = {
    number: 1,
    time: "2026-01-01T00:00:00Z",
    source: "PLATFORM",
    text: "The program has started.",
    partial: false,
    code: "run.started",
  };
  store.add([...lines(0, 1), said, ...lines(2, 10)]);
  store.add([said]);
  expect(store.platform).toBe(1);
  expect(store.held).toBe(10);
});

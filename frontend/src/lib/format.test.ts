import i18next from "i18next";
import { expect, test } from "vitest";
import { formatBytes, formatCores, formatDuration, formatRelative } from "~/lib/format";

test.each([
  [0, "0 B"],
  [1023, "1,023 B"],
  [1024, "1 KiB"],
  [1536 * 1024, "1.5 MiB"],
  [24 * 1024 ** 3, "24 GiB"],
  [133.4 * 1024 ** 2, "133 MiB"],
  [2 * 1024 ** 4, "2 TiB"],
])("bytes: %d", (bytes, text) => {
  expect(formatBytes(bytes, "en")).toBe(text);
});

test.each([
  [500, "0.5"],
  [4000, "4"],
  [1250, "1.25"],
])("cores: %d", (milli, text) => {
  expect(formatCores(milli, "en")).toBe(text);
});

test.each([
  [0, "0 s"],
  [0.42, "0.4 s"],
  [12.3, "12 s"],
  [60, "1 min"],
  [185, "3 min 5 s"],
  [3600, "1 h"],
  [7800, "2 h 10 min"],
  [100_000, "1 d 3 h"],
  [-5, "0 s"],
])("duration: %d", (seconds, text) => {
  expect(formatDuration(seconds, i18next.t)).toBe(text);
});

test.each([
  [10, "just now"],
  [-5, "just now"],
  [300, "5m ago"],
  [7_200, "2h ago"],
  [3 * 86_400, "3d ago"],
  [-7_200, "in 2h"],
])("relative: %d s ago", (ago, text) => {
  const now = new Date("2026-03-01T12:00:00Z");
  expect(formatRelative(new Date(now.getTime() - ago * 1000), now, "en", i18next.t)).toBe(text);
});

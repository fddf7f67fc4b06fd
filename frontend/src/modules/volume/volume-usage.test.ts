import { expect, test } from "vitest";
import { pathOf } from "~/modules/volume/volume-usage";

test("a line of usage stays within its box", () => {
  expect(
    pathOf(
      [
        { at: "2026-01-01T00:00:00Z", usedBytes: 0 },
        { at: "2026-01-01T12:00:00Z", usedBytes: 50 },
        { at: "2026-01-02T00:00:00Z", usedBytes: 100 },
      ],
      100,
    ),
  ).toBe("M0.0 96.0L300.0 48.0L600.0 0.0");
  expect(pathOf([], 0)).toBe("");
});

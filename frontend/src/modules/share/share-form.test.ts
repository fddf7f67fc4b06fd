import { expect, test } from "vitest";
import { dayOf, endOfDay } from "~/modules/share/share-form";

test("a share ends with its last day, in the viewer's zone", () => {
  const at = endOfDay("2026-12-31");
  expect(dayOf(at ?? "")).toBe("2026-12-31");
  expect(new Date(at ?? "").getHours()).toBe(23);
  expect(endOfDay("")).toBeNull();
  expect(endOfDay("31.12.2026")).toBeNull();
});

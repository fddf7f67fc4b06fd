import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Meter, meterTone } from "~/components/meter";

test.each([
  ["room", 10, 100, null],
  ["nearly full", 85, 100, "attention"],
  ["full", 100, 100, "failed"],
  ["beyond", 120, 100, "failed"],
  ["no limit", 120, null, null],
  ["none allowed, none used", 0, 0, null],
  ["some used of none allowed", 1, 0, "failed"],
] as const)("tone: %s", (_, used, limit, tone) => {
  expect(meterTone(used, limit)).toBe(tone);
});

test("says in words what it draws", () => {
  render(
    <Meter label="CPU" text="29 of 64" used={29} limit={64} parts={[{ id: "a", label: "a", amount: 20 }]} />,
  );
  const meter = screen.getByRole("meter", { name: "CPU" });
  expect(meter.getAttribute("aria-valuetext")).toBe("29 of 64");
  expect(meter.childElementCount).toBe(2);
});

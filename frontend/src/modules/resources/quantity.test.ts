import { expect, test } from "vitest";
import { parseSize, sizeQuantity, toResourcesInput, toResourceValues } from "~/modules/resources/quantity";

test.each([
  ["whole", { cpu: 4, memoryGiB: 24, gpu: 1 }, { cpu: "4", memory: "24Gi", gpu: 1 }],
  ["fractions", { cpu: 0.5, memoryGiB: 0.5, gpu: 0 }, { cpu: "500m", memory: "512Mi", gpu: 0 }],
  ["strings of a field", { cpu: "2", memoryGiB: "1.5", gpu: "" }, { cpu: "2", memory: "1536Mi", gpu: 0 }],
  ["nothing typed", { cpu: "", memoryGiB: 1, gpu: 0 }, null],
  ["zero", { cpu: 0, memoryGiB: 1, gpu: 0 }, null],
])("to the contract: %s", (_, values, input) => {
  expect(toResourcesInput(values)).toEqual(input);
});

test("what exists comes back as it was typed", () => {
  const values = toResourceValues({ cpuMilli: 1500, memoryBytes: 1536 * 1024 ** 2, gpu: 2 });
  expect(values).toEqual({ cpu: 1.5, memoryGiB: 1.5, gpu: 2 });
});

test.each([
  ["20", "20Gi"],
  ["20 GiB", "20Gi"],
  ["512Mi", "512Mi"],
  ["1.5 g", "1536Mi"],
  ["2T", "2048Gi"],
])("size: %s", (text, quantity) => {
  expect(sizeQuantity(parseSize(text) ?? 0)).toBe(quantity);
});

test.each(["", "x", "-5", "0", "5 parsec"])("no size: %s", (text) => {
  expect(parseSize(text)).toBeNull();
});

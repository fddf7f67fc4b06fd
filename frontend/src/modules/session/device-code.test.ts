import { expect, test } from "vitest";
import { isWhole, tidyCode } from "~/modules/session/device-code";

test("a code is tidied as it is typed", () => {
  expect(tidyCode("bcdf")).toBe("BCDF");
  expect(tidyCode("bcdf ghjk")).toBe("BCDF-GHJK");
  expect(tidyCode("BCDF-GHJK-LMNP")).toBe("BCDF-GHJK");
  expect(tidyCode("a0e!")).toBe("");
});

test("a code is whole with eight letters", () => {
  expect(isWhole(tidyCode("bcdfghj"))).toBe(false);
  expect(isWhole(tidyCode("bcdfghjk"))).toBe(true);
});

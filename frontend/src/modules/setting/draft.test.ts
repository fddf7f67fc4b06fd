import { expect, test } from "vitest";
import { changesOf, keptDraft, readKept, readProfiles, shownValue } from "~/modules/setting/draft";

const gpu = {
  key: "limits.gpu",
  kind: "COUNT",
  value: "8",
  default: "64",
  isSet: true,
  source: "PAGE",
  version: 3,
};
const secret = {
  key: "mail.password",
  kind: "SECRET",
  value: null,
  default: "",
  isSet: true,
  source: "PAGE",
  version: 1,
};

const typed = (value: string | null, version = 3) => ({ value, version });

test("only what would be different is saved", () => {
  expect(changesOf([gpu, secret], {})).toEqual([]);
  expect(changesOf([gpu, secret], { "limits.gpu": typed("8"), "mail.password": typed("", 1) })).toEqual([]);
  expect(changesOf([gpu], { "limits.gpu": typed("9") })).toEqual([
    { key: "limits.gpu", value: "9", version: 3 },
  ]);
  expect(changesOf([secret], { "mail.password": typed("x", 1) })).toEqual([
    { key: "mail.password", value: "x", version: 1 },
  ]);
});

test("going back to the default is a change only where something was changed", () => {
  expect(changesOf([gpu], { "limits.gpu": typed(null) })).toEqual([
    { key: "limits.gpu", value: null, version: 3 },
  ]);
  expect(changesOf([{ ...gpu, source: "DEFAULT" }], { "limits.gpu": typed(null) })).toEqual([]);
  expect(shownValue(gpu, { "limits.gpu": typed(null) })).toBe("64");
  expect(shownValue(gpu, {})).toBe("8");
  expect(shownValue(secret, {})).toBe("");
});

test("sizes that cannot be read are none", () => {
  expect(readProfiles("nonsense")).toEqual([]);
  expect(readProfiles('{"name":"x"}')).toEqual([]);
  expect(readProfiles('[{"name":"S","cpu":"1","memory":"2Gi","gpu":0},{"name":"half"}]')).toEqual([
    { name: "S", cpu: "1", memory: "2Gi", gpu: 0 },
  ]);
});

test("what was typed goes with the version that it was typed over", () => {
  expect(changesOf([{ ...gpu, version: 4 }], { "limits.gpu": typed("9") })).toEqual([
    { key: "limits.gpu", value: "9", version: 3 },
  ]);
});

test("a draft is kept without secrets, and read with care", () => {
  const draft = { "limits.gpu": typed("9"), "mail.password": typed("x", 1), "gone.key": typed("y") };
  const kept = keptDraft([gpu, secret], draft);
  expect(kept).toEqual({ "limits.gpu": typed("9") });
  expect(readKept(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
  for (const stored of [null, 7, "x", { "limits.gpu": "9" }, { "limits.gpu": { value: 9, version: 3 } }]) {
    expect(readKept(stored)).toEqual({});
  }
});

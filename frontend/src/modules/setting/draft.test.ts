import { expect, test } from "vitest";
import { changesOf, readProfiles, shownValue } from "~/modules/setting/draft";

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

test("only what would be different is saved", () => {
  expect(changesOf([gpu, secret], {})).toEqual([]);
  expect(changesOf([gpu, secret], { "limits.gpu": "8", "mail.password": "" })).toEqual([]);
  expect(changesOf([gpu], { "limits.gpu": "9" })).toEqual([{ key: "limits.gpu", value: "9", version: 3 }]);
  expect(changesOf([secret], { "mail.password": "x" })).toEqual([
    { key: "mail.password", value: "x", version: 1 },
  ]);
});

test("going back to the default is a change only where something was changed", () => {
  expect(changesOf([gpu], { "limits.gpu": null })).toEqual([{ key: "limits.gpu", value: null, version: 3 }]);
  expect(changesOf([{ ...gpu, source: "DEFAULT" }], { "limits.gpu": null })).toEqual([]);
  expect(shownValue(gpu, { "limits.gpu": null })).toBe("64");
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

import { expect, test } from "vitest";
import { fieldChanges } from "~/modules/audit/changes";

test.each([
  [null, null, []],
  [
    undefined,
    { name: "lab", gpu: 1 },
    [
      { name: "gpu", after: "1" },
      { name: "name", after: "lab" },
    ],
  ],
  [
    { user: "usr-1", role: "member" },
    { user: "usr-1", role: "owner" },
    [
      { name: "role", before: "member", after: "owner" },
      { name: "user", after: "usr-1" },
    ],
  ],
  [{ role: "owner" }, {}, [{ name: "role", before: "owner" }]],
  [
    { quota: { gpu: 1, pods: [1] } },
    { quota: { gpu: 2, pods: [1] } },
    [
      { name: "quota.gpu", before: "1", after: "2" },
      { name: "quota.pods", after: "[1]" },
    ],
  ],
])("from %j to %j", (before, after, want) => {
  expect(fieldChanges(before, after)).toEqual(want);
});

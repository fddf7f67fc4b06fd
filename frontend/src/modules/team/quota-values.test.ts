import { expect, test } from "vitest";
import { emptyQuota, isCores, isCount, toQuotaInput, toQuotaValues } from "~/modules/team/quota-values";

test("what is typed becomes what the server takes; empty is no limit", () => {
  expect(
    toQuotaInput({
      ...emptyQuota,
      cpu: " 32 ",
      memory: "64 GiB",
      gpu: "4",
      storage: "1.5 TiB",
      overcommitOnlineCpu: 2,
    }),
  ).toEqual({
    quota: { cpu: "32", memory: "64Gi", gpu: 4, storage: "1536Gi", volumes: null, pods: null },
    overcommitCpu: 1,
    overcommitMemory: 1,
    overcommitOnlineCpu: 2,
    overcommitOnlineMemory: 0,
  });
});

test("what cannot be read is not sent", () => {
  for (const wrong of [{ cpu: "lots" }, { memory: "-1" }, { gpu: "-1" }, { pods: "1.5" }, { storage: "0" }]) {
    expect(toQuotaInput({ ...emptyQuota, ...wrong })).toBeNull();
  }
  expect(isCores("0")).toBe(false);
  expect(isCount("007")).toBe(false);
});

test("none at all is something else than no limit, there and back", () => {
  const typed = toQuotaInput({ ...emptyQuota, gpu: "0", pods: " 0 " });
  expect(typed?.quota).toMatchObject({ gpu: 0, pods: 0, volumes: null });
  const values = toQuotaValues({
    name: "frugal",
    overcommit: { cpu: 1, memory: 1, onlineCpu: 0, onlineMemory: 0 },
    quota: {
      items: [
        { resource: "gpu", unit: "count", limit: 0 },
        { resource: "pods", unit: "count", limit: null },
      ],
    },
  });
  expect(values).toMatchObject({ gpu: "0", pods: "" });
});

test("a team's limits come back as they were", () => {
  const values = toQuotaValues({
    name: "vision",
    overcommit: { cpu: 4, memory: 2, onlineCpu: 1, onlineMemory: 0 },
    quota: {
      items: [
        { resource: "cpu", unit: "milli", limit: 1500 },
        { resource: "memory", unit: "bytes", limit: 64 * 1024 ** 3 },
        { resource: "storage", unit: "bytes", limit: 1234 * 1024 ** 2 },
        { resource: "gpu", unit: "count", limit: null },
        { resource: "pods", unit: "count", limit: 50 },
      ],
    },
  });
  expect(values).toMatchObject({ cpu: "1.5", memory: "64 GiB", storage: "1234 MiB", gpu: "", pods: "50" });
  expect(values).toMatchObject({ overcommitOnlineCpu: 1, overcommitOnlineMemory: "" });
  expect(toQuotaInput(values)?.quota.storage).toBe("1234Mi");
});

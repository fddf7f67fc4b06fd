import { expect, test } from "vitest";
import { readContainer, writeContainer } from "~/modules/flow/edit/container-values";

const told = {
  imageId: "img-1",
  command: ["python", "train.py"],
  env: [{ name: "DAY", value: "${yyyy-MM-dd,-1d}" }],
  secrets: [{ secretId: "sec-1", as: "env", at: "KEY" }],
  resources: { cpu: "500m", memory: "1536Mi", gpu: 1 },
  mounts: [{ volumeId: "vol-1", path: "/data", readOnly: true }],
  code: { volumeId: "vol-2", subPath: "src" },
  future: true,
};

test("what is read is written again as it was, and what is unknown stays", () => {
  expect(writeContainer(told, readContainer(told))).toEqual(told);
});

test("frozen code is said, and said no more when it is not frozen", () => {
  const code = { volumeId: "vol-2", subPath: "src", freeze: true };
  const frozen = { ...told, code };
  expect(readContainer(frozen).code).toEqual({ ...code, writable: false });
  expect(writeContainer(frozen, readContainer(frozen))).toEqual(frozen);
  expect(writeContainer(frozen, { code: { ...code, writable: false, freeze: false } })).toEqual(told);
});

test("resources are numbers in the form", () => {
  expect(readContainer(told).resources).toEqual({ cpu: 0.5, memoryGiB: 1.5, gpu: 1 });
  expect(readContainer({}).resources).toEqual({ cpu: "", memoryGiB: "", gpu: 0 });
});

test("a field that is emptied is said no more; a number that is being typed changes nothing", () => {
  const next = writeContainer(told, {
    env: [],
    code: { volumeId: "", subPath: "src", writable: false, freeze: false },
    resources: { cpu: "", memoryGiB: 2, gpu: 0 },
  });
  expect(next).not.toHaveProperty("env");
  expect(next).not.toHaveProperty("code");
  expect(next.resources).toEqual(told.resources);
});

test("what a document says wrongly does not break the form", () => {
  expect(readContainer({ env: "x", mounts: [3], command: 1, secrets: [{ as: "never" }] })).toMatchObject({
    env: [],
    mounts: [],
    command: [],
    secrets: [{ secretId: "", as: "AUTO", at: "" }],
  });
});

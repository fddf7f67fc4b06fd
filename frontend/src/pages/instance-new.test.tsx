import { screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { open } from "~/modules/flow/test/harness";
import { InstanceNewPage } from "~/pages/instance-new";

// The whole form is drawn: on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });
const wait = { timeout: 15_000 };

afterEach(() => sessionStorage.clear());

const command = "cd /code && GOBLINLAB_RUN_ID=run-1 python train.py";
const preset = {
  __typename: "InstancePreset",
  teamId: "team-2",
  name: "train-debug",
  imageId: null,
  resources: { __typename: "Resources", cpuMilli: 2000, memoryBytes: 3 * 1024 ** 3, gpu: 0 },
  mounts: [{ __typename: "Mount", volumeId: "vol-1", path: "/data", readOnly: true, subPath: "in" }],
  env: [{ __typename: "EnvVar", name: "TASK_COMMAND", value: command }],
  secrets: [{ __typename: "SecretUse", secretId: "sec-1", as: "ENV", at: "KEY" }],
  command,
  notes: [
    {
      __typename: "CarryNote",
      code: "left-out",
      what: "mini",
      text: "mini is left out. It starts no JupyterLab.",
    },
  ],
};
const image = {
  __typename: "Image",
  id: "img-2",
  name: "torch",
  reference: "torch:2",
  framework: "",
  version: "",
  gpu: false,
  development: true,
  recommended: false,
  deprecated: false,
  description: "",
  apps: [],
  reason: null,
  team: null,
};

test("a run is looked into with what it had, and what is missing is said", async () => {
  const { asked, user } = open(
    <InstanceNewPage />,
    {
      InstancePreset: () => ({ instancePreset: preset }),
      ImageChoices: () => ({ images: { nodes: [image] } }),
      CreateInstance: () => ({ createInstance: { instance: { __typename: "Instance", id: "ins-1" } } }),
    },
    "/instances/new?from=run-1",
  );
  await screen.findByText("mini is left out. It starts no JupyterLab.", {}, wait);
  screen.getByDisplayValue("train-debug");
  screen.getByDisplayValue("/data");
  expect(asked.find((each) => each.name === "InstancePreset")?.variables).toEqual({ runId: "run-1" });
  // Whatever was filled in is seen before anything is made, and sent as it stands.
  await user.click(screen.getByRole("button", { name: "Create and start" }));
  await waitFor(() => expect(asked.some((each) => each.name === "CreateInstance")).toBe(true), wait);
  expect(asked.find((each) => each.name === "CreateInstance")?.variables).toEqual({
    input: {
      teamId: "team-2",
      name: "train-debug",
      imageId: "img-2",
      resources: { cpu: "2", memory: "3Gi", gpu: 0 },
      mounts: [{ volumeId: "vol-1", path: "/data", readOnly: true, subPath: "in" }],
      ports: [],
      env: [{ name: "TASK_COMMAND", value: command }],
      secrets: [{ secretId: "sec-1", as: "ENV", at: "KEY" }],
      start: true,
      wait: false,
    },
  });
});

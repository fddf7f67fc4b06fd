import { screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { open } from "~/modules/flow/test/harness";
import { CompareView } from "~/modules/flowrun/compare-view";

// The whole page is drawn: on a busy machine that takes a while.
vi.setConfig({ testTimeout: 30_000 });

const run = (id: string, number: number, seconds: number, state: string) => ({
  id,
  number,
  state: "FAILED",
  cause: "SCHEDULE",
  localTime: `time of ${id}`,
  lateness: null,
  startedAt: "2026-03-01T00:00:00Z",
  endedAt: "2026-03-01T01:00:00Z",
  parameters: { day: id },
  reason: null,
  flow: { id: "flw-1", name: "nightly" },
  steps: [
    {
      id: `stp-${id}`,
      name: "train",
      state,
      startedAt: "2026-03-01T00:00:00Z",
      endedAt: new Date(Date.UTC(2026, 2, 1) + seconds * 1_000).toISOString(),
    },
  ],
});

test("two runs stand side by side with what differs, down to the versions", async () => {
  const page = open(<CompareView id="frun-2" other="frun-1" />, {
    CompareFlowRuns: () => ({
      left: run("frun-1", 3, 60, "SUCCEEDED"),
      right: run("frun-2", 5, 180, "FAILED"),
    }),
    ComparedVersions: () => ({
      flow: {
        id: "flw-1",
        version: {
          id: "flv-5",
          changes: [{ task: "train", path: "with.command", kind: "CHANGED", before: ["a"], after: ["b"] }],
        },
      },
    }),
  });
  const train = await screen.findByRole("row", { name: /^train/ }, { timeout: 15_000 });
  expect(within(train).getByText("+2 min")).toBeDefined();
  expect(train.getAttribute("data-differs")).toBe("true");
  expect(screen.getByRole("row", { name: /^day/ }).textContent).toBe("dayfrun-1frun-2");
  await screen.findByText("with.command", {}, { timeout: 15_000 });
  expect(page.asked.at(-1)).toEqual({
    name: "ComparedVersions",
    variables: { id: "flw-1", number: 5, from: 3 },
  });
});

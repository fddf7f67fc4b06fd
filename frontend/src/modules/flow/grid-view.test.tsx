import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { makeFragmentData } from "~/gql";
import { FlowGrid, gridRunFragment } from "~/modules/flow/grid-view";
import { open } from "~/modules/flow/test/harness";

const run = (n: number, state: "SUCCEEDED" | "FAILED") =>
  makeFragmentData(
    {
      id: `flr-${n}`,
      version: 1,
      localTime: `2026-03-0${n} 02:00`,
      state,
      steps: [
        { id: `stp-${n}a`, name: "load", state: "SUCCEEDED" },
        { id: `stp-${n}b`, name: "train", state },
      ],
    },
    gridRunFragment,
  );

test("arrows move through the grid, and Enter opens the run at its step", async () => {
  const { user, path } = open(
    <FlowGrid tasks={["load", "train"]} runs={[run(1, "SUCCEEDED"), run(2, "FAILED")]} />,
    {},
  );
  await screen.findByRole("grid");
  await user.tab();
  expect(document.activeElement?.getAttribute("aria-label")).toBe("2026-03-02 02:00: Failed");
  await user.keyboard("{ArrowDown}{ArrowDown}");
  await expect
    .poll(() => document.activeElement?.getAttribute("aria-label"))
    .toBe("train, 2026-03-02 02:00: Failed");
  await user.keyboard("{ArrowLeft}");
  await expect
    .poll(() => document.activeElement?.getAttribute("aria-label"))
    .toBe("train, 2026-03-01 02:00: Succeeded");
  await user.keyboard("{Enter}");
  expect(path()).toBe("/flow-runs/flr-1?step=train");
});

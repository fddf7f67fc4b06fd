import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { RunFlow } from "~/modules/flow/run-flow";
import { open } from "~/modules/flow/test/harness";

const spec = {
  tasks: [],
  parameters: [
    { name: "day", required: true },
    { name: "size", default: "10" },
  ],
};

function show(answer: () => unknown) {
  return open(
    <RunFlow
      flow={{ id: "flo-1", name: "nightly", paused: false }}
      spec={spec}
      zone="Asia/Shanghai"
      onClose={vi.fn()}
    />,
    { RunFlow: answer },
  );
}

test("a parameter that must be given is asked for; the others have their defaults", async () => {
  const { user, asked, path } = show(() => ({ runFlow: { flowRun: { id: "flr-7" } } }));
  const run = await screen.findByRole<HTMLButtonElement>("button", { name: "Run" });
  expect(run.disabled).toBe(true);
  await user.type(screen.getByRole("textbox", { name: /^day/ }), "2026-03-01");
  await user.click(run);
  await waitFor(() => expect(path()).toBe("/flow-runs/flr-7"));
  expect(asked.at(-1)?.variables).toEqual({ input: { flowId: "flo-1", parameters: { day: "2026-03-01" } } });
});

test("what is wrong with a parameter is told at it", async () => {
  const { user, path } = show(() => ({
    errors: [
      {
        message: "This cannot run.",
        extensions: {
          code: "INVALID_ARGUMENT",
          fields: [{ path: "parameters.day", message: "No such day." }],
        },
      },
    ],
  }));
  const day = await screen.findByRole("textbox", { name: /^day/ });
  await user.type(day, "x");
  await user.click(screen.getByRole("button", { name: "Run" }));
  await waitFor(() => expect(day.getAttribute("aria-invalid")).toBe("true"));
  expect(path()).toBe("/");
});

import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { FlowNew } from "~/modules/flow/edit/flow-new";
import { open } from "~/modules/flow/test/harness";

// The whole editor is drawn: on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });
const wait = { timeout: 15_000 };

afterEach(() => sessionStorage.clear());

const task = {
  name: "lab",
  executor: "container",
  with: { imageId: "img-1", command: [], resources: { cpu: "1", memory: "1Gi" } },
};
const draft = {
  teamId: "team-1",
  name: "Mei's lab",
  spec: { tasks: [task] },
  notes: [{ code: "left-out", what: "/gone", text: "/gone is left out. There is no such volume." }],
};

function from(id: string) {
  return open(
    <FlowNew />,
    {
      FlowDraft: () => ({ flowDraft: draft }),
      CheckFlow: ({ input }) => ({
        checkFlow: { problems: [], spec: (input as { spec: unknown }).spec, yaml: "tasks: [lab]", fires: [] },
      }),
    },
    `/flows/new?from=${id}`,
  );
}

test("an instance opens the editor at its task, says what is missing, and saves nothing", async () => {
  const { asked } = from("ins-1");
  await screen.findByText("/gone is left out. There is no such volume.", {}, wait);
  expect(
    (await screen.findByLabelText<HTMLInputElement>(/^Name/, { selector: "[maxlength='100']" }, wait)).value,
  ).toBe("Mei's lab");
  const side = await screen.findByRole("region", { name: "Task lab" }, wait);
  expect(side).toBeDefined();
  expect(asked.filter((each) => each.name === "FlowDraft").map((each) => each.variables)).toEqual([
    { instanceId: "ins-1" },
  ]);
  expect(asked.some((each) => each.name === "CreateFlow")).toBe(false);
});

test("a run is asked for as a run, and what was typed is there again", async () => {
  const { asked } = from("run-1");
  const name = await screen.findByLabelText<HTMLInputElement>(
    /^Name/,
    { selector: "[maxlength='100']" },
    wait,
  );
  expect(asked.find((each) => each.name === "FlowDraft")?.variables).toEqual({ runId: "run-1" });
  fireEvent.change(name, { target: { value: "scheduled" } });
  await waitFor(
    () => expect(sessionStorage.getItem("goblinlab-draft:flow:new:run-1")).toContain("scheduled"),
    wait,
  );
});

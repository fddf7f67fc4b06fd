import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { open } from "~/modules/flow/test/harness";
import { SlotGroups } from "~/modules/slot-group/slot-groups";

const flowRun = (id: string) => ({
  id,
  localTime: "2026-03-01T02:00:00+08:00",
  flow: { id: "flw-1", name: "nightly" },
});

const gpu = {
  id: "slg-1",
  name: "gpu",
  slots: 2,
  used: 1,
  waiting: 1,
  uses: [
    {
      step: "train",
      state: "RUNNING",
      holds: true,
      since: "2026-03-01T02:00:00Z",
      flowRun: flowRun("flr-1"),
    },
    {
      step: "score",
      state: "WAITING_SLOT",
      holds: false,
      since: "2026-03-01T02:01:00Z",
      flowRun: flowRun("flr-2"),
    },
  ],
};

function groups(manage: boolean, all: unknown[] = [gpu]) {
  const page = open(<SlotGroups teamId="team-1" manage={manage} />, {
    TeamSlotGroups: () => ({ slotGroups: all }),
    SetSlotGroup: ({ slots, name }) => ({
      setSlotGroup: { group: slots === 0 ? null : { id: "slg-1", name, slots } },
    }),
  });
  const sent = () => page.asked.filter((each) => each.name === "SetSlotGroup").map((each) => each.variables);
  return { ...page, sent };
}

test("says who holds a slot and who waits for one, each a way to its step", async () => {
  groups(false);
  const uses = await screen.findByRole("list", { name: "Who holds or waits for a slot of gpu" });
  const [holder, waiter] = within(uses).getAllByRole("listitem");
  expect(holder?.dataset.holds).toBe("true");
  expect(waiter?.dataset.holds).toBe("false");
  expect(within(uses).getAllByRole("link")[0]?.getAttribute("href")).toBe("/flow-runs/flr-1?step=train");
  screen.getByText("1 of 2 slots held · 1 waits");
  expect(screen.queryByRole("button")).toBeNull();
});

test("who may makes one, and not a second of the same name", async () => {
  const { user, sent } = groups(true);
  await user.click(await screen.findByRole("button", { name: "New group" }));
  const name = await screen.findByRole("textbox", { name: "Name" });
  const save = screen.getByRole<HTMLButtonElement>("button", { name: "Save" });
  await user.type(name, "gpu");
  expect(save.disabled).toBe(true);
  screen.getByText("A group of this name is there already.");
  await user.type(name, "s");
  await user.click(save);
  await waitFor(() => expect(sent()).toEqual([{ teamId: "team-1", name: "gpus", slots: 1 }]));
});

test("deleting says what it means for those who wait", async () => {
  const { user, sent } = groups(true);
  await user.click(await screen.findByRole("button", { name: "Delete gpu" }));
  const dialog = await screen.findByRole("dialog");
  within(dialog).getByText("1 step that waits for a slot starts at once.");
  await user.click(within(dialog).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(sent()).toEqual([{ teamId: "team-1", name: "gpu", slots: 0 }]));
});

test("a team without groups is told what they are for", async () => {
  groups(false, []);
  await screen.findByText(/^No groups\./);
});

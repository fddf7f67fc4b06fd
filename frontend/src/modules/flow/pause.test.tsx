import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Unpause } from "~/modules/flow/pause";
import { open } from "~/modules/flow/test/harness";

const fire = (day: number) => ({
  at: `2026-03-0${day}T02:00:00Z`,
  local: `2026-03-0${day} 02:00 +00:00`,
  note: day === 2 ? "Moved to the end of the gap." : "",
});

function unpause(missed: number) {
  const onClose = vi.fn<() => void>();
  const times = Array.from({ length: Math.min(missed, 3) }, (_, i) => fire(i + 1));
  const page = open(<Unpause id="flo-1" name="nightly" onClose={onClose} />, {
    PreviewUnpause: () => ({ previewUnpause: { missed, times, next: fire(9) } }),
    UnpauseFlow: () => ({ unpauseFlow: { flow: { id: "flo-1" } } }),
  });
  const sent = () => page.asked.filter((each) => each.name === "UnpauseFlow").map((each) => each.variables);
  return { ...page, onClose, sent };
}

test("lists what passed meanwhile, and starts none of it unless told to (P62)", async () => {
  const { user, onClose, sent } = unpause(3);
  await screen.findByText("3 times passed while it was paused.");
  screen.getByText("2026-03-02 02:00 +00:00");
  screen.getByText("Moved to the end of the gap.");
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "None of them" }).checked).toBe(true);
  await user.click(screen.getByRole("button", { name: "Unpause" }));
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(sent()).toEqual([{ id: "flo-1", catchUp: 0 }]);
});

test("starts the newest of them when told how many", async () => {
  const { user, onClose, sent } = unpause(3);
  await user.click(await screen.findByRole("radio", { name: "The newest of them" }));
  const count = screen.getByRole("textbox", { name: "How many" });
  await user.clear(count);
  await user.type(count, "2");
  await user.click(screen.getByRole("button", { name: "Unpause" }));
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(sent()).toEqual([{ id: "flo-1", catchUp: 2 }]);
});

test("says how many are not listed, and asks nothing where nothing passed", async () => {
  unpause(50);
  await screen.findByText("… 47 more …");
});

test("nothing was missed: there is nothing to choose", async () => {
  unpause(0);
  await screen.findByText("No time passed while it was paused: nothing starts at once.");
  expect(screen.queryByRole("radio")).toBeNull();
});

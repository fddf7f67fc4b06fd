import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { CommandField } from "~/modules/run/command-field";
import type { RunValues } from "~/modules/run/form-values";

function Harness() {
  const [state, setState] = useState<{ mode: RunValues["mode"]; text: string }>({ mode: "line", text: "" });
  return (
    <MantineProvider>
      <CommandField mode={state.mode} text={state.text} onChange={(mode, text) => setState({ mode, text })} />
    </MantineProvider>
  );
}

function shown(): (string | null)[] {
  return screen.getAllByRole("listitem").map((item) => item.textContent);
}

test("shows the arguments that will run, exactly", async () => {
  const user = userEvent.setup();
  render(<Harness />);
  await user.type(screen.getByRole("textbox"), "python train.py --name 'my run'");
  expect(shown()).toEqual(["python", "train.py", "--name", "my run"]);
});

test("an open quote is told, and nothing is shown as runnable", async () => {
  const user = userEvent.setup();
  render(<Harness />);
  await user.type(screen.getByRole("textbox"), "echo 'a");
  expect(screen.getByText("A quote is not closed.")).toBeDefined();
  expect(screen.queryAllByRole("listitem")).toEqual([]);
});

test("what needs a shell is told, and one click wraps it", async () => {
  const user = userEvent.setup();
  render(<Harness />);
  await user.type(screen.getByRole("textbox"), "cat a | wc -l");
  await user.click(screen.getByRole("button", { name: "Run it with bash" }));
  expect(shown()).toEqual(["bash", "-c", "cat a | wc -l"]);
});

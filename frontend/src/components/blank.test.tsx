import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, test, vi } from "vitest";
import { Failed } from "~/components/blank";
import type { FaultCode } from "~/lib/fault";

function show(code: FaultCode, message: string): void {
  render(
    <MantineProvider>
      <MemoryRouter>
        <Failed fault={{ code, message, fields: [], requestId: "" }} retry={vi.fn()} />
      </MemoryRouter>
    </MantineProvider>,
  );
}

test("what one may not see is not offered to be tried again", () => {
  show("FORBIDDEN", "Your role does not let you read the settings.");
  screen.getByText("This is not yours to see.");
  screen.getByText("Your role does not let you read the settings.");
  screen.getByRole("link", { name: "To the overview" });
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("neither is what is not there", () => {
  show("NOT_FOUND", "There is no such team.");
  screen.getByText("There is no such team.");
  screen.getByRole("link", { name: "To the overview" });
  expect(screen.queryByRole("button")).toBeNull();
});

test("what may go better is", () => {
  show("UNAVAILABLE", "The cluster does not answer.");
  screen.getByRole("button", { name: "Try again" });
});

import { render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { makeFragmentData } from "~/gql";
import { sparkFragment, Sparks } from "~/modules/flow/sparks";

test("each tick says its time and state, and leads to its run", () => {
  const runs = [
    makeFragmentData(
      { id: "flr-1", state: "SUCCEEDED", localTime: "2026-03-01 02:00 +08:00" },
      sparkFragment,
    ),
    makeFragmentData({ id: "flr-2", state: "FAILED", localTime: "2026-03-02 02:00 +08:00" }, sparkFragment),
  ];
  render(
    <MemoryRouter>
      <Sparks name="nightly" runs={runs} />
    </MemoryRouter>,
  );
  screen.getByRole("group", { name: "Last runs of nightly" });
  const links = screen.getAllByRole("link");
  expect(links.map((link) => link.getAttribute("aria-label"))).toEqual([
    "2026-03-01 02:00 +08:00: Succeeded",
    "2026-03-02 02:00 +08:00: Failed",
  ]);
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/flow-runs/flr-1", "/flow-runs/flr-2"]);
});

test("a flow without runs says so", () => {
  render(
    <MemoryRouter>
      <Sparks name="nightly" runs={[]} />
    </MemoryRouter>,
  );
  screen.getByText("Not run yet");
});

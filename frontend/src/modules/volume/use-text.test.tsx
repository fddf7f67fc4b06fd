import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import type { ShareRowFragment } from "~/gql/graphql";
import { ShareLine } from "~/modules/share/share-line";
import { UseList } from "~/modules/volume/use-text";

test("what has a page is a link to it, what is another team's is a name", () => {
  const uses = [
    { id: "ins-1", name: "lab", readOnly: false },
    { id: "run-1", name: "train", readOnly: true },
    { id: "shr-1", name: "bo@example.com", readOnly: true },
  ];
  render(<UseList uses={uses} empty="nobody" />, { wrapper: MemoryRouter });
  const links = screen.getAllByRole("link").map((link) => link.getAttribute("href"));
  expect(links).toEqual(["/instances/ins-1", "/runs/run-1"]);
  expect(screen.getByText(/bo@example.com/)).toBeDefined();
});

test("a share with a message tells who mounts it, too", () => {
  const share = {
    id: "shr-1",
    state: "ACCEPTED",
    mode: "READ_ONLY",
    grantee: "bo@example.com",
    granteeKind: "USER",
    message: "Depths",
    usedBy: [{ id: "ins-1", name: "summit", kind: "INSTANCE", readOnly: true }],
  } as unknown as ShareRowFragment;
  const line = (usedBy: ShareRowFragment["usedBy"]) => (
    <MantineProvider>
      <MemoryRouter>
        <ShareLine share={{ ...share, usedBy }} incoming={false} actions={null} />
      </MemoryRouter>
    </MantineProvider>
  );
  const { rerender } = render(line(share.usedBy));
  expect(screen.getByText("“Depths”")).toBeDefined();
  expect(screen.getByText("summit")).toBeDefined();
  rerender(line([]));
  expect(screen.queryByText("Not in use")).toBeNull(); // the message is enough
});

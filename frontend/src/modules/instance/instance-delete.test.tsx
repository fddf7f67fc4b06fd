import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { Client, fetchExchange, Provider } from "urql";
import { expect, test, vi } from "vitest";
import { makeFragmentData } from "~/gql";
import { DeleteInstance } from "~/modules/instance/instance-delete";
import { mountFragment } from "~/modules/mount/mount-list";

const mount = (volumeId: string, path: string, more: object) =>
  makeFragmentData(
    { volumeId, path, readOnly: true, subPath: "", volume: null, share: null, ...more },
    mountFragment,
  );

test("a deletion names what it leaves: the home, each volume once, and shares by whose they are", () => {
  const client = new Client({ url: "http://localhost/graphql", exchanges: [fetchExchange] });
  const data = { volume: { id: "vol-1", name: "results", kind: "DATA" } };
  render(
    <Provider value={client}>
      <MantineProvider>
        <MemoryRouter>
          <DeleteInstance
            id="ins-1"
            name="lab"
            opened
            onClose={vi.fn()}
            mounts={[
              mount("vol-1", "/a", data),
              mount("vol-1", "/b", data),
              mount("shr-1", "/c", { share: { id: "shr-1", volumeName: "ocean", ownerName: "Ann" } }),
            ]}
          />
        </MemoryRouter>
      </MantineProvider>
    </Provider>,
  );
  const kept = within(screen.getByRole("list", { name: "This stays:" })).getAllByRole("listitem");
  expect(kept.map((each) => each.textContent)).toEqual([
    "the home directory",
    "results",
    "ocean (shared by Ann)",
  ]);
});

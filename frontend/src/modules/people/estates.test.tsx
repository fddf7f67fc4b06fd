import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { makeFragmentData } from "~/gql";
import { Estates, estateFragment, keepAll } from "~/modules/people/estates";

test("a departure marks the volumes that are in the trash", () => {
  const volume = { kind: "DATA", sizeBytes: 2 ** 30 } as const;
  const estate = makeFragmentData(
    {
      teamId: "team-1",
      teamName: "Vision",
      role: "MEMBER",
      tasks: 0,
      flows: 2,
      instances: [],
      runs: [],
      invitations: [],
      heirs: [],
      heir: null,
      volumes: [
        { ...volume, id: "vol-1", name: "results", inTrash: false },
        { ...volume, id: "vol-2", name: "drafts", inTrash: true },
      ],
    },
    estateFragment,
  );
  render(
    <MantineProvider>
      <Estates estates={[estate]} value={keepAll} onChange={vi.fn()} />
    </MantineProvider>,
  );
  expect(screen.getByText("Flows, which go on").nextElementSibling?.textContent).toBe("2");
  expect(screen.getByText(/^results/).textContent).toBe("results Data · 1 GiB");
  expect(screen.getByText(/^drafts/).textContent).toBe("drafts Data · 1 GiB · in the trash");
});

import { MantineProvider } from "@mantine/core";
import { configure, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { Client, fetchExchange, Provider } from "urql";
import { expect, test, vi } from "vitest";
import { SessionGate } from "~/modules/session/session";
import { UnknownClaims } from "~/modules/volume/unknown-claims";

// Dialogs take their time on a busy machine.
configure({ asyncUtilTimeout: 5_000 });
vi.setConfig({ testTimeout: 30_000 });

const session = {
  viewer: {
    user: { id: "usr-1", displayName: "Root", email: "r@x.y", platformRole: "ADMINISTRATOR" },
    memberships: [],
  },
  teams: { nodes: [{ id: "team-1", name: "Vision", namespace: "gl-vision", viewerRole: null }] },
};
const claim = {
  name: "imagenet",
  sizeBytes: 2 ** 30,
  storageClass: "fast",
  accessModes: ["ReadWriteMany"],
  phase: "Bound",
  createdAt: "2026-01-01T00:00:00Z",
  ours: false,
  pods: ["old-pod"],
  obstacle: null,
};
const pending = {
  ...claim,
  name: "later",
  phase: "Pending",
  pods: [],
  obstacle: { code: "claim-not-bound", text: "It has no disk: it is Pending.", advice: "", args: {} },
};

/** The list beside a server that makes volumes of the claims. */
function open() {
  const adopted: unknown[] = [];
  const answer = (_: unknown, init?: RequestInit): Promise<Response> => {
    const { operationName, variables } = JSON.parse(String(init?.body)) as {
      operationName: string;
      variables: { input?: unknown };
    };
    if (operationName === "AdoptVolume") adopted.push(variables.input);
    const answers: Record<string, unknown> = {
      Session: session,
      UnknownClaims: { unknownClaims: adopted.length > 0 ? [pending] : [claim, pending] },
      ClaimOwners: {
        team: {
          id: "team-1",
          members: [{ role: "MEMBER", user: { id: "usr-mei", displayName: "Mei" } }],
        },
      },
      AdoptVolume: { adoptVolume: { volume: { id: "vol-1" } } },
    };
    return Promise.resolve(
      new Response(JSON.stringify({ data: answers[operationName] }), {
        headers: { "Content-Type": "application/json" },
      }),
    );
  };
  const client = new Client({
    url: "http://localhost/graphql",
    preferGetMethod: false,
    exchanges: [fetchExchange],
    fetch: answer as typeof fetch,
  });
  render(
    <Provider value={client}>
      <MantineProvider>
        <MemoryRouter>
          <SessionGate>
            <UnknownClaims />
          </SessionGate>
        </MemoryRouter>
      </MantineProvider>
    </Provider>,
  );
  return adopted;
}

test("an administrator makes a volume of a claim, for a member of the team", async () => {
  const adopted = open();
  expect(await screen.findByText(/Claims in the namespace gl-vision/)).toBeDefined();
  const line = (await screen.findByText("imagenet")).closest("li") as HTMLElement;
  expect(within(line).getByText("Mounted by old-pod")).toBeDefined();
  fireEvent.click(screen.getByLabelText("Adopt imagenet …"));
  const submit = (await screen.findByText("Adopt it")).closest("button") as HTMLButtonElement;
  expect(submit.disabled).toBe(true); // nobody owns it yet
  fireEvent.click(screen.getByLabelText("Owner", { selector: "input" }));
  fireEvent.click(await screen.findByText("Mei"));
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: "pictures" } });
  fireEvent.click(submit);
  await waitFor(() => expect(screen.queryByText("imagenet")).toBeNull());
  expect(adopted).toEqual([
    { teamId: "team-1", claim: "imagenet", ownerId: "usr-mei", name: "pictures", description: "" },
  ]);
});

test("says why a claim cannot be adopted, and does not offer it", async () => {
  open();
  expect(await screen.findByText("It has no disk: it is Pending.")).toBeDefined();
  expect(screen.queryByLabelText("Adopt later …")).toBeNull();
});

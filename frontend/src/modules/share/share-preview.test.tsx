import { MantineProvider } from "@mantine/core";
import { configure, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { Client, fetchExchange, Provider } from "urql";
import { expect, test, vi } from "vitest";
import { GrantShare } from "~/modules/share/share-form";
import { refusalOf } from "~/modules/share/share-preview";

// Dialogs take their time on a busy machine.
configure({ asyncUtilTimeout: 5_000 });
vi.setConfig({ testTimeout: 30_000 });

const across = { atOnce: false, acrossTeams: true, reason: null, usedBy: [], lapsesAt: null };
const oneNode = {
  code: "share-one-node",
  text: "The storage of the volume (Ceph RBD) is attached to one node at a time.",
  advice: "Copy the data to a volume of the mode ReadWriteMany, and share that.",
  args: {},
};

/** The form beside a server that answers each preview so. */
function open(answerOf: (variables: { input: Record<string, string> }) => unknown) {
  const asked: { operationName: string; variables: { input: Record<string, string> } }[] = [];
  const answer = (_: unknown, init?: RequestInit): Promise<Response> => {
    const body = JSON.parse(String(init?.body)) as (typeof asked)[number];
    asked.push(body);
    const said =
      body.operationName === "PreviewShare"
        ? answerOf(body.variables)
        : { data: { shareVolume: { share: { id: "shr-1" } } } };
    return Promise.resolve(
      new Response(JSON.stringify(said), { headers: { "Content-Type": "application/json" } }),
    );
  };
  const client = new Client({
    url: "http://localhost/graphql",
    preferGetMethod: false,
    exchanges: [fetchExchange],
    fetch: answer as typeof fetch,
  });
  const onDone = vi.fn();
  render(
    <Provider value={client}>
      <MantineProvider>
        <MemoryRouter>
          <GrantShare volumeId="vol-1" volumeName="data" onClose={vi.fn()} onDone={onDone} />
        </MemoryRouter>
      </MantineProvider>
    </Provider>,
  );
  return { asked, onDone };
}

const submit = (): HTMLButtonElement =>
  screen.getByText("Share …", { selector: "button *" }).closest("button") as HTMLButtonElement;

const type = (address: string): boolean =>
  fireEvent.change(screen.getByLabelText("E-mail address"), { target: { value: address } });

const fault = (path: string, message: string): string | null =>
  refusalOf({ code: "INVALID_ARGUMENT", message: "", requestId: "", fields: [{ path, message }] });

test("says before granting that another team can mount it, and who uses it", async () => {
  const { asked, onDone } = open(() => ({
    data: { previewShare: { ...across, usedBy: [{ id: "ins-1", name: "lab" }] } },
  }));
  expect(asked).toEqual([]);
  type("bo@example.com");
  expect(await screen.findByText("Its storage can be mounted from another team.")).toBeDefined();
  expect(screen.getByText("In use now by lab.")).toBeDefined();
  expect(asked.at(-1)?.variables.input).toEqual({
    volumeId: "vol-1",
    granteeKind: "USER",
    grantee: "bo@example.com",
    mode: "READ_ONLY",
  });
  fireEvent.click(submit());
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
});

test("storage that no other team can mount is told, and cannot be granted", async () => {
  open(() => ({
    data: { previewShare: { ...across, acrossTeams: false, reason: oneNode } },
  }));
  type("bo@example.com");
  expect(await screen.findByText(oneNode.text)).toBeDefined();
  expect(screen.getByText(oneNode.advice)).toBeDefined();
  expect(submit().disabled).toBe(true);
});

test("a colleague has it at once, whatever the storage is", async () => {
  open(({ input }) =>
    input.mode === "READ_WRITE"
      ? { data: { previewShare: { ...across, atOnce: true, acrossTeams: false, reason: oneNode } } }
      : {
          data: null,
          errors: [
            {
              message: "invalid",
              extensions: {
                code: "INVALID_ARGUMENT",
                fields: [{ path: "input.mode", message: "The team reads the volume already." }],
              },
            },
          ],
        },
  );
  type("li@example.com");
  expect(await screen.findByText("The team reads the volume already.")).toBeDefined();
  expect(submit().disabled).toBe(true);
  fireEvent.click(screen.getByLabelText("read-write"));
  expect(await screen.findByText(/it counts at once, and nobody has to accept it/)).toBeDefined();
  expect(screen.queryByText(oneNode.text)).toBeNull();
  expect(submit().disabled).toBe(false);
});

test("a half-typed address is not held against who types it", () => {
  expect(fault("input.grantee", "“li@” is no address.")).toBeNull();
  expect(fault("volumeId", "A home cannot be shared.")).toBe("A home cannot be shared.");
  expect(fault("granteeKind", "unknown")).toBe("unknown");
  expect(refusalOf(undefined)).toBeNull();
});

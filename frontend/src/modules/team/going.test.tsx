import { MantineProvider } from "@mantine/core";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";
import { Client, fetchExchange, Provider } from "urql";
import { expect, test, vi } from "vitest";
import { Deletion } from "~/modules/team/deletion";
import { RemoveMember } from "~/modules/team/member-remove";

/** Shows something beside a server that gives these answers by the name of the operation. */
function beside(children: ReactNode, answers: Record<string, unknown>) {
  const asked: { operationName: string; variables: unknown }[] = [];
  const answer = (_: unknown, init?: RequestInit): Promise<Response> => {
    const body = JSON.parse(String(init?.body)) as { operationName: string; variables: unknown };
    asked.push(body);
    return Promise.resolve(
      new Response(JSON.stringify({ data: answers[body.operationName] }), {
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
        <MemoryRouter>{children}</MemoryRouter>
      </MantineProvider>
    </Provider>,
  );
  return asked;
}

const olga = { id: "usr-olga", displayName: "Olga" };

test("whoever becomes a viewer is told about before: what they own goes to somebody else", async () => {
  const onDone = vi.fn();
  const member = { role: "MEMBER", user: { id: "usr-meng", displayName: "Meng", email: "m@x.y" } } as const;
  const asked = beside(
    <RemoveMember teamId="team-1" member={member} self={false} viewer onClose={vi.fn()} onDone={onDone} />,
    {
      LeavePreview: {
        departurePreview: {
          estates: [
            {
              teamId: "team-1",
              teamName: "Vision",
              role: "MEMBER",
              tasks: 0,
              flows: 0,
              instances: [{ id: "ins-1", name: "lab of Meng", running: true }],
              runs: [],
              volumes: [],
              invitations: [],
              heirs: [olga],
              heir: olga,
            },
          ],
        },
      },
      MakeViewer: { setTeamMember: { team: { id: "team-1", members: [] } } },
    },
  );
  expect(await screen.findByText("Make Meng a viewer")).toBeDefined();
  expect(await screen.findByText(/^Viewers own nothing\. This belongs to the person/)).toBeDefined();
  expect(await screen.findByText(/lab of Meng/)).toBeDefined();
  await userEvent.setup().click(screen.getByRole("button", { name: "Make a viewer" }));
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(asked.at(-1)).toMatchObject({
    operationName: "MakeViewer",
    variables: { input: { teamId: "team-1", userId: "usr-meng", role: "VIEWER", toUserId: null } },
  });
});

test("a deletion names the secrets that go, and what must go before", async () => {
  beside(<Deletion teamId="team-1" />, {
    TeamDeletion: {
      teamDeletion: {
        namespace: "gl-vision",
        secrets: ["github", "wandb"],
        images: [],
        members: ["Olga"],
        invitations: 2,
        left: ["data"],
      },
    },
  });
  expect(await screen.findByText("github and wandb")).toBeDefined();
  expect(screen.getByText("Secrets that go for good")).toBeDefined();
  expect(screen.getByText("Must go before")).toBeDefined();
  expect(screen.queryByText("Images that go")).toBeNull();
});

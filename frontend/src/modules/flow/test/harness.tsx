import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import type { ReactElement } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { Client, fetchExchange, Provider } from "urql";
import { SessionGate } from "~/modules/session/session";

export type Answer = (variables: Record<string, unknown>) => unknown;

const session = {
  viewer: {
    __typename: "Viewer",
    user: { id: "usr-1", displayName: "Mei Lin", email: "mei@example.org", platformRole: "USER" },
    memberships: [{ role: "OWNER", team: { id: "team-1" } }],
  },
  teams: { nodes: [{ id: "team-1", name: "Ranking", namespace: "ranking", viewerRole: "OWNER" }] },
};

const lists: Record<string, unknown> = {
  Session: session,
  VolumeChoices: { volumes: { nodes: [] }, shares: { nodes: [] } },
  SecretChoices: { secrets: [] },
  ImageChoices: { images: { nodes: [] } },
  Profiles: { profiles: [] },
  FlowChoices: { flows: { nodes: [] } },
  SlotGroups: { slotGroups: [] },
};

export interface Harness {
  user: UserEvent;
  /** Every operation that was asked, in order. */
  asked: { name: string; variables: Record<string, unknown> }[];
  path: () => string;
}

/** Draws a part of the page for a signed-in person; `answers` says what the server answers, by operation. */
export function open(part: ReactElement, answers: Record<string, Answer>, at = "/"): Harness {
  const asked: Harness["asked"] = [];
  const answer = (_: unknown, init?: RequestInit): Promise<Response> => {
    const { query, variables } = JSON.parse(String(init?.body)) as {
      query: string;
      variables: Record<string, unknown>;
    };
    const name = /(?:query|mutation)\s+(\w+)/.exec(query)?.[1] ?? "";
    asked.push({ name, variables });
    const said = answers[name]?.(variables) ?? lists[name];
    const body =
      said === undefined
        ? { data: null, errors: [{ message: `nobody answers ${name}`, extensions: { code: "INTERNAL" } }] }
        : typeof said === "object" && said !== null && "errors" in said
          ? { data: null, ...said }
          : { data: said };
    return Promise.resolve(
      new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json" } }),
    );
  };
  const client = new Client({
    url: "http://localhost/graphql",
    preferGetMethod: false,
    exchanges: [fetchExchange],
    fetch: answer as typeof fetch,
  });
  const router = createMemoryRouter([{ path: "*", element: <SessionGate>{part}</SessionGate> }], {
    initialEntries: [at],
  });
  render(
    <Provider value={client}>
      <MantineProvider>
        <RouterProvider router={router} />
      </MantineProvider>
    </Provider>,
  );
  return {
    user: userEvent.setup(),
    asked,
    path: () => `${router.state.location.pathname}${router.state.location.search}`,
  };
}

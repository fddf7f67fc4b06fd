import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import { Client, Provider } from "urql";
import { expect, test } from "vitest";
import { makeFragmentData } from "~/gql";
import { InstanceConnect, instanceConnectFragment } from "~/modules/instance/instance-connect";
import { reasonFragment } from "~/modules/reason/reason";

const actions = {
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  restart: () => Promise.resolve(),
  open: () => Promise.resolve(),
  busy: false,
};

const killed = makeFragmentData(
  {
    code: "process-oom-killed",
    text: "python3 was killed: the memory of the instance was used up, 2 GiB of 2 GiB.",
    advice: "Use less at once.",
    args: {},
  },
  reasonFragment,
);

test("an app tells of what was killed below it, and is still there to be opened (P75)", () => {
  const instance = makeFragmentData(
    {
      id: "ins-1",
      state: "RUNNING" as const,
      starts: 1,
      apps: [
        { name: "jupyterlab", port: 8888, state: "ready", reason: killed },
        { name: "code-server", port: 8080, state: "ready", reason: null },
      ],
      ssh: null,
      can: { connect: true },
    },
    instanceConnectFragment,
  );
  render(
    <Provider value={new Client({ url: "http://localhost/graphql", exchanges: [] })}>
      <MantineProvider>
        <InstanceConnect instance={instance} actions={actions} />
      </MantineProvider>
    </Provider>,
  );
  const [lab, code] = screen.getAllByRole("listitem");
  if (!lab || !code) throw new Error("two apps have no two rows");
  expect(within(lab).getByText(/^python3 was killed: the memory of the instance/)).toBeDefined();
  expect(within(lab).getByText("Use less at once.")).toBeDefined();
  expect(within(lab).getByRole<HTMLButtonElement>("button", { name: "Open JupyterLab" }).disabled).toBe(
    false,
  );
  expect(within(code).queryByText(/killed/)).toBeNull();
});

import { MantineProvider } from "@mantine/core";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Client, fetchExchange, Provider } from "urql";
import { expect, test, vi } from "vitest";
import { MoveInstance } from "~/modules/instance/instance-move";

const risk = "What runs on the lost node may go on writing to data, which one node alone may use.";

/** A server that refuses until the risk is accepted, as the real one does for a volume of one node. */
function open() {
  const asked: { id: string; acceptRisk: boolean }[] = [];
  const answer = (_: unknown, init?: RequestInit): Promise<Response> => {
    const { variables } = JSON.parse(String(init?.body)) as {
      variables: { id: string; acceptRisk: boolean };
    };
    asked.push(variables);
    const refused = { errors: [{ message: risk, extensions: { code: "FAILED_PRECONDITION" } }], data: null };
    const done = { data: { moveInstance: { instance: { id: variables.id } } } };
    return Promise.resolve(
      new Response(JSON.stringify(variables.acceptRisk ? done : refused), {
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
  const onClose = vi.fn();
  render(
    <Provider value={client}>
      <MantineProvider>
        <MoveInstance id="ins-1" name="lab" opened onClose={onClose} />
      </MantineProvider>
    </Provider>,
  );
  return { asked, onClose, user: userEvent.setup() };
}

test("says what is given up, and moves only after the risk was accepted (P17)", async () => {
  const { asked, onClose, user } = open();
  expect(screen.getByText("Move lab to another node?")).toBeDefined();
  expect(screen.getByText(/^Its node does not answer\. The pod there is given up/)).toBeDefined();

  const confirm = screen.getByRole("button", { name: "Move by force" });
  await user.click(confirm);
  expect(await screen.findByText(risk)).toBeDefined();
  expect(onClose).not.toHaveBeenCalled();

  await user.click(screen.getByRole("checkbox"));
  await user.click(confirm);
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(asked).toEqual([
    { id: "ins-1", acceptRisk: false },
    { id: "ins-1", acceptRisk: true },
  ]);
  expect(screen.queryByText(risk)).toBeNull();
  expect(screen.getByRole<HTMLInputElement>("checkbox").checked).toBe(false);
});

test("cancelling asks the server for nothing, and forgets that the risk was accepted", async () => {
  const { asked, onClose, user } = open();
  await user.click(screen.getByRole("checkbox"));
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(onClose).toHaveBeenCalledOnce();
  expect(asked).toEqual([]);
  expect(screen.getByRole<HTMLInputElement>("checkbox").checked).toBe(false);
});

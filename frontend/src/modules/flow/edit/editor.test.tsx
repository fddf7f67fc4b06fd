import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Fault } from "~/lib/fault";
import { Editor, type EditorDraft, type EditorResult } from "~/modules/flow/edit/editor";
import { open } from "~/modules/flow/test/harness";

// The whole editor is drawn: on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });
const wait = { timeout: 15_000 };

const initial: EditorDraft = {
  name: "",
  comment: "",
  spec: { tags: [], parameters: [], schedule: { cron: "0 2 * * *" }, tasks: [] },
  yaml: "",
  source: "form",
  places: {},
};

/** Looks at definitions as the server does, for the little that the test says. */
function check({ input }: Record<string, unknown>): unknown {
  const { spec, yaml } = input as { spec?: { tasks: { name: string }[] }; yaml?: string };
  const fires = [{ at: "2026-03-01T02:00:00Z", local: "2026-03-01 02:00 +00:00", note: "" }];
  if (spec) {
    const names = spec.tasks.map((task) => task.name);
    return { checkFlow: { problems: [], spec, yaml: `tasks: [${names.join(", ")}]`, fires } };
  }
  const names = /^tasks: \[(.*)\]/.exec(yaml ?? "")?.[1];
  if (names === undefined) {
    const problem = { path: "", line: 1, column: 1, text: "This is no document." };
    return { checkFlow: { problems: [problem], spec: null, yaml: "", fires: [] } };
  }
  const tasks = names
    .split(", ")
    .map((name) => ({ name, executor: "http", with: { method: "GET", url: "" } }));
  const problem = { path: "tasks[0].with.url", line: 1, column: 9, text: "A URL is needed." };
  return { checkFlow: { problems: [problem], spec: { tasks }, yaml: yaml ?? "", fires } };
}

function edit(draft: Partial<EditorDraft> = {}, refused?: Fault) {
  const saved: EditorResult[] = [];
  const page = open(
    <Editor
      teamId="team-1"
      draftKey="flow:test"
      initial={{ ...initial, ...draft }}
      withName
      cancel={null}
      onSave={(result) => {
        saved.push(result);
        return Promise.resolve(refused);
      }}
    />,
    { CheckFlow: check },
  );
  return { ...page, saved };
}

afterEach(() => sessionStorage.clear());

const documentText = () => screen.getByLabelText<HTMLTextAreaElement>("Document");

test("a task that is added stands in the document, and Ctrl Enter saves", async () => {
  const { saved } = edit();
  const name = await screen.findByLabelText(/^Name/, {}, wait);
  fireEvent.change(name, { target: { value: "nightly" } });
  fireEvent.click(screen.getByText("Add a task"));
  fireEvent.click(await screen.findByText("HTTP", {}, wait));
  await waitFor(() => expect(documentText().value).toBe("tasks: [http]"), wait);
  const url = screen.getByLabelText("URL");
  fireEvent.change(url, { target: { value: "https://example.org" } });
  fireEvent.keyDown(url, { key: "Enter", ctrlKey: true });
  await waitFor(() => expect(saved).toHaveLength(1), wait);
  expect(saved[0]).toEqual({
    name: "nightly",
    comment: "",
    spec: {
      schedule: { cron: "0 2 * * *" },
      tasks: [{ name: "http", executor: "http", with: { method: "GET", url: "https://example.org" } }],
    },
  });
  expect(sessionStorage.length).toBe(0);
});

test("the form follows the document, and a problem stands at its field", async () => {
  edit();
  await screen.findByText("Add a task", {}, wait);
  fireEvent.change(documentText(), { target: { value: "tasks: [fetch]" } });
  const problem = await screen.findByText("Line 1: A URL is needed.", {}, wait);
  fireEvent.click(problem);
  const url = await screen.findByLabelText("URL", {}, wait);
  expect(url.getAttribute("aria-invalid")).toBe("true");
  expect(documentText().value).toBe("tasks: [fetch]");
});

test("while the document cannot be read nothing is saved, and the form waits", async () => {
  edit({ name: "nightly" });
  await screen.findByText("Add a task", {}, wait);
  fireEvent.change(documentText(), { target: { value: "tasks: [" } });
  await screen.findByText(/^The document cannot be read as it is/, {}, wait);
  expect(screen.getByText("Save").closest("button")?.disabled).toBe(true);
  expect(screen.getByText("Add a task").closest("button")?.disabled).toBe(true);
});

test("what was typed is kept when it was not saved", async () => {
  edit();
  const name = await screen.findByLabelText(/^Name/, {}, wait);
  fireEvent.change(name, { target: { value: "nightly" } });
  await waitFor(() => {
    const kept = JSON.parse(sessionStorage.getItem("goblinlab-draft:flow:test") ?? "{}") as { name?: string };
    expect(kept.name).toBe("nightly");
  });
});

test("a refusal stands at its field and in the list of problems", async () => {
  const task = { name: "call", executor: "http", with: { method: "GET", url: "x" } };
  edit(
    { name: "nightly", spec: { ...initial.spec, tasks: [task] } },
    {
      code: "INVALID_ARGUMENT",
      message: "Wrong.",
      requestId: "",
      fields: [{ path: "spec.tasks[0].with.url", message: "No such place." }],
    },
  );
  await screen.findByText("Save", {}, wait);
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  fireEvent.click(await screen.findByText("tasks[0].with.url: No such place.", {}, wait));
  const url = await screen.findByLabelText("URL", {}, wait);
  expect(url.getAttribute("aria-invalid")).toBe("true");
});

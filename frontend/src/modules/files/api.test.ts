import { expect, test, vi } from "vitest";
import { Files, FilesError, kindOf, previewOf, readFault, type Entry } from "~/modules/files/api";

const entry: Entry = {
  name: "a.txt",
  ref: "a.txt",
  kind: "file",
  size: 1,
  modified: "2026-01-01T00:00:00Z",
  mode: "0644",
  owner: 0,
  links: 1,
  etag: "x",
};

function answer(body: string, status = 200): void {
  vi.stubGlobal(
    "fetch",
    vi.fn(() => Promise.resolve(new Response(body, { status }))),
  );
}

test("lines are told one by one, the last is the result", async () => {
  answer('{"files":1,"bytes":10}\n{"files":2,"bytes":20}\n{"done":true,"removed":2}\n');
  const seen: unknown[] = [];
  const done = await new Files("vol-1").work("DELETE", "entry?path=a", null, (line) => seen.push(line.files));
  expect(seen).toEqual([1, 2]);
  expect(done).toEqual({ done: true, removed: 2 });
});

test("an answer that broke off is no result", async () => {
  answer('{"files":1,"bytes":10}\n');
  await expect(new Files("vol-1").work("DELETE", "entry?path=a", null, vi.fn())).rejects.toThrow("broke off");
});

test("an error in the last line is one", async () => {
  answer('{"error":{"message":"The disk is full.","code":"RESOURCE_EXHAUSTED"}}\n');
  await expect(new Files("vol-1").work("POST", "copy", {}, vi.fn())).rejects.toThrow(FilesError);
});

test("a refusal is told in the server's words", async () => {
  answer('{"message":"There is no such file.","code":"NOT_FOUND"}', 404);
  await expect(new Files("vol-1").list("a", "", 10)).rejects.toThrow("There is no such file.");
  expect(readFault("nonsense").code).toBe("UNKNOWN");
  expect(readFault({ code: "EVIL", message: 7 })).toEqual({
    code: "UNKNOWN",
    message: "",
    fields: [],
    requestId: "",
  });
});

test("what a link leads to, and how a file is shown", () => {
  expect(kindOf({ ...entry, kind: "link", targetKind: "folder" })).toBe("folder");
  expect(kindOf({ ...entry, kind: "link", targetKind: "outside" })).toBe("other");
  expect(["a.PNG", "b.csv", "c.ipynb", "d.py", "e"].map((name) => previewOf({ ...entry, name }))).toEqual([
    "image",
    "table",
    "notebook",
    "text",
    "text",
  ]);
});

import { afterEach, expect, test, vi } from "vitest";
import { addUpload, cancelUpload, nextChunk, uploads } from "~/modules/files/uploads";

afterEach(() => {
  for (const each of uploads.get()) cancelUpload(each.key);
  localStorage.clear();
});

test("parts grow on a fast line and shrink on a slow one", () => {
  expect(nextChunk(1 << 20, 100, 8 << 20)).toBe(2 << 20);
  expect(nextChunk(8 << 20, 100, 8 << 20)).toBe(8 << 20);
  expect(nextChunk(1 << 20, 30_000, 8 << 20)).toBe(1 << 19);
  expect(nextChunk(64 << 10, 60_000, 8 << 20)).toBe(64 << 10);
});

test("an upload goes on where it broke off", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const arrived: number[] = [];
  let stored = 0;
  let broken = false;
  vi.stubGlobal(
    "fetch",
    vi.fn(async (path: string, init: RequestInit) => {
      const method = init.method ?? "GET";
      if (path.endsWith("/uploads")) {
        return Response.json({ id: "u1", ref: "a.bin", size: 3 << 20, offset: 0, done: false });
      }
      if (path.endsWith("/finish")) return new Response('{"done":true}\n');
      if (method === "GET") {
        return Response.json({ id: "u1", ref: "a.bin", size: 3 << 20, offset: stored, done: false });
      }
      const offset = Number((init.headers as Record<string, string>)["Upload-Offset"]);
      const { size } = init.body as Blob;
      arrived.push(offset);
      if (!broken && offset > 0) {
        broken = true;
        stored = offset + 1000; // part of it came through
        throw new TypeError("network");
      }
      stored = offset + size;
      return new Response(null, { status: 204, headers: { "Upload-Offset": String(stored) } });
    }),
  );
  addUpload("vol-1", "a.bin", new File([new Uint8Array(3 << 20)], "a.bin"), 8 << 20);
  for (let i = 0; i < 40 && uploads.get()[0]?.state !== "done"; i++) {
    // oxlint-disable-next-line no-await-in-loop -- time passes step by step
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(uploads.get()[0]).toMatchObject({ state: "done", sent: 3 << 20 });
  expect(arrived).toEqual([0, 1 << 20, (1 << 20) + 1000]);
  vi.useRealTimers();
});

test("what is there already is not replaced unasked", async () => {
  vi.stubGlobal(
    "fetch",
    vi.fn(() =>
      Promise.resolve(Response.json({ message: "There is a file.", code: "CONFLICT" }, { status: 409 })),
    ),
  );
  addUpload("vol-1", "b.bin", new File(["x"], "b.bin"), 8 << 20);
  await vi.waitFor(() => expect(uploads.get()[0]?.state).toBe("failed"));
  expect(uploads.get()[0]?.fault?.code).toBe("CONFLICT");
});

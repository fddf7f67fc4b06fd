// Files of a volume: folders, uploads that go on, previews that run nothing, edits that overwrite nobody, the keyboard.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { ask, launch, open, url } from "./browser.mjs";

const stamp = Date.now().toString(36);

let browser;
let context;
let page;
let faults;
let base;
let id;

before(async () => {
  browser = await launch();
  ({ context, page, faults } = await open(browser));
  const { teams } = await ask(context, "{ teams(first: 1) { nodes { id } } }");
  const { createVolume } = await ask(
    context,
    'mutation($team: ID!, $name: String!) { createVolume(input: {teamId: $team, name: $name, size: "1Gi"}) { volume { id } } }',
    { team: teams.nodes[0].id, name: `files-${stamp}` },
  );
  id = createVolume.volume.id;
  base = `${url}/files/v1/volumes/${id}`;
});

after(() => browser?.close());

const list = () => page.getByRole("list", { name: "Files and folders" });
const entry = (name) => list().locator("[data-entry]", { hasText: name });
const dialog = () => page.getByRole("dialog");

async function put(name, text) {
  const done = await context.request.put(`${base}/content?path=${encodeURIComponent(name)}`, {
    data: Buffer.from(text),
    headers: { "If-None-Match": "*", "Content-Type": "application/octet-stream" },
  });
  assert.ok(done.ok(), `${name}: ${done.status()} ${await done.text()}`);
}

async function act(name, action) {
  await page
    .getByRole("button", { name: `${name}: actions` })
    .first()
    .click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

test("opens a volume that nothing runs on", async () => {
  await page.goto(`${url}/volumes/${id}`);
  await page.getByRole("link", { name: "Files", exact: true }).click();
  await page.waitForURL(/\/files$/);
  await page.getByText("Nothing here yet. Drop files here").waitFor({ timeout: 120_000 });
  assert.deepEqual(await violations(page), []);
});

test("makes a folder and a text, and edits it", async () => {
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByRole("menuitem", { name: "New folder" }).click();
  await dialog().getByLabel("Name").fill("a/b");
  await dialog().getByText("A name holds no “/”").waitFor();
  await dialog().getByLabel("Name").fill("notes & 笔记");
  await dialog().getByRole("button", { name: "Make it" }).click();
  await entry("notes & 笔记").click();
  await page.waitForURL(/at=notes%20%26%20/);
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByRole("menuitem", { name: "New text file" }).click();
  await dialog().getByLabel("Name").fill("read me.txt");
  await dialog().getByRole("button", { name: "Make it" }).click();
  const preview = page.getByRole("region", { name: "read me.txt", exact: true });
  await preview.getByRole("button", { name: "Edit" }).click();
  await preview.getByLabel("Text of read me.txt").fill("hello\n");
  await page.reload(); // nothing typed is lost
  assert.equal(await preview.getByLabel("Text of read me.txt").inputValue(), "hello\n");
  await preview.getByRole("button", { name: "Save" }).click();
  await page.getByText("read me.txt was saved.").waitFor();
  await preview.getByText("hello").waitFor();
  assert.deepEqual(await violations(page), []);
});

test("does not overwrite what somebody else saved meanwhile", async () => {
  const preview = page.getByRole("region", { name: "read me.txt", exact: true });
  await preview.getByRole("button", { name: "Edit" }).click();
  await preview.getByLabel("Text of read me.txt").fill("mine\n");
  const path = `${encodeURIComponent("notes & 笔记")}%2F${encodeURIComponent("read me.txt")}`;
  const stat = await (await context.request.get(`${base}/stat?path=${path}`)).json();
  const etag = stat.etag.startsWith('"') ? stat.etag : `"${stat.etag}"`;
  const theirs = await context.request.put(`${base}/content?path=${path}`, {
    data: Buffer.from("theirs, and longer\n"),
    headers: { "If-Match": etag, "Content-Type": "application/octet-stream" },
  });
  assert.ok(theirs.ok(), await theirs.text());
  await preview.getByRole("button", { name: "Save" }).click();
  await preview.getByText("Somebody else changed the file meanwhile.").waitFor();
  await preview.getByRole("button", { name: "Look again" }).click();
  await preview.getByRole("button", { name: "Drop what I typed" }).click();
  await preview.getByText("theirs, and longer").waitFor();
  await page.getByRole("button", { name: "Close the preview" }).click();
});

test("uploads in parts, and goes on where it broke off", async () => {
  const size = 5 << 20;
  let broken = false;
  await page.route("**/uploads/*", async (route) => {
    const request = route.request();
    if (!broken && request.method() === "PATCH" && request.headers()["upload-offset"] !== "0") {
      broken = true;
      await route.abort("connectionreset");
      return;
    }
    await route.fallback();
  });
  await page.locator('input[type="file"]:not([webkitdirectory])').setInputFiles({
    name: "weights.bin",
    mimeType: "application/octet-stream",
    buffer: Buffer.alloc(size, 7),
  });
  const panel = page.getByRole("list", { name: "Uploads" });
  await panel.locator('[data-upload="done"]').waitFor({ timeout: 60_000 });
  assert.ok(broken);
  await page.unroute("**/uploads/*");
  await entry("weights.bin").waitFor();
  const path = `${encodeURIComponent("notes & 笔记")}%2Fweights.bin`;
  const stat = await (await context.request.get(`${base}/stat?path=${path}`)).json();
  assert.equal(stat.size, size);
  // The same again is not put over it unasked.
  await page.locator('input[type="file"]:not([webkitdirectory])').setInputFiles({
    name: "weights.bin",
    mimeType: "application/octet-stream",
    buffer: Buffer.from("small"),
  });
  await panel.getByRole("button", { name: "Replace it" }).click();
  await panel.locator('[data-upload="done"]').nth(1).waitFor();
  assert.equal((await (await context.request.get(`${base}/stat?path=${path}`)).json()).size, 5);
  await page.getByRole("button", { name: "Clear" }).click();
});

test("shows tables, notebooks and pictures as data", async () => {
  await put("table.csv", "name,score\n=HYPERLINK(1),2\n<b>x</b>,3\n");
  await put("evil.html", "<script>top.hacked = 1</script>");
  await put(
    "drawing.svg",
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><script>top.hacked=1</script></svg>',
  );
  await put(
    "book.ipynb",
    JSON.stringify({
      nbformat: 4,
      metadata: { language_info: { name: "python" } },
      cells: [
        { cell_type: "markdown", source: ["# Title <img src=x onerror='top.hacked=1'>"] },
        {
          cell_type: "code",
          execution_count: 3,
          source: ["print(1)"],
          outputs: [
            { output_type: "stream", name: "stdout", text: ["one\n"] },
            { output_type: "display_data", data: { "text/html": ["<script>top.hacked=1</script>"] } },
          ],
        },
      ],
    }),
  );
  await page.goto(`${url}/volumes/${id}/files?open=table.csv`);
  await page.getByRole("cell", { name: "<b>x</b>" }).waitFor();
  await page.goto(`${url}/volumes/${id}/files?open=book.ipynb`);
  await page.getByText("# Title <img src=x").waitFor();
  await page.getByText("one", { exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.goto(`${url}/volumes/${id}/files?open=drawing.svg`);
  await page.getByRole("img", { name: "drawing.svg" }).waitFor();
  await page.waitForFunction(() =>
    [...document.images].every((each) => each.complete && each.naturalWidth > 0),
  );
  await page.goto(`${url}/volumes/${id}/files?open=evil.html`);
  await page.getByText("<script>top.hacked = 1</script>").waitFor();
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  const served = await context.request.get(`${base}/content?path=evil.html`);
  assert.match(served.headers()["content-disposition"] ?? "", /^attachment/);
});

test("moves, copies, renames and deletes", async () => {
  await page.goto(`${url}/volumes/${id}/files`);
  await entry("table.csv").waitFor();
  await act("table.csv", "Copy …");
  await dialog().getByRole("button", { name: "Copy here" }).click();
  await entry("Copy of table.csv").waitFor();
  await act("Copy of table.csv", "Rename");
  await dialog().getByLabel("Name").fill("other.csv");
  await dialog().getByRole("button", { name: "Rename" }).click();
  await entry("other.csv").waitFor();
  await act("other.csv", "Move …");
  await dialog().getByRole("button", { name: "notes & 笔记" }).click();
  await dialog().getByRole("button", { name: "Move here" }).click();
  await entry("other.csv").waitFor({ state: "detached" });
  await act("evil.html", "Delete");
  await dialog().getByRole("button", { name: "Delete" }).click();
  await entry("evil.html").waitFor({ state: "detached" });
});

test("finds names and shows what takes the room", async () => {
  await page.getByRole("searchbox", { name: "Find a name" }).fill("*.csv");
  await page.keyboard.press("Enter");
  await page.getByText("2 found").waitFor();
  await page.getByRole("button", { name: "What takes the room" }).click();
  await page
    .getByRole("list", { name: "What takes the room" })
    .getByRole("link", { name: "notes & 笔记/" })
    .click();
  await page.getByRole("list", { name: "What takes the room" }).getByText("weights.bin").waitFor();
  assert.deepEqual(await violations(page), []);
});

test("the keyboard goes through the list", async () => {
  await page.goto(`${url}/volumes/${id}/files`);
  await entry("book.ipynb").waitFor();
  await list().locator('[data-entry][tabindex="0"]').focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.activeElement?.textContent.includes("table.csv"));
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.activeElement?.textContent.includes("notes & 笔记"));
  await page.keyboard.press("Enter");
  await page.waitForURL(/at=notes/);
  await entry("read me.txt").focus();
  await page.keyboard.press("Backspace");
  await page.waitForURL((address) => !address.search.includes("at="));
});

for (const language of ["en", "zh-CN"]) {
  for (const scheme of ["light", "dark"]) {
    test(`fits a phone: ${language}, ${scheme}`, async () => {
      const phone = await open(browser, { width: 390, height: 740, language, scheme });
      for (const path of ["", "?open=table.csv", "?open=book.ipynb", "?view=usage"]) {
        await phone.page.goto(`${url}/volumes/${id}/files${path}`);
        await phone.page.locator("h1").waitFor();
        await phone.page.waitForTimeout(800);
        assert.deepEqual(await violations(phone.page), [], path);
        const over = await phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${path}: ${over} px beyond the window`);
      }
      await phone.context.close();
    });
  }
}

test("no error in the page", () => {
  // The connection that was broken off, and the two refusals, are told in the console.
  const own = faults.filter((fault) => !/ERR_CONNECTION_RESET|409|412/.test(fault));
  assert.deepEqual(own, []);
});

// Volumes: one is made, grown, shared, put into the trash and taken out again; platform volumes; both languages.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { ask, launch, open, url } from "./browser.mjs";

const name = `data-${Date.now().toString(36)}`;

let browser;
let context;
let page;
let faults;
let id;

before(async () => {
  browser = await launch();
  ({ context, page, faults } = await open(browser));
});

after(() => browser?.close());

const dialog = () => page.getByRole("dialog");

async function volume() {
  const answer = await ask(
    context,
    "query($id: ID!) { volume(id: $id) { name description sizeBytes phase trash { until } can { expand } } }",
    { id },
  );
  return answer.volume;
}

test("makes a volume", async () => {
  await page.goto(`${url}/volumes`);
  await page.getByRole("button", { name: "New volume" }).first().click();
  await dialog().getByLabel("Name", { exact: true }).fill(name);
  await dialog().getByLabel("Size", { exact: true }).fill("1 GiB");
  await dialog().getByLabel("What it is for").fill("Pictures of cats");
  assert.deepEqual(await violations(page), []);
  await dialog().getByRole("button", { name: "New volume" }).click();
  await page.getByRole("link", { name, exact: true }).click();
  await page.waitForURL(/\/volumes\/vol-/);
  id = new URL(page.url()).pathname.split("/").at(-1);
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  await page.getByText("Pictures of cats").waitFor();
  assert.equal((await volume()).sizeBytes, 2 ** 30);
});

test("renames it", async () => {
  await page.getByRole("button", { name: "Rename …" }).click();
  await dialog().getByLabel("Name", { exact: true }).fill(`${name}-2`);
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: `${name}-2`, level: 1 }).waitFor();
  assert.equal((await volume()).name, `${name}-2`);
});

test("expands it where its class can grow, and says so where it cannot", async () => {
  const { can } = await volume();
  const expand = page.getByRole("button", { name: "Expand …" });
  if (!can.expand) {
    assert.equal(await expand.count(), 0);
    return;
  }
  await expand.click();
  await dialog().getByLabel("New size").fill("2 GiB");
  await dialog().getByRole("button", { name: "Expand …" }).click();
  await dialog().waitFor({ state: "detached" });
  assert.equal((await volume()).sizeBytes, 2 ** 31);
});

test("shares it with somebody, and takes it back", async () => {
  const shares = page.getByRole("region", { name: "Shared with" });
  await shares.getByRole("button", { name: "Share …" }).click();
  await dialog().getByLabel("E-mail address").fill("nobody@example.com");
  await dialog().getByRole("radio", { name: "read-write" }).check();
  await dialog().getByLabel("Last day").fill("2099-12-31");
  assert.deepEqual(await violations(page), []);
  await dialog().getByRole("button", { name: "Share …" }).click();
  const line = shares.getByRole("listitem").filter({ hasText: "nobody@example.com" });
  await line.getByText("Waits to be accepted").waitFor();
  await line.getByRole("button", { name: "Take it back" }).click();
  await dialog().getByText("The data stays where it is.").waitFor();
  await dialog().getByRole("button", { name: "Take it back" }).click();
  await line.waitFor({ state: "detached" });
});

test("goes into the trash and comes back", async () => {
  await page.getByRole("button", { name: "Delete …" }).click();
  await dialog().getByRole("radio", { name: "Put it into the trash" }).waitFor();
  await dialog().getByRole("button", { name: "Put it into the trash" }).click();
  await page.getByText("In the trash").first().waitFor();
  assert.ok((await volume()).trash);
  await page.goto(`${url}/volumes?show=trash`);
  const row = page.getByRole("listitem").filter({ hasText: `${name}-2` });
  await row.getByRole("button", { name: `${name}-2: actions` }).click();
  await page.getByRole("menuitem", { name: "Restore …" }).click();
  await dialog().getByRole("button", { name: "Restore …" }).click();
  await page.getByText(`${name}-2 was restored.`).waitFor();
  assert.equal((await volume()).trash, null);
});

test("is deleted only once its name was typed", async () => {
  await page.goto(`${url}/volumes/${id}`);
  await page.getByRole("button", { name: "Delete …" }).click();
  await dialog().getByRole("radio", { name: "Delete with its data" }).check();
  const confirm = dialog().getByRole("button", { name: "Delete with its data" });
  assert.ok(await confirm.isDisabled());
  await dialog().getByLabel(`Type ${name}-2 to confirm`).fill(`${name}-2`);
  await confirm.click();
  await page.waitForURL(/\/volumes$/);
});

test("platform volumes say where they are mounted", async () => {
  await page.goto(`${url}/volumes?show=platform`);
  await page.getByRole("button", { name: "New platform volume" }).click();
  await dialog().getByLabel("Name", { exact: true }).fill("datasets");
  await dialog().getByLabel("Path in the container").fill("relative");
  await dialog().getByLabel("Size", { exact: true }).fill("1 GiB");
  await dialog().getByRole("button", { name: "New platform volume" }).click();
  await dialog().getByRole("alert").waitFor();
  await dialog().getByLabel("Path in the container").fill("/datasets");
  await dialog().getByRole("button", { name: "New platform volume" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "datasets" });
  await row.getByText("/datasets", { exact: true }).waitFor();
});

for (const language of ["en", "zh-CN"]) {
  for (const scheme of ["light", "dark"]) {
    test(`fits a phone: ${language}, ${scheme}`, async () => {
      const phone = await open(browser, { width: 390, height: 740, language, scheme });
      for (const path of ["", "?show=trash", "?show=shared", "?show=platform", "?show=claims"]) {
        await phone.page.goto(`${url}/volumes${path}`);
        await phone.page.locator("h1").waitFor();
        await phone.page.waitForTimeout(400);
        assert.deepEqual(await violations(phone.page), [], path);
        const over = await phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${path}: ${over} px beyond the window`);
      }
      await phone.context.close();
    });
  }
}

test("no error in the page", () => assert.deepEqual(faults, []));

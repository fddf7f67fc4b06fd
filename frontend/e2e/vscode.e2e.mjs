// VS Code in the browser: opened without a password, a file made, edited and saved, and seen from a shell.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { ask, chooseImage, launch, open, url, waitForState } from "./browser.mjs";

const name = `code-${Date.now().toString(36)}`;
const file = `${name}.py`;
const mark = `goblin_${Math.random().toString(36).slice(2)}`;
// A cluster that others load too: what is waited for comes, or never.
const patient = { timeout: 180_000 };

let browser;
let context;
let page;
let faults;

before(async () => {
  browser = await launch();
  ({ context, page, faults } = await open(browser));
});

after(async () => {
  const { instances } = await ask(
    context,
    "query($f: InstanceFilter) { instances(filter: $f) { nodes { id } } }",
    { f: { search: name } },
  );
  for (const { id } of instances.nodes) {
    await ask(context, "mutation($id: ID!) { deleteInstance(id: $id) { id } }", { id });
  }
  await browser.close();
});

test("starts an instance with VS Code", async () => {
  await page.goto(`${url}/instances/new`);
  await page.getByLabel("Name").fill(name);
  await chooseImage(page);
  await page.getByRole("button", { name: "0.5 CPU · 1 GiB" }).click();
  await page.locator('[data-fit="fits"]').waitFor();
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/instances\/ins-/);
  await waitForState(page, "Running");
});

let code;

test("opens it from the connection card, on an origin of its own, signed in", async () => {
  const card = page.getByRole("listitem").filter({ hasText: "VS Code" });
  await card.getByText("Ready", { exact: true }).waitFor(patient);
  const opening = context.waitForEvent("page");
  await card.getByRole("button", { name: "Open VS Code" }).click();
  code = await opening;
  await code.waitForURL(/^http:\/\/code-server--/, patient);
  assert.notEqual(new URL(code.url()).origin, new URL(url).origin);
  await code.locator(".monaco-workbench").waitFor(patient);
  assert.equal(await code.locator('input[type="password"]').count(), 0);
  assert.equal(new URL(code.url()).searchParams.get("folder"), "/home/goblin");
  // Its socket is up once the files of the home are listed.
  await code.locator(".explorer-folders-view .monaco-list-row").first().waitFor(patient);
});

test("makes a file, types into it and saves it", async () => {
  const explorer = code.locator(".explorer-folders-view");
  const box = explorer.locator(".explorer-item-edited input");
  // The list is drawn anew while the home is read, and takes the box with it.
  for (let tries = 0; !(await box.isVisible()); tries++) {
    assert.ok(tries < 20, "the explorer asks for no name");
    await explorer.hover();
    await code.locator('.pane-header [aria-label^="New File"]').first().click(patient);
    await box.waitFor({ timeout: 5_000 }).catch(() => {});
  }
  await box.fill(file);
  await box.press("Enter");
  const tab = code.locator(".tab.active", { hasText: file });
  await tab.waitFor(patient);
  const editor = code.locator(`.editor-instance .monaco-editor[data-uri$="${file}"]`);
  await editor.locator(".view-lines").click(patient);
  await code.keyboard.type(`print("${mark}")`);
  await editor.locator(".view-lines", { hasText: mark }).waitFor(patient);
  await code.keyboard.press("Control+S");
  await code.locator(".tab.active:not(.dirty)", { hasText: file }).waitFor(patient);
  assert.equal(await code.locator(".notification-toast .codicon-error").count(), 0);
});

test("a shell of the instance sees what was saved", async () => {
  await page.bringToFront();
  await page.getByRole("button", { name: "Open a terminal" }).click();
  await page.locator(".xterm-rows").waitFor(patient);
  await page.locator(".xterm-helper-textarea").focus();
  // The tab may say "saved" a moment before the file is.
  await page.keyboard.type(
    `clear; until grep -q ${mark} ${file}; do sleep 0.2; done; python3 ${file} | tr a-z A-Z\n`,
  );
  await page.locator(".xterm-rows").getByText(mark.toUpperCase()).first().waitFor(patient);
});

test("after a reload the file is there with what a shell wrote into it", async () => {
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type(`clear; echo 'second = 2' >> ${file}; echo wrote-$((6 * 7))\n`);
  await page.locator(".xterm-rows").getByText("wrote-42").first().waitFor(patient);
  await code.bringToFront();
  await code.reload(patient);
  // Whether the tab comes back depends on how soon the reload came.
  await code.locator(".explorer-folders-view .monaco-list-row", { hasText: file }).dblclick(patient);
  const lines = code.locator(`.editor-instance .monaco-editor[data-uri$="${file}"] .view-lines`);
  await lines.filter({ hasText: mark }).filter({ hasText: "second" }).waitFor(patient);
  await code.close();
});

test("shows its log beside the page, without the password", async () => {
  await page.bringToFront();
  await page.getByRole("button", { name: "Show the passwords" }).click();
  const password = page.getByRole("region", { name: "Password of the apps" });
  await password.waitFor(patient);
  const secret = ((await password.textContent()) ?? "").trim();
  assert.ok(secret.length >= 20);
  await page.getByRole("button", { name: "Log of VS Code" }).click();
  const log = page.getByRole("region", { name: "Log of VS Code" });
  await log.getByText("HTTP server listening").first().waitFor(patient);
  assert.ok(!((await log.textContent()) ?? "").includes(secret));
  assert.deepEqual(await violations(page), []);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await log.waitFor({ state: "detached" });
});

test("nothing went wrong in the page meanwhile", () => {
  assert.deepEqual(faults, []);
});

// The first job of a newcomer: make an environment, open it, work in it, stop it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, chooseImage, launch, open, url, waitForState } from "./browser.mjs";

const name = `e2e-${Date.now().toString(36)}`;
let browser;
let context;
let page;
let faults;

before(async () => {
  browser = await launch();
  ({ context, page, faults } = await open(browser));
});

after(async () => {
  try {
    const { instances } = await ask(
      context,
      "query($f: InstanceFilter) { instances(filter: $f) { nodes { id } } }",
      { f: { search: name } },
    );
    for (const { id } of instances.nodes) {
      await ask(context, "mutation($id: ID!) { deleteInstance(id: $id) { id } }", { id });
    }
  } finally {
    await browser?.close();
  }
});

test("makes and starts an instance, and watches it become ready", async () => {
  await page.goto(`${url}/instances/new`);
  await page.getByLabel("Name").fill(name);
  await chooseImage(page);
  await page.getByRole("button", { name: "0.5 CPU · 1 GiB" }).click();
  await page.locator('[data-fit="fits"]').waitFor();
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/instances\/ins-/);
  await page.getByRole("list", { name: "Start" }).waitFor();
  await waitForState(page, "Running");
});

test("opens JupyterLab on an origin of its own and runs a cell", async () => {
  const opening = context.waitForEvent("page");
  const button = page.getByRole("button", { name: "Open JupyterLab" }).first();
  await button.waitFor();
  await button.click();
  const lab = await opening;
  await lab.waitForURL(/^http:\/\/jupyterlab--/, { timeout: 60_000 });
  assert.notEqual(new URL(lab.url()).origin, new URL(url).origin);
  // The home outlives the instance, and JupyterLab's workspace with it: begin with a clean one.
  await lab.goto(new URL("/lab?reset", lab.url()).href);
  await lab.locator('.jp-LauncherCard[data-category="Notebook"]').first().click({ timeout: 120_000 });
  const cell = lab.locator(".jp-Notebook .jp-CodeCell .cm-content").first();
  await cell.click({ timeout: 60_000 });
  // JupyterLab drops a cell that is run before the kernel answers.
  await lab
    .locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')
    .first()
    .waitFor({ timeout: 90_000 });
  await cell.click();
  await lab.keyboard.type("print(6 * 7)");
  // On a busy machine it does so even then, and a person runs the cell again.
  const output = lab.locator(".jp-OutputArea-output", { hasText: "42" }).first();
  for (let tries = 6; tries > 0 && !(await output.isVisible()); tries -= 1) {
    await cell.click();
    await lab.keyboard.press("Control+Enter");
    await output.waitFor({ timeout: 15_000 }).catch(() => {});
  }
  assert.ok(await output.isVisible(), "the cell gives nothing");
  // P75: a cell that takes more memory than there is ends the kernel, and the page says so.
  await cell.click();
  await lab.keyboard.press("Control+A");
  await lab.keyboard.type("x = b'a' * (2 << 30)");
  await lab.keyboard.press("Shift+Enter");
  const told = page.getByText(/was killed: the memory of the instance was used up, .* of 1 GiB/);
  await told.waitFor({ timeout: 60_000 });
  await page.getByText(/ in jupyterlab was killed/).waitFor();
  await lab.close();
});

test("types in the web terminal, and a reload comes back to the same shell", async () => {
  await page.getByRole("button", { name: "Open a terminal" }).click();
  const screen = page.locator(".xterm-rows");
  await screen.waitFor();
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("MARK=goblin-$((40+2)); echo $MARK\n");
  await screen.getByText("goblin-42").first().waitFor({ timeout: 30_000 });
  await page.reload();
  // What is told above it may have pushed it out of sight, where it draws nothing.
  await page.locator(".xterm-screen").scrollIntoViewIfNeeded();
  await page.locator(".xterm-rows").getByText("goblin-42").first().waitFor({ timeout: 30_000 });
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("clear; echo again-$MARK\n");
  await page.locator(".xterm-rows").getByText("again-goblin-42").first().waitFor({ timeout: 30_000 });
});

test("shows the passwords when asked, and hides them again", async () => {
  await page.getByRole("button", { name: "Show the passwords" }).click();
  const password = page.getByRole("region", { name: "Password of the apps" });
  await password.waitFor();
  assert.ok(((await password.textContent()) ?? "").length >= 8);
  await page.getByRole("button", { name: "Hide" }).click();
  await password.waitFor({ state: "detached" });
});

test("stops it, and says so", async () => {
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await waitForState(page, "Stopped");
  await page.getByRole("button", { name: "Start", exact: true }).waitFor();
});

test("nothing went wrong in the page meanwhile", () => {
  assert.deepEqual(faults, []);
});

// Secrets: made, used by an instance, replaced, deleted; what they hold is nowhere to be seen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { ask, chooseImage, launch, open, url } from "./browser.mjs";

const stamp = Date.now().toString(36);
const name = `wandb-${stamp}`;
const value = `e2e-value-${stamp}`;
const token = `e2e-token-${stamp}`;

let browser;
let page;
let context;
let faults;

before(async () => {
  browser = await launch();
  ({ page, context, faults } = await open(browser));
});

after(() => browser?.close());

/** Nothing of what was typed is in the page or in any answer of the API. */
async function assertUnseen() {
  const text = await page.content();
  const { secrets } = await ask(
    context,
    "{ secrets { id name kind keys { name bytes } fingerprint usedBy { id name } } }",
  );
  for (const seen of [text, JSON.stringify(secrets)]) {
    assert.ok(!seen.includes(value));
    assert.ok(!seen.includes(token));
  }
  return secrets;
}

test("makes a secret with a value", async () => {
  await page.goto(`${url}/`);
  await page.getByRole("link", { name: "Secrets" }).first().click();
  await page.waitForURL(/\/secrets$/);
  await page.getByRole("button", { name: "New secret" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "New secret" }).click();
  await dialog.getByText("This is needed.").first().waitFor();
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await dialog.getByLabel("Name of the value").fill("bad name");
  await dialog.getByLabel("Value", { exact: true }).fill(value);
  await dialog.getByRole("button", { name: "New secret" }).click();
  await dialog.getByText("A name must have 1 to 253 letters").waitFor();
  await dialog.getByLabel("Name of the value").fill("WANDB_API_KEY");
  await dialog.getByRole("button", { name: "New secret" }).click();
  await page.getByText(`${name} was made.`).waitFor();
  const row = page.getByRole("listitem").filter({ hasText: name });
  await row.getByText("WANDB_API_KEY").waitFor();
  const secrets = await assertUnseen();
  assert.deepEqual(secrets.find((each) => each.name === name).keys, [
    { name: "WANDB_API_KEY", bytes: value.length },
  ]);
});

test("makes one for git, for the team", async () => {
  await page.getByRole("button", { name: "New secret" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(`git-${stamp}`);
  await dialog.getByLabel("Kind").click();
  await page.getByRole("option", { name: "Git" }).click();
  await dialog.getByLabel("Whose").click();
  await page.getByRole("option", { name: /^Team / }).click();
  await dialog.getByLabel("Host", { exact: true }).fill("git.example.org");
  await dialog.locator('[data-path="git.token"]').fill(token);
  await dialog.getByRole("button", { name: "New secret" }).click();
  await page.getByText(`git-${stamp} was made.`).waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: `git-${stamp}` })
    .getByText("token")
    .waitFor();
  await assertUnseen();
});

test("an instance takes it", async () => {
  await page.goto(`${url}/instances/new`);
  await page.getByLabel("Name", { exact: true }).fill(`with-secret-${stamp}`);
  await chooseImage(page);
  await page.getByRole("switch", { name: "Start it at once" }).uncheck();
  await page.getByText("Advanced").click();
  await page.getByRole("button", { name: "Add a secret" }).click();
  await page.getByRole("combobox", { name: "Secret", exact: true }).click();
  await page.getByRole("option", { name: `${name} (my own)` }).click();
  await page.getByRole("combobox", { name: "How it appears" }).click();
  await page.getByRole("option", { name: "as variables" }).last().click();
  await page.getByRole("button", { name: "New instance" }).click();
  await page.waitForURL(/\/instances\/ins-/);
  await page.getByText(name).first().waitFor();
  await page.goto(`${url}/secrets`);
  const row = page.getByRole("listitem").filter({ hasText: name }).first();
  await row.getByRole("link", { name: `with-secret-${stamp}` }).waitFor();
});

test("replaces it, and says who uses it before it is deleted", async () => {
  const was = (await assertUnseen()).find((each) => each.name === name);
  await page.getByRole("button", { name: `Replace ${name}` }).click();
  const dialog = page.getByRole("dialog");
  assert.equal(await dialog.getByLabel("Name of the value").inputValue(), "WANDB_API_KEY");
  assert.equal(await dialog.getByLabel("Value", { exact: true }).inputValue(), "");
  await dialog.getByLabel("Value", { exact: true }).fill(`${value}-2`);
  await dialog.getByRole("button", { name: "Replace", exact: true }).click();
  await page.getByText(`${name} was replaced.`).waitFor();
  const now = (await assertUnseen()).find((each) => each.name === name);
  assert.notEqual(now.fingerprint, was.fingerprint);
  await page.getByRole("button", { name: `Delete ${name}` }).click();
  await page.getByRole("dialog").getByText(`Used by with-secret-${stamp}.`).waitFor();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true });
  assert.ok(await confirm.isDisabled());
  await page.getByRole("dialog").getByRole("checkbox").check();
  await confirm.click();
  await page.getByText(`${name} was deleted.`).waitFor();
});

test("the audit log tells of it, without values", async () => {
  await page.goto(`${url}/audit?what=secret`);
  await page.getByText("Replaced a secret").first().waitFor();
  const lines = await (await page.request.get(`${url}/api/audit?format=jsonl&action=secret`)).text();
  assert.ok(lines.includes(name));
  assert.ok(!lines.includes(value) && !lines.includes(token));
});

for (const language of ["en", "zh-CN"]) {
  test(`fits a phone: ${language}`, async () => {
    const phone = await open(browser, { width: 375, height: 740, language, scheme: "dark" });
    await phone.page.goto(`${url}/secrets?new`);
    await phone.page.getByRole("dialog").waitFor();
    await phone.page.waitForTimeout(300);
    assert.deepEqual(await violations(phone.page), []);
    const overflow = await phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${overflow} px beyond the window`);
    await phone.page.goto(`${url}/secrets`);
    await phone.page.getByRole("listitem").first().waitFor();
    assert.deepEqual(await violations(phone.page), []);
    await phone.context.close();
  });
}

test("no error in the page", () => assert.deepEqual(faults, []));

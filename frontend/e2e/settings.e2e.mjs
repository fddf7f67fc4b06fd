// The settings' page: what is changed counts at once, what is wrong is told at its field, what was changed is in the audit log.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, launch, open, url } from "./browser.mjs";

let browser;
let page;
let context;
let faults;

before(async () => {
  browser = await launch();
  ({ page, context, faults } = await open(browser));
});

after(() => browser?.close());

const panel = (name) => page.getByRole("region", { name, exact: true });

test("an administrator finds the settings", async () => {
  await page.goto(`${url}/`);
  await page.getByRole("button", { name: /account$/ }).click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await page.waitForURL(/\/settings$/);
  await panel("Limits").getByLabel("Instances per person").waitFor();
  for (const name of ["Defaults", "Sizes", "Node pools", "SSH", "Mail", "API"]) await panel(name).waitFor();
});

test("a change counts at once and can be taken back", async () => {
  const limits = panel("Limits");
  const field = limits.getByRole("textbox", { name: "GPUs of one instance or run" });
  const save = limits.getByRole("button", { name: "Save" });
  assert.ok(await save.isDisabled());
  await field.fill("5");
  await limits.getByText("1 change not saved").waitFor();
  await save.click();
  await page.getByText("Saved.").first().waitFor();
  await limits.getByText("Changed by Administrator").waitFor();
  await page.reload();
  assert.equal(await field.inputValue(), "5");
  const { settings } = await ask(context, "{ settings { key value source version } }");
  const gpu = settings.find((each) => each.key === "limits.gpu");
  assert.deepEqual([gpu.value, gpu.source], ["5", "PAGE"]);
  await limits.getByRole("button", { name: "GPUs of one instance or run: back to the default" }).click();
  assert.equal(await field.inputValue(), "64");
  await save.click();
  await limits.getByText("Changed by Administrator").waitFor({ state: "detached" });
});

test("what was typed is there again after leaving the page", async () => {
  const field = panel("Limits").getByRole("textbox", { name: "GPUs of one instance or run" });
  await field.fill("7");
  await page.getByRole("navigation").getByRole("link", { name: "Volumes" }).click();
  await page.waitForURL(/\/volumes$/);
  await page.getByRole("heading", { name: "Volumes", level: 1 }).waitFor();
  await page.goBack();
  await panel("Limits").getByText("1 change not saved").waitFor();
  assert.equal(await field.inputValue(), "7");
  await panel("Limits").getByRole("button", { name: "Cancel" }).click();
  assert.equal(await field.inputValue(), "64");
});

test("a secret that was typed is kept nowhere, so leaving asks", async () => {
  await panel("Mail").locator('[data-path="mail.password"]').fill("correct horse");
  await page.getByRole("navigation").getByRole("link", { name: "Volumes" }).click();
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.getByRole("button", { name: "Stay" }).click();
  assert.equal(await panel("Mail").locator('[data-path="mail.password"]').inputValue(), "correct horse");
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).includes("correct horse"));
  await page.getByRole("navigation").getByRole("link", { name: "Volumes" }).click();
  await dialog.getByRole("button", { name: "Leave", exact: true }).click();
  await page.waitForURL(/\/volumes$/);
  await page.getByRole("heading", { name: "Volumes", level: 1 }).waitFor(); // the settings are gone
  await page.goBack();
  assert.equal(await panel("Mail").locator('[data-path="mail.password"]').inputValue(), "");
});

test("everything that is wrong is told at its field", async () => {
  const limits = panel("Limits");
  await limits.getByLabel("Memory of one instance or run").fill("lots");
  await limits.getByLabel("Time to start").fill("soon");
  await limits.getByRole("button", { name: "Save" }).click();
  await limits.getByText(/“lots” is not an amount of memory/).waitFor();
  await limits.getByText(/write a time from 1m to 7d/).waitFor();
  await limits.getByRole("button", { name: "Cancel" }).click();
  await limits.getByText(/“lots”/).waitFor({ state: "detached" });
});

test("somebody else's change is not overwritten", async () => {
  const { settings } = await ask(context, "{ settings { key version } }");
  const { version } = settings.find((each) => each.key === "defaults.timezone");
  await ask(
    context,
    "mutation($c: [SettingChange!]!) { updateSettings(input: { changes: $c }) { settings { key } } }",
    { c: [{ key: "defaults.timezone", value: "Europe/Berlin", version }] },
  );
  const defaults = panel("Defaults");
  await defaults.getByLabel("Time zone").fill("Asia/Shanghai");
  await defaults.getByRole("button", { name: "Save" }).click();
  await defaults.getByText(/was changed meanwhile/).waitFor();
  await defaults.getByRole("button", { name: "Load again" }).click();
  await page.waitForFunction(
    () => document.querySelector('[data-path="defaults.timezone"]')?.value === "Europe/Berlin",
  );
});

test("sizes are offered in the form of an instance", async () => {
  const sizes = panel("Sizes");
  await sizes.getByRole("button", { name: "Add a size" }).click();
  await sizes.getByRole("textbox", { name: "Name", exact: true }).last().fill("Large memory");
  await sizes.getByRole("textbox", { name: "CPU", exact: true }).last().fill("2");
  await sizes.getByRole("textbox", { name: "Memory", exact: true }).last().fill("48Gi");
  await sizes.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").first().waitFor();
  await page.goto(`${url}/instances/new`);
  await page.getByRole("button", { name: /^Large memory · 2 CPU · 48 GiB/ }).click();
  assert.equal(await page.getByLabel("Memory (GiB)").inputValue(), "48");
  await page.goto(`${url}/settings`);
});

test("a mail that cannot be sent says why", async () => {
  await panel("Mail").getByRole("button", { name: "Send a test" }).click();
  await panel("Mail")
    .getByText(/No mail server is set/)
    .waitFor();
});

test("a person gets a limit of their own", async () => {
  const people = panel("People with a limit of their own");
  await people.getByRole("combobox", { name: "Person" }).click();
  await page.getByRole("option", { name: /Administrator/ }).click();
  await people.getByLabel("Instances").fill("12");
  await people.getByRole("button", { name: "Set the limit" }).click();
  await people.getByText("12 instances").waitFor();
  await people.getByRole("button", { name: "Take the limit of Administrator away" }).click();
  await people.getByText("12 instances").waitFor({ state: "detached" });
});

test("the audit log tells of it", async () => {
  await page.goto(`${url}/audit?what=setting`);
  const entry = page.getByRole("listitem").filter({ hasText: "limits.gpu" }).last();
  await entry.getByText("Changed a setting").waitFor();
  await entry.locator("del", { hasText: "64" }).waitFor();
  await entry.locator("ins", { hasText: "5" }).waitFor();
  assert.deepEqual(faults, []);
});

test("it fits a phone, in both languages", async () => {
  for (const language of ["en", "zh-CN"]) {
    const phone = await open(browser, { language, width: 375, height: 800 });
    await phone.page.goto(`${url}/settings`);
    await phone.page.getByRole("region").first().waitFor();
    const over = await phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${over} px beyond the window`);
    if (language === "zh-CN") await phone.page.getByRole("region", { name: "限额", exact: true }).waitFor();
    assert.deepEqual(phone.faults, []);
    await phone.context.close();
  }
});

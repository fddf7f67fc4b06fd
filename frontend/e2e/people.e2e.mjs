// People: a password, an invitation that makes an account, the people page, a departure and a deletion.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { ask, launch, open, url } from "./browser.mjs";

const mark = Date.now().toString(36);
const name = `Nina ${mark}`;
const email = `nina.${mark}@example.com`;
const password = `seven boring lamps ${mark}`;

let browser;
let page;
let context;
let faults;
/** The window of the person who is invited. */
let nina;

before(async () => {
  browser = await launch();
  ({ page, context, faults } = await open(browser));
});

after(() => browser?.close());

/** A window in which nobody is signed in. */
async function stranger() {
  const fresh = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en" });
  await fresh.addInitScript(() => localStorage.setItem("goblinlab-language", "en"));
  return fresh.newPage();
}

async function signIn(window, address, secret, next = "") {
  await window.goto(`${url}/sign-in${next}`);
  await window.getByLabel("E-mail address").fill(address);
  await window.getByRole("textbox", { name: "Password", exact: true }).fill(secret);
  await window.getByRole("button", { name: "Sign in", exact: true }).click();
}

const line = (window, text) => window.getByRole("listitem").filter({ hasText: text });

async function menu(item) {
  await page.getByRole("button", { name: `What to do about ${name}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

test("an administrator sets a password and comes in by it", async () => {
  const { viewer } = await ask(context, "{ viewer { user { email } } }");
  await page.goto(`${url}/account`);
  const panel = page.getByRole("region", { name: "Password" });
  await panel.getByRole("button", { name: /^(Set a password|Change)$/ }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByRole("textbox", { name: "New password" });
  await field.fill("password1234");
  await dialog.getByRole("button", { name: "Set a password" }).click();
  await dialog.getByText("one of the passwords that are tried first").waitFor();
  await field.fill(password);
  await dialog.getByRole("button", { name: "Set a password" }).click();
  await page.getByText("The password was changed.").waitFor();
  await panel.getByText("Set", { exact: false }).first().waitFor();

  const window = await stranger();
  await signIn(window, viewer.user.email, "wrong boring lamps");
  await window.getByText("The address or the password is wrong.").waitFor();
  // Where it goes on to is a path of this page, whatever the link says.
  await signIn(window, viewer.user.email, password, "?next=%2F%09%2Fevil.example");
  await window.waitForURL((address) => !address.pathname.startsWith("/sign-in"));
  assert.equal(new URL(window.url()).origin, new URL(url).origin);
  await window.context().close();
});

test("invites somebody, who makes an account by the link", async () => {
  await page.goto(`${url}/team`);
  await page
    .getByRole("region", { name: "Open invitations" })
    .getByRole("button", { name: "Invite", exact: true })
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail address").fill(email);
  await dialog.getByLabel("Message (optional)").fill("Welcome to the lab");
  await dialog.getByRole("button", { name: "Invite", exact: true }).click();
  const link = (await dialog.getByRole("region", { name: "Invitation link" }).innerText()).trim();
  assert.match(link, /\/invitation\?token=[\w-]{43}$/);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await line(page, email).getByText("lapses").waitFor();
  assert.ok(!(await page.content()).includes(link));

  nina = await stranger();
  await nina.goto(link);
  await nina.getByText("Welcome to the lab").waitFor();
  await nina.getByLabel("Name").fill(name);
  await nina.getByRole("textbox", { name: "New password" }).fill("short");
  await nina.getByRole("button", { name: "Make my account and join" }).click();
  await nina.getByText("The password has 5 characters").waitFor();
  await nina.getByRole("textbox", { name: "New password" }).fill(password);
  await nina.getByRole("button", { name: "Make my account and join" }).click();
  await nina.waitForURL((address) => address.pathname === "/");
  await nina.getByRole("button", { name: `${name}: account` }).waitFor();

  const second = await stranger();
  await second.goto(link);
  await second.getByText("This invitation is of no use").waitFor();
  await second.context().close();
  await page.reload();
  await line(page.getByRole("list", { name: "Members" }), email).waitFor();
});

test("sees calmly what is for others", async () => {
  for (const path of ["/settings", "/people", "/audit"]) {
    await nina.goto(url + path);
    await nina.getByText("This is not yours to see.").waitFor();
    assert.equal(await nina.getByRole("button", { name: "Try again" }).count(), 0);
    await nina.getByRole("main").getByRole("link", { name: "To the overview" }).waitFor();
    assert.deepEqual(await violations(nina), []);
  }
});

test("is disabled, and out at once", async () => {
  await page.goto(`${url}/people?q=${encodeURIComponent(email)}`);
  await line(page, email).getByText("Active").waitFor();
  await menu("Disable");
  await page.getByRole("dialog").getByText("1 session").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await line(page, email).getByText("Disabled").waitFor();
  await nina.waitForURL(/\/sign-in/, { timeout: 10_000 }).catch(() => nina.reload());
  await nina.waitForURL(/\/sign-in/);
  await signIn(nina, email, password);
  await nina.getByText("The address or the password is wrong.").waitFor();
  await menu("Enable");
  await line(page, email).getByText("Active").waitFor();
  await signIn(nina, email, password);
  await nina.waitForURL((address) => address.pathname === "/");
});

test("departs, and what belonged to them is somebody else's", async () => {
  const { teams } = await ask(context, "{ teams(first: 1) { nodes { id name } } }");
  const [team] = teams.nodes;
  await ask(
    nina.context(),
    'mutation($team: ID!) { createVolume(input: {teamId: $team, name: "results", size: "1Gi"}) { volume { id } } }',
    { team: team.id },
  );
  await menu("Let them depart …");
  await page.getByRole("heading", { name: `${name} leaves` }).waitFor();
  await page.getByText("results").waitFor();
  await page
    .getByText("(the team keeps it)")
    .or(page.locator('input[value*="the team keeps it"]'))
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Let them depart" }).click();
  await page.waitForURL(/\/people$/);
  await page.goto(`${url}/people?state=DEPARTED&q=${encodeURIComponent(email)}`);
  await line(page, email).getByText("Departed").waitFor();
  const { volumes } = await ask(
    context,
    "query($team: ID!) { volumes(filter: {teamId: $team}) { nodes { name owner { displayName } } } }",
    { team: team.id },
  );
  const results = volumes.nodes.find((volume) => volume.name === "results");
  assert.notEqual(results.owner.displayName, name);
});

test("is deleted, and the name is gone", async () => {
  await menu("Delete …");
  const submit = page.getByRole("button", { name: "Delete the person" });
  await page.getByRole("heading", { name: `Delete ${name}` }).waitFor();
  assert.ok(await submit.isDisabled());
  await page.getByLabel(`Type ${name} to go on`).fill(name);
  await submit.click();
  await page.waitForURL(/\/people$/);
  await page.goto(`${url}/people?q=${encodeURIComponent(email)}`);
  await page.getByText("Nobody fits.").waitFor();
  await page.goto(`${url}/audit?what=user`);
  await page.getByText("Finished a departure").first().waitFor();
  assert.deepEqual(
    faults.filter((fault) => !fault.includes("401")),
    [],
  );
});

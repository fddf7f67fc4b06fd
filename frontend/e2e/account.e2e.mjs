// The account's page: an access token is made, shown once, used by a program, and revoked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, url } from "./browser.mjs";

const name = `report-${Date.now().toString(36)}`;

let browser;
let page;
let faults;

before(async () => {
  browser = await launch();
  ({ page, faults } = await open(browser));
});

after(() => browser?.close());

/** Asks as a program: without the browser's cookies. */
async function program(token, query) {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, ...(await response.json()) };
}

let token;

test("makes a token that is shown once", async () => {
  await page.goto(`${url}/`);
  await page.getByRole("button", { name: /account$/ }).click();
  await page.getByRole("menuitem", { name: "Account" }).click();
  await page.waitForURL(/\/account$/);
  await page.getByText("This browser").waitFor();
  await page.getByRole("button", { name: "New access token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "New access token" }).click();
  await dialog.getByText("This is needed.").waitFor();
  await dialog.getByLabel("What is it for?").fill(name);
  await dialog.getByRole("button", { name: "New access token" }).click();
  token = (await dialog.getByRole("region", { name: "Access token" }).innerText()).trim();
  assert.match(token, /^gbl_[a-z2-7]{39}$/);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByText(name, { exact: true }).waitFor();
  await page.reload();
  await page.getByText(name, { exact: true }).waitFor();
  assert.ok(!(await page.content()).includes(token));
});

test("a program reads with it, and changes nothing", async () => {
  const read = await program(token, "{ viewer { user { displayName } } }");
  assert.equal(read.data.viewer.user.displayName, "Administrator");
  const change = await program(token, 'mutation { createTeam(input: {name: "stolen"}) { team { id } } }');
  assert.equal(change.errors[0].extensions.code, "FORBIDDEN");
  assert.match(change.errors[0].message, /may only read/);
  await page.reload();
  await page.getByRole("listitem").filter({ hasText: name }).getByText("last used").waitFor();
});

test("the audit log tells of it, in the page and as files", async () => {
  await page.goto(`${url}/audit?what=token`);
  const made = page.getByRole("listitem").filter({ hasText: name });
  await made.getByText("Made an access token").waitFor();
  const line = (await page.request.get(`${url}/api/audit?format=jsonl&action=token.create`)).text();
  const entry = JSON.parse((await line).split("\n", 1)[0]);
  assert.equal(entry.after.name, name);
  assert.ok(!JSON.stringify(entry).includes(token));
  const table = await (await page.request.get(`${url}/api/audit?format=csv&action=token`)).text();
  assert.match(table, /^id,at,actorId,teamId,action,objectId,address,before,after\r?\naud-/);
  await page.goto(`${url}/account`);
});

test("is of no use once it was revoked", async () => {
  await page.getByRole("button", { name: `Revoke ${name}` }).click();
  await page.getByText(`${name} was revoked.`).waitFor();
  const read = await program(token, "{ viewer { user { displayName } } }");
  assert.equal(read.status, 401);
  assert.equal(read.errors[0].extensions.code, "UNAUTHENTICATED");
  assert.deepEqual(faults, []);
});

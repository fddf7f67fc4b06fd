// Signing in through the OpenID provider, and letting a program in from the page /device.
//
//   GOBLINLAB_IDP   "1" where the server has the provider of internal/testkit/idp, with the person li
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, url } from "./browser.mjs";

const provided = process.env.GOBLINLAB_IDP === "1";
const skip = provided ? false : "the server has no provider";

let browser;
let page;
const faults = [];

before(async () => {
  browser = await launch();
  page = await fresh();
});

after(() => browser?.close());

/** A window in which nobody is signed in. */
async function fresh(language = "en") {
  const context = await browser.newContext({ locale: language, reducedMotion: "reduce" });
  await context.addInitScript((chosen) => localStorage.setItem("goblinlab-language", chosen), language);
  const opened = await context.newPage();
  opened.on("pageerror", (error) => faults.push(error.message));
  return opened;
}

async function atProvider(on, password) {
  await on.getByRole("heading", { name: "Example ID" }).waitFor();
  await on.getByLabel("Name").fill("li");
  await on.getByLabel("Password").fill(password);
  await on.getByRole("button", { name: "Sign in" }).click();
}

test("cancelling leads back with a word", { skip }, async () => {
  await page.goto(`${url}/volumes`);
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alert").getByText("The sign-in was cancelled at the provider.").waitFor();
  const chinese = await fresh("zh-CN");
  await chinese.goto(page.url());
  await chinese.getByRole("alert").getByText("已在身份提供方取消登录。").waitFor();
  await chinese.getByRole("link", { name: "使用 Example ID 登录" }).waitFor();
  await chinese.context().close();
});

test("somebody new signs in, and is where they wanted to be", { skip }, async () => {
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  await atProvider(page, "wrong");
  await page.getByText("Wrong name or password.").waitFor();
  await atProvider(page, "hunter2");
  await page.waitForURL(`${url}/volumes`);
  await page.getByRole("heading", { name: "Volumes" }).waitFor();
  await page.getByRole("button", { name: "Li Na: account" }).waitFor();
});

test("the account shows where one comes from, and keeps the last way in", { skip }, async () => {
  await page.goto(`${url}/account`);
  const linked = page.getByRole("region", { name: "Linked sign-ins" });
  await linked.getByText("li@example.com").waitFor();
  await linked.getByRole("button", { name: "Unlink Example ID" }).click();
  await page.getByText("This is your last way to sign in.").waitFor();
});

/** Asks as a program does. */
async function form(path, values) {
  const response = await fetch(`${url}${path}`, { method: "POST", body: new URLSearchParams(values) });
  return response.json();
}

const token = (code) =>
  form("/device/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    client_id: "goblin",
    device_code: code,
  });

test("a program is let in from its page", { skip }, async () => {
  const asked = await form("/device/code", {
    client_id: "goblin",
    client_name: "goblin on lab-7",
    scope: "write",
  });
  await page.goto(asked.verification_uri);
  await page.getByLabel("Code").fill(asked.user_code.toLowerCase());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("goblin on lab-7 wants to act as you").waitFor();
  await page.getByText(asked.user_code, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Go back to the program.").waitFor();
  const got = await token(asked.device_code);
  assert.match(got.access_token, /^gbl_/);
  const read = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${got.access_token}` },
    body: JSON.stringify({ query: "{ viewer { user { displayName } } }" }),
  });
  assert.equal((await read.json()).data.viewer.user.displayName, "Li Na");
});

test("a program is refused, and a wrong code is nobody's", { skip }, async () => {
  const asked = await form("/device/code", { client_id: "goblin", scope: "read" });
  await page.goto(asked.verification_uri_complete);
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.getByText("The program gets nothing.").waitFor();
  assert.equal((await token(asked.device_code)).error, "access_denied");
  await page.goto(asked.verification_uri_complete);
  await page.getByText("No program asks with this code").waitFor();
});

test("the page of a program leads through the sign-in", { skip }, async () => {
  const asked = await form("/device/code", { client_id: "goblin", scope: "read" });
  const other = await fresh();
  await other.goto(asked.verification_uri_complete);
  await other.getByRole("link", { name: "Sign in with Example ID" }).click();
  await atProvider(other, "hunter2");
  await other.getByText(asked.user_code, { exact: true }).waitFor();
  await other.context().close();
});

test("signing out comes back to the sign-in", { skip }, async () => {
  await page.goto(`${url}/account`);
  await page.getByRole("button", { name: "Li Na: account" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL((address) => address.href.startsWith(`${url}/sign-in`));
  await page.getByRole("link", { name: "Sign in with Example ID" }).waitFor();
  assert.deepEqual(faults, []);
});

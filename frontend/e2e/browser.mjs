// Opens the page of a running GoblinLab in Chromium, signed in.
//
//   GOBLINLAB_URL           address of the page, as http://localhost:8080
//   GOBLINLAB_SIGN_IN_URL   a one-time link (`goblinlab sign-in-link`); its session is kept for the next file
//   CHROMIUM                the browser, /usr/bin/chromium by default
//   GOBLINLAB_IMAGE         name of the image that the scenarios use; the form's own choice by default
//   GOBLINLAB_SHOTS         folder for pictures of the scenarios' steps; none are taken without it
import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

export const url = process.env.GOBLINLAB_URL ?? "http://localhost:8080";
export const image = process.env.GOBLINLAB_IMAGE ?? "";

const link = process.env.GOBLINLAB_SIGN_IN_URL ?? "";
const session = path.join(
  tmpdir(),
  `goblinlab-e2e-${createHash("sha256").update(link).digest("hex").slice(0, 16)}.json`,
);

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-gpu",
    ],
  });
}

/** Signs in with the link once, and keeps the session for the scenarios that follow. */
async function signIn(browser) {
  if (existsSync(session)) return;
  if (link === "") throw new Error("set GOBLINLAB_SIGN_IN_URL to a link of `goblinlab sign-in-link`");
  const context = await browser.newContext();
  await enter(await context.newPage(), link);
  await context.storageState({ path: session });
  await context.close();
}

async function enter(page, by) {
  await page.goto(by);
  await page.waitForURL((address) => !address.pathname.startsWith("/sign-in"), { timeout: 20_000 });
}

/** A signed-in page in one language, size and colour scheme. Errors of the page fail the scenario. */
export async function open(browser, options = {}) {
  await signIn(browser);
  return fresh(browser, { ...options, storageState: session });
}

/** The same for somebody else, who comes in by a one-time link of theirs. */
export async function openAs(browser, by, options = {}) {
  const opened = await fresh(browser, options);
  await enter(opened.page, by);
  return opened;
}

async function fresh(
  browser,
  { language = "en", width = 1440, height = 900, scheme = "light", storageState } = {},
) {
  const context = await browser.newContext({
    storageState,
    viewport: { width, height },
    colorScheme: scheme,
    locale: language,
    reducedMotion: "reduce",
  });
  await context.addInitScript((chosen) => localStorage.setItem("goblinlab-language", chosen), language);
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  return { context, page, faults };
}

/** Asks the API as the signed-in person. */
export async function ask(context, query, variables = {}) {
  const response = await context.request.post(`${url}/graphql`, { data: { query, variables } });
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Takes a picture of a step for who looks the scenario over. */
export async function shot(page, name) {
  const folder = process.env.GOBLINLAB_SHOTS ?? "";
  if (folder === "") return;
  mkdirSync(folder, { recursive: true });
  await page.waitForTimeout(400); // what slides in has arrived
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

/** Waits until a state's word is in the head of a detail. */
export async function waitForState(page, word, timeout = 180_000) {
  await page
    .locator("header", { has: page.locator("h1") })
    .getByText(word, { exact: true })
    .waitFor({ timeout });
}

/** Chooses the image of the scenarios in a form. */
export async function chooseImage(page) {
  if (image === "") return;
  await page.locator('[data-path="imageId"]').click();
  await page.getByRole("option", { name: new RegExp(`^${image}`) }).click();
}

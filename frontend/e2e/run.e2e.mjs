// The second job: run a script, read its log live, learn why it failed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chooseImage, launch, open, url, waitForState } from "./browser.mjs";

let browser;
let context;
let page;
let faults;

before(async () => {
  browser = await launch();
  ({ context, page, faults } = await open(browser));
});

after(() => browser?.close());

async function runNow(command) {
  await page.goto(`${url}/runs/new`);
  await page.getByRole("textbox", { name: "Command" }).fill(command);
  await chooseImage(page);
  await page.getByRole("button", { name: "0.5 CPU · 1 GiB" }).click();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.waitForURL(/\/runs\/run-/);
}

test("shows the log as it comes, and that it succeeded", async () => {
  await runNow("sh -c 'for i in 1 2 3 4 5; do echo line-$i; sleep 1; done'");
  const log = page.getByRole("region", { name: "Lines of the log" });
  await log.getByText("line-1", { exact: true }).waitFor({ timeout: 120_000 });
  await waitForState(page, "Running", 30_000);
  await log.getByText("line-5", { exact: true }).waitFor({ timeout: 30_000 });
  await waitForState(page, "Succeeded", 60_000);
  await page.getByText("Exit code 0").first().waitFor();
});

test("a failure shows its exit code and leads to the error", async () => {
  await runNow("sh -c 'echo before; echo \"ValueError: no such shard\" >&2; exit 3'");
  await waitForState(page, "Failed", 120_000);
  await page.getByText("Exit code 3").first().waitFor();
  await page.getByRole("button", { name: "To the error" }).click();
  await page.locator("[data-current]", { hasText: "ValueError" }).waitFor();
});

test("searches the log, links to a line, and offers it for download", async () => {
  await page.getByRole("searchbox", { name: "Search the log" }).fill("before");
  await page.locator("[data-current]", { hasText: "before" }).waitFor(); // the first hit is shown at once
  const line = page.locator('[data-source="OUTPUT"]', { hasText: "before" });
  await line.getByRole("link").click();
  await page.waitForURL(/#L\d+$/);
  await page.locator("[data-linked]", { hasText: "before" }).waitFor();
  const href = await page.getByRole("link", { name: "Download the log" }).getAttribute("href");
  const text = await (await context.request.get(`${url}${href}`)).text();
  assert.match(text, /ValueError: no such shard/);
});

test("a run that is stopped says by whom", async () => {
  await runNow("sleep 600");
  await waitForState(page, "Running", 120_000);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await waitForState(page, "Stopped", 90_000);
  await page
    .getByText(/^Stopped by /)
    .first()
    .waitFor();
});

test("nothing went wrong in the page meanwhile", () => {
  assert.deepEqual(faults, []);
});

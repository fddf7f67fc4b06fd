// axe on every page, light and dark, at three widths; and the main road without a mouse.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { ask, launch, open, url } from "./browser.mjs";

// Colours depend on the scheme and places on the width: each of both is seen, not every pair.
const looks = [
  { scheme: "light", width: 1440 },
  { scheme: "dark", width: 1024 },
  { scheme: "light", width: 390 },
];

let browser;
let paths;
let forget = async () => {};

/** A flow of two steps that needs no image, with a run of it that waits for an address that says no. */
async function aFlow(context, team) {
  const name = `axe-${Date.now().toString(36)}`;
  const asks = { method: "GET", url: "https://nobody.invalid/ready" };
  const spec = {
    description: "Looked at by axe",
    schedule: { cron: "0 2 * * *", timezone: "Asia/Shanghai" },
    tasks: [
      { name: "check", executor: "check", with: { url: asks, every: "5m" } },
      { name: "after", executor: "http", needs: ["check"], with: asks },
    ],
  };
  const made = await ask(
    context,
    "mutation($input: CreateFlowInput!) { createFlow(input: $input) { flow { id } } }",
    { input: { teamId: team, name, spec } },
  );
  const flow = made.createFlow.flow.id;
  forget = async () => {
    const { context: again } = await open(browser);
    const gone = "mutation($id: ID!, $name: String!) { deleteFlow(id: $id, name: $name) { id } }";
    await ask(again, gone, { id: flow, name });
    await again.close();
  };
  const begun = await ask(
    context,
    "mutation($id: ID!) { runFlow(input: {flowId: $id}) { flowRun { id } } }",
    { id: flow },
  );
  return { flow, run: begun.runFlow.flowRun.id };
}

before(async () => {
  browser = await launch();
  const { context } = await open(browser);
  const { instances, runs, teams } = await ask(
    context,
    "{ instances(first: 1) { nodes { id } } runs(first: 1) { nodes { id } } teams(first: 1) { nodes { id } } }",
  );
  const { flow, run } = await aFlow(context, teams.nodes[0].id);
  await context.close();
  paths = [
    "/",
    "/instances",
    "/instances/new",
    "/flows",
    "/flows/new",
    `/flows/${flow}`,
    ...["versions", "calendar", "backfills"].map((tab) => `/flows/${flow}?tab=${tab}`),
    `/flows/${flow}/edit`,
    `/flow-runs/${run}`,
    `/flow-runs/${run}?step=check`,
    "/runs",
    "/runs/new",
    "/volumes",
    "/volumes?new",
    "/volumes?show=trash",
    "/volumes?show=shared",
    "/volumes?show=platform",
    "/secrets",
    "/secrets?new",
    "/account",
    "/audit",
    "/settings",
    "/images",
    "/team",
    "/teams",
    "/teams/new",
  ];
  for (const { id } of instances.nodes) {
    paths.push(`/instances/${id}`, `/instances/${id}/edit`, `/flows/new?from=${id}`);
  }
  for (const { id } of runs.nodes) paths.push(`/runs/${id}`, `/instances/new?from=${id}`);
  paths.push("/sign-in", "/nowhere");
});

after(async () => {
  await forget();
  await browser?.close();
});

for (const { scheme, width } of looks) {
  test(`axe finds nothing: ${scheme}, ${width} px`, async () => {
    const { context, page } = await open(browser, { scheme, width });
    const found = {};
    for (const path of paths) {
      await page.goto(url + path);
      await page.waitForLoadState("networkidle").catch(() => {});
      await page.locator("h1").first().waitFor();
      await page.waitForTimeout(300);
      const here = await violations(page);
      if (here.length > 0) found[path] = here;
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (overflow > 0) found[`${path} (width)`] = [`${overflow} px beyond the window`];
    }
    await context.close();
    assert.deepEqual(found, {});
  });
}

test("the road to a new instance needs no mouse", async () => {
  const { context, page } = await open(browser);
  await page.goto(url);
  await page.locator("h1").waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("href")), "#content");
  await page.keyboard.press("Control+k");
  const search = page.getByPlaceholder("Search instances, runs, pages, actions");
  await search.waitFor();
  await search.fill("new inst");
  await page.locator("[data-action][data-selected]", { hasText: "New instance" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/instances\/new$/);
  await page.getByLabel("Name").fill("typed and kept");
  await page.goto(`${url}/runs`);
  await page.goto(`${url}/instances/new`);
  await page.waitForFunction(() => document.querySelector("form input")?.value === "typed and kept");
  await context.close();
});

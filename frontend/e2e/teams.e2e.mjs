// Teams: one is made with a quota whose meaning is shown, lowered below what runs, archived, restored, deleted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, launch, open, url } from "./browser.mjs";

const name = `Speech ${Date.now().toString(36)}`;

let browser;
let context;
let page;
let faults;
let team;
let instance;

before(async () => {
  browser = await launch();
  ({ context, page, faults } = await open(browser));
});

after(() => browser?.close());

const resource = (what) => page.locator(`[data-preview="there"] [data-resource="${what}"]`);

/** Asks again until the answer is right. */
async function until(what, get, right, limit = 90_000) {
  const end = Date.now() + limit;
  for (;;) {
    const got = await get();
    if (right(got)) return got;
    if (Date.now() > end) throw new Error(`${what}: still ${JSON.stringify(got)}`);
    await new Promise((done) => setTimeout(done, 300));
  }
}

test("makes a team, and says beforehand what its quota means", async () => {
  await page.goto(url);
  await page.getByRole("navigation").getByRole("link", { name: "Teams", exact: true }).click();
  await page.getByRole("link", { name: "New team" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Pods").fill("1.5");
  await page.getByRole("button", { name: "New team" }).click();
  await page.getByText("A whole number; 0 for none at all, empty for no limit.").waitFor();
  await page.getByText("Correct the amounts to see what they mean.").waitFor();
  await page.getByLabel("Pods").fill("10");
  await page.getByLabel("CPU", { exact: true }).first().fill("1000000");
  await resource("cpu").getByText("promised to all teams, the cluster has").waitFor();
  await page.getByLabel("CPU", { exact: true }).first().fill("2");
  await resource("cpu").locator("ins", { hasText: /^2$/ }).waitFor();
  await page.getByLabel("Memory", { exact: true }).first().fill("2 GiB");
  await page.getByLabel("Storage").fill("30 GiB");
  await page.getByText("One volume may have 30 GiB at most.").waitFor();
  await page.getByRole("button", { name: "New team" }).click();
  await page.waitForURL(/\/teams\/team-/);
  team = new URL(page.url()).pathname.split("/").at(-1);
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  const stands = `query($id: ID!) { team(id: $id) { reason { text } } }`;
  await until(
    "the namespace stands",
    () => ask(context, stands, { id: team }),
    (d) => d.team.reason === null,
  );
});

test("a lowered quota names who would not start again, and ends nothing", async () => {
  const { images } = await ask(context, "{ images(first: 50) { nodes { id reference } } }");
  const image = images.nodes.find((each) => each.reference.includes("mini")).id;
  const made = await ask(
    context,
    `mutation($team: ID!, $image: ID!) { createInstance(input: {teamId: $team, name: "holder", imageId: $image, start: true,
      resources: {cpu: "200m", memory: "128Mi"}}) { instance { id } } }`,
    { team, image },
  );
  instance = made.createInstance.instance.id;
  await page.reload();
  await page.getByLabel("CPU", { exact: true }).first().fill("0.1");
  await resource("cpu").getByText("0.1 more are used than would be allowed").waitFor();
  assert.equal(
    await resource("cpu").getByRole("link", { name: "holder" }).getAttribute("href"),
    `/instances/${instance}`,
  );
  await page.getByText("Nothing that runs is ended.", { exact: false }).last().waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(`${name} was saved.`).waitFor();
  await page.getByRole("region", { name: "Quota" }).getByText("0.2 of 0.1").first().waitFor();
  await page.goto(`${url}/teams?by=cpu`);
  const first = page.getByRole("list", { name: "Teams" }).getByRole("listitem").first();
  await first.getByText(name).waitFor();
  await first.getByText("0.2 of 0.1").waitFor();
  const { state } = (await ask(context, "query($id: ID!) { instance(id: $id) { state } }", { id: instance }))
    .instance;
  assert.ok(["PENDING", "STARTING", "RUNNING"].includes(state), state);
});

test("what was typed and not saved is there again", async () => {
  await page.goto(`${url}/teams/${team}`);
  await page.getByRole("textbox", { name: "Pods" }).fill("77");
  await page.getByRole("navigation").getByRole("link", { name: "Teams", exact: true }).first().click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.goto(`${url}/teams/${team}`);
  await page.getByText("These changes are not saved yet.").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Pods" }).inputValue(), "77");
  await page.getByRole("button", { name: "Discard" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Pods" }).inputValue(), "10");
});

test("archiving refuses while something runs, then stops it and keeps what there is", async () => {
  await page.goto(`${url}/teams/${team}`);
  await page.getByRole("button", { name: "Archive …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Archive", exact: true }).click();
  await dialog.getByText("1 still run or wait: holder.").waitFor();
  await dialog.getByLabel("Stop what still runs or waits").check();
  await dialog.getByRole("button", { name: "Archive", exact: true }).click();
  await page.getByText(`${name} is archived.`).waitFor();
  await page.getByText("Archived", { exact: true }).first().waitFor();
  const stopped = "query($id: ID!) { instance(id: $id) { state } }";
  await until(
    "it stops",
    () => ask(context, stopped, { id: instance }),
    (d) => d.instance.state === "STOPPED",
  );
  await assert.rejects(
    ask(context, "mutation($id: ID!) { startInstance(id: $id) { instance { id } } }", { id: instance }),
    /is archived/,
  );
  await page.goto(`${url}/teams`);
  await page.getByRole("list", { name: "Teams" }).waitFor();
  assert.equal(await page.getByText(name).count(), 0);
  await page.getByRole("button", { name: "With archived ones" }).click();
  await page.getByText(name).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByText(`${name} is open again.`).waitFor();
});

test("fits a phone, in Chinese", async () => {
  const phone = await open(browser, { language: "zh-CN", width: 375, height: 800, scheme: "dark" });
  for (const path of ["/teams", "/teams/new", `/teams/${team}`, "/team"]) {
    await phone.page.goto(`${url}${path}`);
    await phone.page.locator("h1").waitFor();
    await phone.page.waitForTimeout(500);
    const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${path} is ${wide} px too wide`);
  }
  assert.deepEqual(phone.faults, []);
  await phone.context.close();
});

test("is deleted by its name, once nothing is left", async () => {
  await ask(context, "mutation($id: ID!) { archiveTeam(id: $id) { team { id } } }", { id: team });
  await page.goto(`${url}/teams/${team}`);
  const remove = async () => {
    await page.getByRole("button", { name: "Delete …" }).click();
    const dialog = page.getByRole("dialog");
    const button = dialog.getByRole("button", { name: "Delete", exact: true });
    assert.ok(await button.isDisabled());
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
    await button.click();
    return dialog;
  };
  const dialog = await remove();
  await dialog.getByText(/things of the team are left: holder, home \(\d+ GiB\)\./).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await ask(context, "mutation($id: ID!) { deleteInstance(id: $id) { id } }", { id: instance });
  const things =
    "query($t: ID!) { instances(filter: {teamId: $t}) { nodes { id } } volumes(filter: {teamId: $t}) { nodes { id name } } }";
  const left = () => ask(context, things, { t: team });
  await until("the instance is gone", left, (d) => d.instances.nodes.length === 0);
  for (const volume of (await left()).volumes.nodes) {
    await ask(
      context,
      "mutation($id: ID!, $name: String!) { deleteVolume(id: $id, confirmName: $name) { id } }",
      volume,
    );
  }
  await until("the volumes are gone", left, (d) => d.volumes.nodes.length === 0);
  await remove();
  await page.getByText(`${name} is being deleted.`).waitFor();
  const there = "query($id: ID!) { team(id: $id) { state } }";
  await until(
    "the namespace is gone",
    () => ask(context, there, { id: team }),
    (d) => d.team === null,
  );
  const log = (await page.request.get(`${url}/api/audit?format=jsonl&action=team`)).text();
  const acts = (await log)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((entry) => entry.objectId === team);
  assert.deepEqual(
    acts.map((entry) => entry.action),
    ["team.delete", "team.archive", "team.restore", "team.archive", "team.update", "team.create"],
  );
  const update = acts.find((entry) => entry.action === "team.update");
  assert.equal(update.before.quota.cpuMilli, 2000);
  assert.equal(update.after.quota.cpuMilli, 100);
  assert.deepEqual(faults, []);
});

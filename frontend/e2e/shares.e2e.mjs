// A volume between two people of two teams: offered, accepted, read, written once that was granted, taken back; and what
// somebody gets who asks the API for more than the page offers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { ask, launch, open, openAs, shot, url } from "./browser.mjs";

const mark = Date.now().toString(36);
const data = `ocean-${mark}`;

let browser;
let admin;
/** Who owns the volume, and who is granted it: each a window with a person and a team. */
let ann;
let bo;
let volume;
let share;
let instance;

before(async () => {
  browser = await launch();
  admin = await open(browser);
  ann = await somebody("Ann", `Divers ${mark}`);
  bo = await somebody("Bo", `Climbers ${mark}`);
});

after(() => browser?.close());

/** A person in a team of their own, with a window in which they are signed in. */
async function somebody(name, team) {
  const email = `${name.toLowerCase()}.${mark}@example.com`;
  const { createTeam } = await ask(
    admin.context,
    "mutation($input: CreateTeamInput!) { createTeam(input: $input) { team { id } } }",
    { input: { name: team } },
  );
  const teamId = createTeam.team.id;
  const { createUser } = await ask(
    admin.context,
    "mutation($input: CreateUserInput!) { createUser(input: $input) { signInUrl user { id } } }",
    { input: { email, displayName: name } },
  );
  await ask(
    admin.context,
    "mutation($input: SetTeamMemberInput!) { setTeamMember(input: $input) { team { id } } }",
    { input: { teamId, userId: createUser.user.id, role: "MEMBER" } },
  );
  return { ...(await openAs(browser, createUser.signInUrl)), email, teamId, team };
}

/** Asks again until the answer is right. */
async function until(what, get, right, limit = 120_000) {
  const end = Date.now() + limit;
  for (;;) {
    const got = await get();
    if (right(got)) return got;
    if (Date.now() > end) throw new Error(`${what}: still ${JSON.stringify(got)}`);
    await new Promise((done) => setTimeout(done, 300));
  }
}

/** Sends with the person's own session what the page would not send. */
function forged(who, query, variables) {
  return who.page.evaluate(
    async (body) => {
      const answer = await fetch("/graphql", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      return answer.json();
    },
    { query, variables },
  );
}

/** The status and the words of a request for files with the person's own session. */
function filesOf(who, id, path, init = {}) {
  return who.page.evaluate(
    async ([address, how]) => {
      const answer = await fetch(address, how);
      return { status: answer.status, text: await answer.text() };
    },
    [`/files/v1/volumes/${id}${path}`, init],
  );
}

function refused(answer, code, words) {
  const [error] = answer.errors ?? [];
  assert.ok(error, `it was not refused: ${JSON.stringify(answer)}`);
  assert.equal(error.extensions.code, code, JSON.stringify(error));
  const said = [error.message, ...(error.extensions.fields ?? []).map((field) => field.message)].join(" ");
  assert.match(said, words);
}

const create = "mutation($input: CreateInstanceInput!) { createInstance(input: $input) { instance { id } } }";

/** What a made-up form of Bo's would ask for. */
async function mounting(volumeId, readOnly) {
  const { images } = await ask(bo.context, "{ images(first: 50) { nodes { id reference } } }");
  const image = images.nodes.find((each) => each.reference.includes("mini")).id;
  return {
    input: {
      teamId: bo.teamId,
      name: "forged",
      imageId: image,
      resources: { cpu: "100m", memory: "128Mi" },
      mounts: [{ volumeId, path: "/forged", readOnly }],
    },
  };
}

const runs = (starts) =>
  until(
    `start ${starts} runs`,
    async () =>
      (
        await ask(
          bo.context,
          "query($id: ID!) { instance(id: $id) { state starts restartToApply mounts { path } } }",
          { id: instance },
        )
      ).instance,
    (it) => it.state === "RUNNING" && it.starts === starts,
  );

/** Types a command in the terminal of Bo's instance, and waits for what it puts out. */
async function shell(command, ...out) {
  const { page } = bo;
  await page.goto(`${url}/instances/${instance}`);
  const button = page.getByRole("button", { name: "Open a terminal" });
  const screen = page.locator(".xterm-screen");
  await button.or(screen).first().waitFor();
  if (await button.isVisible()) await button.click();
  await screen.scrollIntoViewIfNeeded();
  const rows = page.locator(".xterm-rows");
  await rows.getByText(/[#$]/).first().waitFor({ timeout: 30_000 });
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type(`${command}\n`);
  for (const words of out) await rows.getByText(words).first().waitFor({ timeout: 30_000 });
}

const dialog = ({ page }) => page.getByRole("dialog");
const shares = () => ann.page.getByRole("region", { name: "Shared with" });
const given = () => shares().getByRole("listitem").filter({ hasText: bo.email });
const got = () => bo.page.getByRole("list", { name: "Shared with me" }).getByRole("listitem");

test("Ann makes a volume and writes a file into it", async () => {
  const { page } = ann;
  await page.goto(`${url}/volumes`);
  await page.getByRole("button", { name: "New volume" }).first().click();
  await dialog(ann).getByLabel("Name", { exact: true }).fill(data);
  await dialog(ann).getByLabel("Size", { exact: true }).fill("1 GiB");
  await dialog(ann).getByRole("button", { name: "New volume" }).click();
  await page.getByRole("link", { name: data, exact: true }).click();
  await page.waitForURL(/\/volumes\/vol-/);
  volume = new URL(page.url()).pathname.split("/").at(-1);
  const phase = "query($id: ID!) { volume(id: $id) { phase } }";
  await until(
    "the volume is there",
    () => ask(ann.context, phase, { id: volume }),
    (d) => d.volume.phase === "BOUND",
  );
  await page.goto(`${url}/volumes/${volume}/files`);
  await page.getByText("Nothing here yet. Drop files here").waitFor({ timeout: 120_000 });
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByRole("menuitem", { name: "New text file" }).click();
  await dialog(ann).getByLabel("Name").fill("depths.txt");
  await dialog(ann).getByRole("button", { name: "Make it" }).click();
  const preview = page.getByRole("region", { name: "depths.txt", exact: true });
  await preview.getByRole("button", { name: "Edit" }).click();
  await preview.getByLabel("Text of depths.txt").fill("Challenger Deep\n");
  await preview.getByRole("button", { name: "Save" }).click();
  await page.getByText("depths.txt was saved.").waitFor();
});

test("Bo sees nothing of it", async () => {
  const { page } = bo;
  await page.goto(`${url}/volumes/${volume}`);
  await page.getByText("There is no such volume, or you may not see it.").waitFor();
  refused(await forged(bo, create, await mounting(volume, true)), "INVALID_ARGUMENT", /no volume/i);
  assert.equal((await filesOf(bo, volume, "/list")).status, 404);
  const offer = "mutation($input: ShareVolumeInput!) { shareVolume(input: $input) { share { id } } }";
  const self = { volumeId: volume, granteeKind: "USER", grantee: bo.email, mode: "READ_WRITE" };
  refused(await forged(bo, offer, { input: self }), "NOT_FOUND", /volume/i);
});

test("Ann offers it read-only, and is told beforehand that it can be mounted elsewhere", async () => {
  const { page } = ann;
  await page.goto(`${url}/volumes/${volume}`);
  await shares().getByRole("button", { name: "Share …" }).click();
  await dialog(ann).getByLabel("E-mail address").fill(bo.email);
  await dialog(ann).getByLabel("Message").fill("Depths of the oceans");
  await dialog(ann).getByText("Its storage can be mounted from another team.").waitFor();
  assert.ok(await dialog(ann).getByRole("radio", { name: "read-only" }).isChecked());
  assert.deepEqual(await violations(page), []);
  await shot(page, "shares-1-offer");
  await dialog(ann).getByRole("button", { name: "Share …" }).click();
  await given().getByText("Waits to be accepted").waitFor();
  await shot(page, "shares-2-offered");
});

test("an offer to somebody else is not Bo's to accept", async () => {
  const offer = "mutation($input: ShareVolumeInput!) { shareVolume(input: $input) { share { id } } }";
  const other = { volumeId: volume, granteeKind: "USER", grantee: `cy.${mark}@example.com` };
  const { shareVolume } = await ask(ann.context, offer, { input: other });
  const foreign = shareVolume.share.id;
  const accept = "mutation($id: ID!, $team: ID) { acceptShare(id: $id, teamId: $team) { share { id } } }";
  refused(await forged(bo, accept, { id: foreign, team: bo.teamId }), "NOT_FOUND", /share/i);
  refused(await forged(bo, create, await mounting(foreign, true)), "INVALID_ARGUMENT", /no share/i);
  refused(await forged(ann, accept, { id: foreign, team: ann.teamId }), "FORBIDDEN", /alone can answer it/);
  await ask(ann.context, "mutation($id: ID!) { revokeShare(id: $id) { share { id } } }", { id: foreign });
});

test("Bo accepts it", async () => {
  const { page } = bo;
  await page.goto(`${url}/volumes`);
  await page.getByText("1 volume is offered to you.").waitFor();
  await page.getByRole("link", { name: "Look at it" }).click();
  await got().getByText("Depths of the oceans").waitFor();
  await shot(page, "shares-3-incoming");
  await got().getByRole("button", { name: "Accept" }).click();
  await dialog(bo).getByText(`Ann of the team ${ann.team} lets you read it.`).waitFor();
  await shot(page, "shares-4-accept");
  await dialog(bo).getByRole("button", { name: "Accept" }).click();
  await got().getByText("Shared", { exact: true }).waitFor();
  const incoming = "{ shares(direction: INCOMING) { nodes { id ready mode } } }";
  const { shares: all } = await until(
    "the share is ready",
    () => ask(bo.context, incoming),
    (d) => d.shares.nodes[0]?.ready,
  );
  share = all.nodes[0].id;
  assert.deepEqual(all.nodes, [{ id: share, ready: true, mode: "READ_ONLY" }]);
  await got().getByRole("link", { name: data }).waitFor({ timeout: 30_000 });
});

test("Bo cannot mount it to write, nor put a file into it", async () => {
  refused(
    await forged(bo, create, await mounting(share, false)),
    "INVALID_ARGUMENT",
    /was shared read-only; mount it read-only/,
  );
  const made = await filesOf(bo, share, "/content?path=evil.txt", {
    method: "PUT",
    body: "evil",
    headers: { "If-None-Match": "*", "Content-Type": "application/octet-stream" },
  });
  assert.equal(made.status, 403, made.text);
  const change = "mutation($input: ChangeShareInput!) { changeShare(input: $input) { share { id } } }";
  refused(await forged(bo, change, { input: { id: share, mode: "READ_WRITE" } }), "FORBIDDEN", /./);
});

test("Bo mounts it in an instance, reads what Ann wrote, and cannot write", async () => {
  const { page } = bo;
  await page.goto(`${url}/instances/new`);
  await page.getByLabel("Name").fill("summit");
  await page.locator('[data-path="imageId"]').click();
  await page.getByRole("option", { name: /mini/ }).click();
  await page.getByRole("button", { name: "0.5 CPU · 1 GiB" }).click();
  await page.getByText("Your home directory is always there").click();
  await page.getByRole("button", { name: "Add a volume" }).click();
  await page.getByRole("combobox", { name: "Volume", exact: true }).click();
  await page.getByRole("option", { name: new RegExp(data) }).click();
  await page.getByRole("textbox", { name: "Path in the container" }).fill("/shared");
  await page.locator('[data-fit="fits"]').waitFor();
  await shot(page, "shares-5-mount");
  await page.getByRole("button", { name: "Create and start" }).click();
  await page.waitForURL(/\/instances\/ins-/);
  instance = new URL(page.url()).pathname.split("/").at(-1);
  await runs(1);
  await shell(
    "cat /shared/depths.txt; echo mine > /shared/mine.txt",
    "Challenger Deep",
    /mine\.txt: Read-only file system/,
  );
  await shot(page, "shares-6-read-only");
});

test("Ann sees who mounts it, and lets Bo write", async () => {
  const { page } = ann;
  await page.goto(`${url}/volumes/${volume}`);
  await given().getByText("summit").waitFor();
  // In whose name it is used is told to the whole team; there is no page of theirs behind it.
  const used = page.getByRole("region", { name: "Used by" });
  await used.getByText(bo.email).waitFor();
  assert.equal(await used.getByRole("link").count(), 0);
  await given().getByRole("button", { name: "Change …" }).click();
  await dialog(ann).getByRole("radio", { name: "read-write" }).check();
  await shot(page, "shares-7-change");
  await dialog(ann).getByRole("button", { name: "Save" }).click();
  await given().getByText("read-write").first().waitFor();
});

test("what runs keeps its mode; after a restart Bo writes", async () => {
  const { page } = bo;
  await until(
    "the share is ready",
    () => ask(bo.context, "query($id: ID!) { share(id: $id) { ready mode } }", { id: share }),
    (d) => d.share.ready && d.share.mode === "READ_WRITE",
  );
  await shell("echo mine > /shared/still.txt", /still\.txt: Read-only file system/);
  await page.goto(`${url}/instances/${instance}/edit`);
  await page.getByRole("combobox", { name: "Access", exact: true }).click();
  await page.getByRole("option", { name: "read-write" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Edited since it was started. Restart to apply the changes.").waitFor();
  await page.getByRole("button", { name: "Restart now" }).click();
  await runs(2);
  await shell("echo by-$((40 + 2)) > /shared/mine.txt && cat /shared/mine.txt", "by-42");
  await shot(page, "shares-8-read-write");
  const seen = await filesOf(ann, volume, "/content?path=mine.txt");
  assert.equal(seen.text, "by-42\n");
});

test("Ann takes it back, and is told whom that stops short", async () => {
  const { page } = ann;
  await page.goto(`${url}/volumes/${volume}`);
  await given().getByRole("button", { name: "Take it back" }).click();
  await dialog(ann).getByText("These instances lose the mount: summit (Bo).").waitFor();
  await dialog(ann).getByText("The data stays where it is.").waitFor();
  assert.deepEqual(await violations(page), []);
  await shot(page, "shares-9-revoke");
  await dialog(ann).getByRole("button", { name: "Take it back" }).click();
  await given().waitFor({ state: "detached" });
});

test("Bo's instance starts again without it, and Bo has no way to it any more", async () => {
  const { page } = bo;
  const bare = await runs(3);
  assert.deepEqual(bare.mounts, []);
  await shell("ls /shared || echo gone-$((40 + 2))", "gone-42");
  await page.getByText("A share that it mounts has ended; the mount was taken out.").first().waitFor();
  await shot(page, "shares-10-ended");
  await page.goto(`${url}/volumes?show=shared`);
  await page.getByText("Nobody shares a volume with you or your teams.").waitFor();
  refused(await forged(bo, create, await mounting(share, true)), "INVALID_ARGUMENT", /no share/i);
  assert.equal((await filesOf(bo, share, "/list")).status, 404);
});

test("the data is where it was", async () => {
  const { page } = ann;
  await page.goto(`${url}/volumes/${volume}/files`);
  for (const name of ["depths.txt", "mine.txt"]) {
    await page.getByRole("list", { name: "Files and folders" }).getByText(name).first().waitFor();
  }
  await shot(page, "shares-11-data");
});

test("no error in the pages but the refusals", () => {
  const own = [...ann.faults, ...bo.faults].filter((fault) => !/status of (403|404)/.test(fault));
  assert.deepEqual(own, []);
});

// Writes docs/img/<name>.<language>.png of what there is: node e2e/screenshots.mjs [folder]
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ask, chooseImage, launch, open, url, waitForState } from "./browser.mjs";

const folder = process.argv[2]
  ? `${process.argv[2]}/`
  : fileURLToPath(new URL("../../docs/img/", import.meta.url));
mkdirSync(folder, { recursive: true });

const words = {
  en: { running: "Running", stopped: "Stopped", start: "Start", log: "Log of VS Code" },
  "zh-CN": { running: "运行中", stopped: "已停止", start: "启动", log: "VS Code 日志" },
};

const lines = ({ attempts }) => attempts.at(-1)?.log.lines ?? 0;

const browser = await launch();
for (const language of ["en", "zh-CN"]) {
  const { context, page } = await open(browser, { language });
  const shot = async (name) => {
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${folder}${name}.${language}.png` });
  };
  const { runs, instances, viewer } = await ask(
    context,
    `{ viewer { user { id } }
       runs(first: 20) { nodes { id state attempts { log { lines } } } }
       instances(first: 20) { nodes { id name state owner { id } } } }`,
  );

  await page.goto(`${url}/instances/new`);
  await page.locator('[data-fit="fits"]').waitFor();
  await shot("create-form");

  await page.goto(`${url}/team`);
  await page.locator("h1").waitFor();
  await shot("team");

  // A log that fills the page and can be looked at whole.
  const told = runs.nodes.find((run) => lines(run) > 40 && lines(run) < 5_000) ?? runs.nodes[0];
  if (told) {
    await page.goto(`${url}/runs/${told.id}`);
    await page.locator("[data-source]").first().waitFor();
    await shot("run-log");
  }

  // An own instance that is stopped is started; without one, one is made.
  const stopped = instances.nodes.find(
    ({ state, owner }) => state === "STOPPED" && owner.id === viewer.user.id,
  );
  if (stopped) {
    await page.goto(`${url}/instances/${stopped.id}`);
    await page.getByRole("button", { name: words[language].start, exact: true }).click();
  } else {
    await page.goto(`${url}/instances/new`);
    await chooseImage(page);
    await page.locator('[data-fit="fits"]').waitFor();
    await page.locator("form button[type=submit]").click();
    await page.waitForURL(/\/instances\/ins-/);
  }
  await page.locator('[aria-current="step"]').waitFor();
  await shot("instance-starting");
  await waitForState(page, words[language].running);
  await page
    .locator("header", { has: page.locator("h1") })
    .getByRole("button", { name: "VS Code" })
    .waitFor();
  await shot("instance-ready");
  const instance = page.url();

  await page.getByRole("button", { name: words[language].log }).first().click();
  await page.getByRole("region", { name: words[language].log }).getByText("HTTP server listening").waitFor();
  await shot("app-log");

  // VS Code with a file of a new home, in a window of the same size.
  const id = new URL(instance).pathname.split("/").at(-1);
  const { openInstanceApp } = await ask(
    context,
    'mutation($id: ID!) { openInstanceApp(id: $id, app: "code-server") { url } }',
    { id },
  );
  const code = await context.newPage();
  await code.goto(openInstanceApp.url);
  await code.locator(".explorer-folders-view .monaco-list-row", { hasText: "README.md" }).dblclick();
  await code.locator(".editor-instance .view-lines").getByText("Welcome to your instance").first().waitFor();
  await code.getByText("Activating Extensions").first().waitFor({ state: "detached", timeout: 120_000 });
  await code.waitForTimeout(1_000);
  await code.screenshot({ path: `${folder}vscode.${language}.png` });
  await code.close();

  await page.goto(url);
  await page.locator("h1").waitFor();
  await shot("overview");

  await page.goto(instance);
  await ask(context, "mutation($id: ID!) { stopInstance(id: $id) { instance { id } } }", { id });
  await waitForState(page, words[language].stopped);
  await context.close();
}
await browser.close();

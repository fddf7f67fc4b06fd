import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const styles = new Set(readdirSync("node_modules/@mantine/core/styles"));
const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".tsx"),
);

test("the styles of every component that is used are there", () => {
  const sheet = readFileSync("src/mantine.css", "utf8");
  const used = sources
    .flatMap((path) =>
      Array.from(readFileSync(`src/${path}`, "utf8").matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)),
    )
    .flatMap((match) => (match[1] ?? "").split(",").map((name) => `${name.trim()}.css`));
  const styled = [...new Set(used)].filter((file) => styles.has(file));
  expect(styled.length).toBeGreaterThan(10);
  expect(styled.filter((file) => !sheet.includes(`/styles/${file}"`))).toEqual([]);
});

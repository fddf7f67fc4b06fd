import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "vite";

const call = /graphql\(\s*`([^`]*)`,?\s*\)/g;
const spread = /\.\.\.\s*(?!on\b)([A-Za-z_]\w*)/g;

function minify(source: string): string {
  return source.replaceAll(/\s+/g, " ").trim();
}

/** Every fragment under a folder, by its name. */
function readFragments(folder: string): Map<string, string> {
  const fragments = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(entry) || entry.startsWith("gql")) continue;
    for (const match of readFileSync(path.join(folder, entry), "utf8").matchAll(call)) {
      const source = minify(match[1] ?? "");
      const name = /^fragment (\w+)/.exec(source)?.[1];
      if (name) fragments.set(name, source);
    }
  }
  return fragments;
}

/** An operation with the fragments that it reaches, each once. */
function complete(source: string, fragments: ReadonlyMap<string, string>): string {
  const parts = [source];
  const seen = new Set<string>();
  for (let i = 0; i < parts.length; i++) {
    for (const match of parts[i]?.matchAll(spread) ?? []) {
      const name = match[1] ?? "";
      if (seen.has(name)) continue;
      seen.add(name);
      const fragment = fragments.get(name);
      if (!fragment) throw new Error(`no fragment is called ${name}`);
      parts.push(fragment);
    }
  }
  return parts.join(" ");
}

/**
 * Puts each GraphQL document into the module that uses it.
 *
 * The code generator gives types for `graphql()`, and one module with the parsed
 * documents of all pages; that module would be part of the entry. So the call is
 * replaced by the document's text, which is smaller and comes with its route. A
 * fragment is only a type where it is read, so nothing of it is left there.
 */
export function documents(): Plugin {
  let source = "";
  let fragments = new Map<string, string>();
  return {
    name: "documents",
    enforce: "pre",
    configResolved(config) {
      source = path.join(config.root, "src");
      fragments = readFragments(source);
    },
    handleHotUpdate() {
      fragments = readFragments(source);
    },
    transform(code, id) {
      if (!id.startsWith(source) || id.includes("/gql/") || !code.includes("graphql(`")) return null;
      let found = false;
      const replaced = code.replaceAll(call, (_, text: string) => {
        const one = minify(text);
        if (one.startsWith("fragment ")) return "({})";
        found = true;
        return `__document(${JSON.stringify(complete(one, fragments))})`;
      });
      return {
        code: found ? `import { gql as __document } from "@urql/core";\n${replaced}` : replaced,
        map: null,
      };
    },
  };
}

/**
 * Paths of files. A name may hold any byte but `/` and NUL, so the server gives each
 * path percent-encoded, as a *ref*, and takes it back as it is. The root's is empty.
 */

const separator = /%2f/gi;

/** What a part of a ref says to people; bytes that are no UTF-8 become U+FFFD. */
export function decodeName(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    const bytes: number[] = [];
    for (let i = 0; i < part.length; i++) {
      const hex = /^%[0-9a-f]{2}/i.exec(part.slice(i, i + 3));
      if (hex) {
        bytes.push(Number.parseInt(hex[0].slice(1), 16));
        i += 2;
      } else {
        bytes.push(...new TextEncoder().encode(part.charAt(i)));
      }
    }
    return new TextDecoder().decode(new Uint8Array(bytes));
  }
}

/** The path of a new name in a folder. */
export function childRef(parent: string, name: string): string {
  const own = encodeURIComponent(name);
  return parent === "" ? own : `${parent}%2F${own}`;
}

/** A path of several new names, as a dropped folder has. */
export function deepRef(parent: string, names: readonly string[]): string {
  return names.reduce((ref, name) => childRef(ref, name), parent);
}

export interface Crumb {
  ref: string;
  name: string;
}

/** The folders on the way to a ref, itself the last; without the root. */
export function crumbsOf(ref: string): Crumb[] {
  if (ref === "") return [];
  const out: Crumb[] = [];
  let end = 0;
  const parts = ref.split(separator);
  for (const part of parts) {
    end += part.length;
    out.push({ ref: ref.slice(0, end), name: decodeName(part) });
    end += 3;
  }
  return out;
}

export function parentRef(ref: string): string {
  return crumbsOf(ref).at(-2)?.ref ?? "";
}

export function nameOf(ref: string): string {
  return crumbsOf(ref).at(-1)?.name ?? "";
}

/** True for a ref itself and for all below it. */
export function isWithin(ref: string, folder: string): boolean {
  return folder === "" || ref === folder || ref.toLowerCase().startsWith(`${folder.toLowerCase()}%2f`);
}

/** A path as people write it. */
export function shownPath(ref: string): string {
  return `/${crumbsOf(ref)
    .map((crumb) => crumb.name)
    .join("/")}`;
}

/** A parameter of a URL without being decoded: a ref is exact. */
export function rawParam(search: string, name: string): string {
  for (const pair of search.replace(/^\?/, "").split("&")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at) === name) return pair.slice(at + 1);
  }
  return "";
}

/** What the page's address says about files. */
export interface Place {
  /** The folder. */
  at: string;
  /** The file beside it. */
  open: string;
  /** Names that are looked for below the folder. */
  find: string;
  view: "list" | "usage";
}

export function readPlace(search: string): Place {
  return {
    at: rawParam(search, "at"),
    open: rawParam(search, "open"),
    find: decodeName(rawParam(search, "find").replaceAll("+", "%20")),
    view: rawParam(search, "view") === "usage" ? "usage" : "list",
  };
}

export function writePlace({ at = "", open = "", find = "", view = "list" }: Partial<Place>): string {
  const pairs = [
    at === "" ? "" : `at=${at}`,
    open === "" ? "" : `open=${open}`,
    find === "" ? "" : `find=${encodeURIComponent(find)}`,
    view === "usage" ? "view=usage" : "",
  ].filter((pair) => pair !== "");
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/**
 * Where to go after signing in: a path of this page, never an address of another origin. Browsers drop
 * tabs and line breaks, turn `\` into `/` and resolve dots, so what they would make of it is looked at.
 */
export function safeNext(next: string | null, origin: string = location.origin): string {
  if (!next?.startsWith("/")) return "/";
  try {
    const url = new URL(next, origin);
    const path = `${url.pathname}${url.search}${url.hash}`;
    return url.origin === origin && !path.startsWith("//") ? path : "/";
  } catch {
    return "/";
  }
}

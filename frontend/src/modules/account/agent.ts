const browsers: readonly [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chromium\/|HeadlessChrome\//, "Chromium"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
];

const systems: readonly [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux|X11/, "Linux"],
];

/** What people call the browser of a User-Agent header; its first word when it is none that we know. */
export function browserName(agent: string): string {
  const find = (list: readonly [RegExp, string][]): string | undefined =>
    list.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find(browsers) ?? agent.split(/[\s/]/, 1)[0] ?? "";
  const system = find(systems);
  return system ? `${browser} · ${system}` : browser;
}

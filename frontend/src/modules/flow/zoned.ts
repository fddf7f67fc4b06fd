/** What a clock of a zone shows at an instant, as if it were UTC. */
function wallOf(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(at);
  const get = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute"), get("second"));
}

/**
 * The instant at which a zone's clock shows `2026-03-01T02:00`; null for what is no time or zone. Of
 * two such instants the earlier counts; a time that a change of clocks leaves out moves to its end.
 */
export function instantOf(local: string, zone: string): string | null {
  const wall = Date.parse(local.length === 10 ? `${local}T00:00Z` : `${local}Z`);
  if (Number.isNaN(wall)) return null;
  try {
    const offset = (at: number): number => wallOf(at, zone) - Math.floor(at / 1000) * 1000;
    const day = 86_400_000;
    // A change of clocks lies between the offsets of the day before and of the day after.
    const before = wall - offset(wall - day);
    const after = wall - offset(wall + day);
    const found = [before, after].filter((at) => wallOf(at, zone) === wall);
    return new Date(found.length > 0 ? Math.min(...found) : before).toISOString();
  } catch {
    return null; // no such zone here
  }
}

/** What a clock of the zone shows, as a field of date and time takes it. */
export function localOf(at: Date, zone: string): string {
  try {
    return new Date(wallOf(at.getTime(), zone)).toISOString().slice(0, 16);
  } catch {
    return at.toISOString().slice(0, 16);
  }
}

/** The viewer's zone. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Zones to choose from: UTC and the viewer's own first. */
export function zones(): string[] {
  return [...new Set(["UTC", ownZone(), ...Intl.supportedValuesOf("timeZone")])];
}

/** `2026-03-01T02:00:00+08:00` as people read it, without what is zero and without the offset: the zone stands beside it. */
export function clockText(local: string): string {
  const [day = "", time = ""] = local.split("T");
  const clock = time.slice(0, 8).replace(/^(\d\d:\d\d):00$/, "$1");
  return `${day} ${clock}`.trim();
}

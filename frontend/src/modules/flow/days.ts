export interface DayOfFires {
  /** As the zone's calendar says it: `2026-03-01`. */
  date: string;
  /** The next fire of all is in it. */
  first: boolean;
  fires: { at: string; clock: string; note: string }[];
}

/** Fires by the days of their zone: `local` begins with the date, then comes the clock. */
export function byDay(fires: readonly { at: string; local: string; note: string }[]): DayOfFires[] {
  const days: DayOfFires[] = [];
  for (const fire of fires) {
    const match = /^(\d{4}-\d{2}-\d{2})[T ]?(.*)$/.exec(fire.local);
    const date = match?.[1] ?? fire.at.slice(0, 10);
    const clock = match?.[2] || fire.local;
    let day = days.at(-1);
    if (!day || day.date !== date) {
      day = { date, first: days.length === 0, fires: [] };
      days.push(day);
    }
    day.fires.push({ at: fire.at, clock, note: fire.note });
  }
  return days;
}

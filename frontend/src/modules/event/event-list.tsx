import { Button } from "@mantine/core";
import { useMemo, useReducer, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSubscription } from "urql";
import { StateIcon } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import type { Tone } from "~/components/tone";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { EventItemFragment, EventSeverity } from "~/gql/graphql";
import classes from "./event-list.module.css";

export const eventFragment = graphql(`
  fragment EventItem on Event {
    id
    at
    count
    severity
    source
    type
    message
    actor {
      id
      displayName
    }
  }
`);

const eventAdded = graphql(`
  subscription EventAdded($subjectId: ID!) {
    eventAdded(subjectId: $subjectId) {
      ...EventItem
    }
  }
`);

const tones: Record<EventSeverity, Tone> = { INFO: "waiting", WARNING: "attention", ERROR: "failed" };

const few = 12;

function keep(known: ReadonlyMap<string, EventItemFragment>, event: EventItemFragment) {
  return new Map(known).set(event.id, event);
}

interface EventListProps {
  subjectId: string;
  events: readonly FragmentType<typeof eventFragment>[];
}

/** What happened, newest first, growing as it happens. */
export function EventList({ subjectId, events }: EventListProps) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  const [added, add] = useReducer(keep, new Map<string, EventItemFragment>());
  useSubscription({ query: eventAdded, variables: { subjectId } }, (_, change) => {
    add(readFragment(eventFragment, change.eventAdded));
    return change;
  });
  const loaded = readFragment(eventFragment, events);
  const all = useMemo(() => {
    const byId = new Map(added);
    for (const event of loaded) {
      const newer = byId.get(event.id);
      if (!newer || newer.count < event.count) byId.set(event.id, event);
    }
    return [...byId.values()].toSorted((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id));
  }, [added, loaded]);

  if (all.length === 0) return <p className="soft">{t("event.none")}</p>;
  return (
    <>
      <ol className={classes.list}>
        {(whole ? all : all.slice(0, few)).map((event) => (
          <li key={event.id} className={classes.event}>
            <span className={classes.icon}>
              {event.severity === "INFO" ? (
                <span className={classes.dot} aria-hidden />
              ) : (
                <StateIcon tone={tones[event.severity]} size={16} />
              )}
            </span>
            <div className={classes.words}>
              <span>{event.message}</span>
              {event.count > 1 ? (
                <span className="soft"> {t("event.times", { count: event.count })}</span>
              ) : null}
              <div className={classes.under}>
                {event.actor ? event.actor.displayName : t(`event.source.${sourceWord(event.source)}`)}
                {event.source === "cluster" ? <span className="mono"> · {event.type}</span> : null}
              </div>
            </div>
            <span className={classes.time}>
              <RelativeTime at={event.at} />
            </span>
          </li>
        ))}
      </ol>
      {all.length > few && !whole ? (
        <Button variant="default" size="xs" mt="sm" onClick={() => setWhole(true)}>
          {t("event.all", { count: all.length })}
        </Button>
      ) : null}
    </>
  );
}

function sourceWord(source: string): "cluster" | "platform" | "user" {
  return source === "cluster" || source === "user" ? source : "platform";
}

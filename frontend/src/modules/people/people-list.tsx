import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { Initials } from "~/components/initials";
import { TeamPicture } from "~/components/pictures";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import type { Tone } from "~/components/tone";
import { graphql, readFragment } from "~/gql";
import type { PersonFilter, PersonLineFragment, PersonState, PlatformRole } from "~/gql/graphql";
import { usePages } from "~/lib/pages";
import { PersonMenu } from "~/modules/people/person-menu";
import { useSession } from "~/modules/session/session";
import classes from "./people-list.module.css";

export const personFragment = graphql(`
  fragment PersonLine on Person {
    state
    lastSeenAt
    waysIn
    sessions
    accessTokens
    user {
      id
      email
      displayName
      platformRole
    }
    memberships {
      role
      team {
        id
        name
      }
    }
  }
`);

const peopleQuery = graphql(`
  query People($first: Int, $after: String, $filter: PersonFilter) {
    people(first: $first, after: $after, filter: $filter) {
      nodes {
        ...PersonLine
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const tones: Record<PersonState, Tone> = {
  ACTIVE: "good",
  DISABLED: "stopped",
  DEPARTED: "stopped",
  ERASED: "stopped",
};

const states: readonly PersonState[] = ["ACTIVE", "DISABLED", "DEPARTED", "ERASED"];
const roles: readonly PlatformRole[] = ["ADMINISTRATOR", "AUDITOR", "USER"];

/** Reads the list's filter from the URL. */
export function peopleFilter(search: URLSearchParams): PersonFilter {
  const text = search.get("q") ?? "";
  const state = states.find((each) => each === search.get("state"));
  const platformRole = roles.find((each) => each === search.get("role"));
  return {
    ...(text === "" ? {} : { search: text }),
    ...(state ? { state } : {}),
    ...(platformRole ? { platformRole } : {}),
  };
}

/** Everybody on the platform. */
export function PeopleList({ revision }: { revision: number }) {
  const { t } = useTranslation();
  const [search] = useSearchParams();
  const filter = peopleFilter(search);
  const { data, fault, loading, reload, more } = usePages(peopleQuery, { filter });
  if (loading) return <SkeletonRows />;
  if (!data && fault) return <Failed fault={fault} retry={reload} />;
  const people = readFragment(personFragment, data?.people.nodes ?? []);
  if (people.length === 0) return <Empty picture={<TeamPicture />} text={t("people.none")} />;
  const { hasNextPage, endCursor } = data?.people.pageInfo ?? {};
  return (
    <>
      <ul className={classes.list} aria-label={t("people.title")} data-revision={revision}>
        {people.map((person) => (
          <PersonLine key={person.user.id} person={person} onChange={reload} />
        ))}
      </ul>
      {hasNextPage ? (
        <Button variant="default" mt="md" onClick={() => more(endCursor)}>
          {t("action.loadMore")}
        </Button>
      ) : null}
    </>
  );
}

function PersonLine({ person, onChange }: { person: PersonLineFragment; onChange: () => void }) {
  const { t } = useTranslation();
  const { user: me, administrator } = useSession();
  const { user } = person;
  return (
    <li className={classes.line}>
      <div className={classes.who}>
        <Initials name={user.displayName} />
        <div className={classes.words}>
          <div className={classes.name}>{user.displayName}</div>
          <div className={classes.under}>{person.state === "ERASED" ? user.id : user.email}</div>
        </div>
      </div>
      <div className={classes.cell}>
        <StateMark tone={tones[person.state]} label={t(`people.state.${person.state}`)} />
        <div className={classes.under}>{t(`people.role.${user.platformRole}`)}</div>
      </div>
      <div className={classes.cell}>
        {person.memberships.length === 0 ? (
          <span className="soft">{t("people.noTeam")}</span>
        ) : (
          person.memberships.map((membership) => (
            <div key={membership.team.id} className={classes.team}>
              {membership.team.name} <span className="soft">{t(`team.role.${membership.role}`)}</span>
            </div>
          ))
        )}
      </div>
      <div className={classes.cell}>
        <div>
          {person.lastSeenAt ? (
            <RelativeTime at={person.lastSeenAt} />
          ) : (
            <span className="soft">{t("people.neverSeen")}</span>
          )}
        </div>
        <div className={classes.under}>
          {person.waysIn.length === 0
            ? t("people.byLink")
            : person.waysIn.map((way) => t(`people.way.${way}`)).join(" · ")}
        </div>
      </div>
      <div className={classes.actions}>
        {administrator && person.state !== "ERASED" ? (
          <PersonMenu person={person} self={user.id === me.id} onChange={onChange} />
        ) : null}
      </div>
    </li>
  );
}

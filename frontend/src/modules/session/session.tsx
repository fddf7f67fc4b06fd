import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, useLocation, useSearchParams } from "react-router";
import { Empty, Failed, SkeletonBlock } from "~/components/blank";
import { TeamPicture } from "~/components/pictures";
import { graphql } from "~/gql";
import type { SessionQuery } from "~/gql/graphql";
import { signedOut } from "~/lib/client";
import { useLive } from "~/lib/live";
import { useStore } from "~/lib/store";

const sessionQuery = graphql(`
  query Session {
    viewer {
      user {
        id
        displayName
        email
        platformRole
      }
      memberships {
        role
        team {
          id
        }
      }
    }
    teams(first: 100) {
      nodes {
        id
        name
        namespace
        viewerRole
      }
    }
  }
`);

export type SessionUser = NonNullable<SessionQuery["viewer"]>["user"];
export type SessionTeam = SessionQuery["teams"]["nodes"][number];

export interface Session {
  user: SessionUser;
  teams: readonly SessionTeam[];
  /** The team that lists and forms are about. */
  team: SessionTeam;
  /** May make things in the team. */
  mayMake: boolean;
  administrator: boolean;
  chooseTeam: (id: string) => void;
}

const SessionContext = createContext<Session | null>(null);
const storageKey = "goblinlab-team";

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession outside SessionGate");
  return session;
}

function storedTeam(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/** The first team where the viewer can make something, else any. */
function firstChoice(teams: readonly SessionTeam[], memberOf: ReadonlySet<string>): SessionTeam | undefined {
  return teams.find((team) => memberOf.has(team.id) && team.viewerRole !== "VIEWER") ?? teams[0];
}

/** Lets in who is signed in, with the team that is looked at; sends everyone else to the sign-in. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const location = useLocation();
  const [search, setSearch] = useSearchParams();
  const out = useStore(signedOut);
  const { data, fault, loading, reload } = useLive({ query: sessionQuery, variables: {} });
  const [chosen, setChosen] = useState(storedTeam);

  // `?team=` makes a link mean the same for everyone. It wins while it is there; choosing takes it away.
  const linked = search.get("team");
  const wanted = linked ?? chosen;

  const chooseTeam = useCallback(
    (id: string) => {
      setChosen(id);
      remember(id);
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          next.delete("team");
          return next;
        },
        { replace: true },
      );
    },
    [setSearch],
  );

  const session = useMemo((): Session | null => {
    if (!data?.viewer) return null;
    const { viewer, teams } = data;
    const memberOf = new Set(viewer.memberships.map((membership) => membership.team.id));
    const team = teams.nodes.find((each) => each.id === wanted) ?? firstChoice(teams.nodes, memberOf);
    if (!team) return null;
    const administrator = viewer.user.platformRole === "ADMINISTRATOR";
    return {
      user: viewer.user,
      teams: teams.nodes,
      team,
      mayMake:
        administrator ||
        (team.viewerRole !== null && team.viewerRole !== undefined && team.viewerRole !== "VIEWER"),
      administrator,
      chooseTeam,
    };
  }, [data, wanted, chooseTeam]);

  if (out || data?.viewer === null || fault?.code === "UNAUTHENTICATED") {
    const next = `${location.pathname}${location.search}${location.hash}`;
    return <Navigate to={next === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`} replace />;
  }
  if (loading) return <SkeletonBlock height={480} />;
  if (!data && fault) return <Failed fault={fault} retry={reload} />;
  if (!session) return <Empty picture={<TeamPicture />} text={t("session.noTeam")} />;
  return <SessionContext value={session}>{children}</SessionContext>;
}

function remember(id: string): void {
  try {
    localStorage.setItem(storageKey, id);
  } catch {
    // The choice holds until the page closes.
  }
}

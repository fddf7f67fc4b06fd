import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { useAction } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";
import { browserName } from "~/modules/account/agent";
import classes from "./lines.module.css";

export const sessionFragment = graphql(`
  fragment SessionLine on Session {
    id
    createdAt
    usedAt
    address
    agent
    current
  }
`);

const endMutation = graphql(`
  mutation EndSession($id: ID!) {
    endSession(id: $id) {
      id
    }
  }
`);

interface SessionsProps {
  sessions: readonly FragmentType<typeof sessionFragment>[];
  onChange: () => void;
}

/** The browsers in which one is signed in. */
export function Sessions({ sessions, onChange }: SessionsProps) {
  const { t } = useTranslation();
  const [end, ending] = useAction(endMutation);
  const submit = async (id: string): Promise<void> => {
    const { fault } = await end({ id });
    if (fault) notifyFault(fault, t);
    else notifyDone(t("account.ended"));
    onChange();
  };
  return (
    <ul className={classes.lines} aria-label={t("account.sessions")}>
      {readFragment(sessionFragment, sessions).map((session) => (
        <li key={session.id} className={classes.line}>
          <div className={classes.body}>
            <div className={classes.name} title={session.agent}>
              {browserName(session.agent) || t("account.unknownBrowser")}
            </div>
            <div className={classes.under}>
              {session.address} · {t("account.used")} <RelativeTime at={session.usedAt} />
            </div>
          </div>
          {session.current ? (
            <span className="soft">{t("account.here")}</span>
          ) : (
            <Button variant="default" size="xs" disabled={ending} onClick={() => void submit(session.id)}>
              {t("account.end")}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

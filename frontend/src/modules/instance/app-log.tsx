import { Drawer } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Failed } from "~/components/blank";
import { graphql } from "~/gql";
import { formatClock, formatExact } from "~/lib/format";
import { useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { appTitle } from "~/modules/instance/apps";
import { paint } from "~/modules/log/paint";
import classes from "./app-log.module.css";

const appLogQuery = graphql(`
  query InstanceAppLog($id: ID!, $app: String!) {
    instanceAppLog(id: $id, app: $app) {
      lines {
        at
        text
      }
    }
  }
`);

const refreshMs = 3_000;

interface AppLogProps {
  id: string;
  app: string;
  onClose: () => void;
}

/** What an app inside of an instance wrote last, at the side of the page, kept up to date while it is open. */
export default function AppLog({ id, app, onClose }: AppLogProps) {
  const { t, i18n } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: appLogQuery, variables: { id, app } });
  usePoll(reload, refreshMs);
  const lines = data?.instanceAppLog.lines;

  // The newest line stays in sight, unless somebody scrolled away from it.
  const box = useRef<HTMLDivElement>(null);
  const follow = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element && follow.current) element.scrollTop = element.scrollHeight;
  }, [lines]);

  return (
    // Not className of the content: Mantine gives that to what positions it too.
    <Drawer.Root opened onClose={onClose} position="right" size="xl" classNames={{ content: classes.drawer }}>
      <Drawer.Overlay />
      <Drawer.Content>
        <div className={classes.head}>
          <Drawer.Title className={classes.title}>{t("connect.logOf", { app: appTitle(app) })}</Drawer.Title>
          <Drawer.CloseButton aria-label={t("action.close")} />
        </div>
        <p className={classes.hint}>{t("connect.logHint")}</p>
        {fault && !lines ? <Failed fault={fault} retry={reload} /> : null}
        {lines || loading ? (
          <div
            ref={box}
            className={classes.lines}
            role="region"
            aria-label={t("connect.logOf", { app: appTitle(app) })}
            aria-busy={loading}
            // What scrolls must be reachable by keyboard.
            tabIndex={0}
            onScroll={(event) => {
              const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
              follow.current = scrollHeight - scrollTop - clientHeight < 24;
            }}
          >
            {lines?.length === 0 ? <p className={classes.none}>{t("connect.logEmpty")}</p> : null}
            {lines?.map(({ at, text }, i) => (
              // Lines have no identity of their own, and are replaced as a whole.
              <div key={i} className={classes.line}>
                {at ? (
                  <time
                    className={classes.time}
                    dateTime={at}
                    title={formatExact(new Date(at), i18n.language)}
                  >
                    {formatClock(new Date(at), false)}
                  </time>
                ) : null}
                <span className={classes.text}>{paint(text, "")}</span>
              </div>
            ))}
          </div>
        ) : null}
      </Drawer.Content>
    </Drawer.Root>
  );
}

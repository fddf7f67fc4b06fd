import { Button, Group, Stack } from "@mantine/core";
import { IconExternalLink, IconFileText } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Snippet } from "~/components/copy";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import type { Tone } from "~/components/tone";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { InstanceActions } from "~/modules/instance/actions";
import { appTitle } from "~/modules/instance/apps";
import { InstanceSecret } from "~/modules/instance/instance-secret";
import { ReasonNotice } from "~/modules/reason/reason";
import classes from "./instance-connect.module.css";

const AppLog = lazy(() => import("~/modules/instance/app-log"));

export const instanceConnectFragment = graphql(`
  fragment InstanceConnect on Instance {
    id
    state
    starts
    apps {
      name
      port
      state
      reason {
        ...ReasonText
      }
    }
    ssh {
      command
      config
      hostKeyFingerprint
    }
    can {
      connect
    }
  }
`);

const appTones: Record<string, Tone> = {
  ready: "good",
  starting: "working",
  crashed: "failed",
  idle: "waiting",
  absent: "waiting",
};

function appStateWord(state: string): "ready" | "starting" | "crashed" | "idle" | "absent" {
  return state === "ready" || state === "starting" || state === "crashed" || state === "idle"
    ? state
    : "absent";
}

/** An idle app starts when it is opened. */
const openable = new Set(["ready", "idle"]);

interface InstanceConnectProps {
  instance: FragmentType<typeof instanceConnectFragment>;
  actions: InstanceActions;
}

/** How to get in: apps in the browser, SSH, and the secret of this start. */
export function InstanceConnect({ instance, actions }: InstanceConnectProps) {
  const { t } = useTranslation();
  const it = readFragment(instanceConnectFragment, instance);
  const [log, setLog] = useState<string | null>(null);
  // The terminal has a place of its own below, SSH its card.
  const apps = it.apps.filter((app) => app.name !== "terminal" && app.name !== "sshd");
  const sshd = it.apps.find((app) => app.name === "sshd" && app.state !== "absent");
  const on = it.state === "RUNNING" || it.state === "UNHEALTHY" || it.state === "STARTING";
  const up = on && (apps.length > 0 || Boolean(it.ssh));
  return (
    <Panel title={t("connect.title")}>
      {up ? (
        <Stack gap="lg">
          {apps.length > 0 ? (
            <ul className={classes.apps}>
              {apps.map((app) => (
                <li key={app.name} className={classes.app}>
                  <span className={classes.appName}>{appTitle(app.name)}</span>
                  <StateMark
                    tone={appTones[app.state] ?? "waiting"}
                    label={t(`connect.app.${appStateWord(app.state)}`)}
                  />
                  {app.state === "absent" ? null : (
                    <Group ml="auto" gap="xs">
                      {it.can.connect ? <LogButton app={app.name} show={setLog} /> : null}
                      <Button
                        variant="default"
                        leftSection={<IconExternalLink size={16} aria-hidden />}
                        disabled={!openable.has(app.state) || !it.can.connect}
                        onClick={() => void actions.open(app.name)}
                      >
                        {t("connect.open", { app: appTitle(app.name) })}
                      </Button>
                    </Group>
                  )}
                  {app.reason ? (
                    <div className={classes.trouble}>
                      <ReasonNotice reason={app.reason} tone="attention" />
                    </div>
                  ) : null}
                </li>
              ))}
            </ul>
          ) : null}
          {it.ssh ? (
            <div className={classes.ssh}>
              <Group justify="space-between">
                <h3>SSH</h3>
                {sshd && it.can.connect ? <LogButton app={sshd.name} show={setLog} /> : null}
              </Group>
              {sshd?.reason ? <ReasonNotice reason={sshd.reason} tone="attention" /> : null}
              <Snippet text={it.ssh.command} what={t("connect.sshCommand")} />
              <p className={classes.hint}>{t("connect.sshConfigHint")}</p>
              <Snippet text={it.ssh.config} what={t("connect.sshConfig")} />
              <p className={classes.hint}>
                {t("connect.fingerprint")} <span className="mono">{it.ssh.hostKeyFingerprint}</span>
              </p>
            </div>
          ) : null}
          {it.can.connect ? (
            <Group>
              <InstanceSecret key={it.starts} id={it.id} />
            </Group>
          ) : null}
        </Stack>
      ) : (
        <p className="soft">{on || it.state === "PENDING" ? t("connect.soon") : t("connect.down")}</p>
      )}
      {log !== null ? (
        <Suspense>
          <AppLog id={it.id} app={log} onClose={() => setLog(null)} />
        </Suspense>
      ) : null}
    </Panel>
  );
}

function LogButton({ app, show }: { app: string; show: (app: string) => void }) {
  const { t } = useTranslation();
  return (
    <Button
      variant="subtle"
      leftSection={<IconFileText size={16} aria-hidden />}
      aria-label={t("connect.logOf", { app: appTitle(app) })}
      onClick={() => show(app)}
    >
      {t("connect.log")}
    </Button>
  );
}

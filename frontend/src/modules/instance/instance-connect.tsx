import { Button, Group, Stack } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Snippet } from "~/components/copy";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import type { Tone } from "~/components/tone";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { InstanceActions } from "~/modules/instance/actions";
import { InstanceSecret } from "~/modules/instance/instance-secret";
import classes from "./instance-connect.module.css";

export const instanceConnectFragment = graphql(`
  fragment InstanceConnect on Instance {
    id
    state
    starts
    apps {
      name
      port
      state
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
  absent: "waiting",
};

function appStateWord(state: string): "ready" | "starting" | "crashed" | "absent" {
  return state === "ready" || state === "starting" || state === "crashed" ? state : "absent";
}

/** Names of the apps that have an address of their own. */
const titles: Record<string, string> = {
  jupyterlab: "JupyterLab",
  "code-server": "VS Code",
  tensorboard: "TensorBoard",
};

interface InstanceConnectProps {
  instance: FragmentType<typeof instanceConnectFragment>;
  actions: InstanceActions;
}

/** How to get in: apps in the browser, SSH, and the secret of this start. */
export function InstanceConnect({ instance, actions }: InstanceConnectProps) {
  const { t } = useTranslation();
  const it = readFragment(instanceConnectFragment, instance);
  // The terminal has a place of its own below, SSH its card.
  const apps = it.apps.filter((app) => app.name !== "terminal" && app.name !== "sshd");
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
                  <span className={classes.appName}>{titles[app.name] ?? app.name}</span>
                  <StateMark
                    tone={appTones[app.state] ?? "waiting"}
                    label={t(`connect.app.${appStateWord(app.state)}`)}
                  />
                  <Button
                    ml="auto"
                    variant="default"
                    leftSection={<IconExternalLink size={16} aria-hidden />}
                    disabled={app.state !== "ready" || !it.can.connect}
                    onClick={() => void actions.open(app.name)}
                  >
                    {t("connect.open", { app: titles[app.name] ?? app.name })}
                  </Button>
                </li>
              ))}
            </ul>
          ) : null}
          {it.ssh ? (
            <div className={classes.ssh}>
              <h3>SSH</h3>
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
    </Panel>
  );
}

import { Button, Group } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Snippet } from "~/components/copy";
import { graphql } from "~/gql";
import type { RevealInstanceSecretMutation } from "~/gql/graphql";
import { useAction } from "~/lib/live";
import { notifyFault } from "~/lib/notify";
import classes from "./instance-connect.module.css";

const revealMutation = graphql(`
  mutation RevealInstanceSecret($id: ID!) {
    revealInstanceSecret(id: $id) {
      password
      rootPassword
    }
  }
`);

const shownForMs = 60_000;

/** The secret of this start: shown when asked for, hidden again by itself, never kept. */
export function InstanceSecret({ id }: { id: string }) {
  const { t } = useTranslation();
  const [reveal, revealing] = useAction(revealMutation);
  const [secret, setSecret] = useState<RevealInstanceSecretMutation["revealInstanceSecret"] | null>(null);

  useEffect(() => {
    if (!secret) return undefined;
    const timer = setTimeout(() => setSecret(null), shownForMs);
    return () => clearTimeout(timer);
  }, [secret]);

  const show = async (): Promise<void> => {
    const { data, fault } = await reveal({ id });
    if (fault) notifyFault(fault, t);
    else setSecret(data.revealInstanceSecret);
  };

  if (!secret) {
    return (
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconEye size={16} aria-hidden />}
          loading={revealing}
          onClick={() => void show()}
        >
          {t("secret.reveal")}
        </Button>
        <span className={classes.hint}>{t("secret.audited")}</span>
      </Group>
    );
  }
  return (
    <div className={classes.secret}>
      <div className={classes.secretRow}>
        <span>{t("secret.password")}</span>
        <Snippet text={secret.password} what={t("secret.password")} />
      </div>
      <div className={classes.secretRow}>
        <span>{t("secret.rootPassword")}</span>
        <Snippet text={secret.rootPassword} what={t("secret.rootPassword")} />
      </div>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconEyeOff size={16} aria-hidden />}
          onClick={() => setSecret(null)}
        >
          {t("secret.hide")}
        </Button>
        <span className={classes.hint}>{t("secret.hidesItself")}</span>
      </Group>
    </div>
  );
}

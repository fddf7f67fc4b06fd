import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useRouteError } from "react-router";
import { StateIcon } from "~/components/state-mark";
import classes from "~/modules/session/entry-card.module.css";

/** The page itself failed: a bug, or a newer version replaced the files that a tab still asks for. */
export function Broken() {
  const { t } = useTranslation();
  const error = useRouteError();
  return (
    <main className={classes.page}>
      <div className={classes.card} role="alert">
        <StateIcon tone="failed" size={28} />
        <h1 className={classes.title}>{t("broken.title")}</h1>
        <p className="soft">{t("broken.text")}</p>
        {error instanceof Error ? <code className="soft">{error.message}</code> : null}
        <Button onClick={() => location.reload()}>{t("broken.reload")}</Button>
      </div>
    </main>
  );
}

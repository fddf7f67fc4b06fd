import { Button, Group, Stack } from "@mantine/core";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker, useLocation } from "react-router";
import { Dialog } from "~/components/dialog";

/** Asks before the page is left with a secret that was typed: it is kept nowhere. */
export function LeaveWarning({ name }: { name: string }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  // Whoever left and is back at once meets this page while it is still going: it asks for its own path only.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname === pathname && nextLocation.pathname !== pathname,
  );
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    globalThis.addEventListener("beforeunload", ask);
    return () => globalThis.removeEventListener("beforeunload", ask);
  }, []);
  if (blocker.state !== "blocked") return null;
  return (
    <Dialog opened onClose={() => blocker.reset()} title={t("settings.leave.title")}>
      <Stack gap="md">
        <p>{t("settings.leave.text", { name })}</p>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => blocker.proceed()}>
            {t("settings.leave.go")}
          </Button>
          <Button data-autofocus onClick={() => blocker.reset()}>
            {t("settings.leave.stay")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

import { ActionIcon, AppShell, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMenu2, IconSearch, IconX } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, Outlet, useLocation } from "react-router";
import { SkeletonBlock } from "~/components/blank";
import { Logo } from "~/components/logo";
import { useConnection } from "~/lib/connection";
import { LanguageMenu, SchemeMenu } from "~/modules/frame/preferences";
import { acrossTeams, places } from "~/modules/frame/navigation";
import { TeamMenu, UserMenu } from "~/modules/frame/menus";
import { SessionGate, useSession } from "~/modules/session/session";
import classes from "./frame.module.css";

const Palette = lazy(() => import("~/modules/frame/palette"));

/** Everything around a page: navigation, top bar, palette. */
export function Frame() {
  return (
    <SessionGate>
      <Shell />
    </SessionGate>
  );
}

function Shell() {
  const { t } = useTranslation();
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const [palette, setPalette] = useState(false);
  const { teams, user } = useSession();

  useEffect(() => {
    close();
  }, [pathname, close]);

  // The palette's code is fetched when it is first asked for.
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setPalette(true);
      }
    };
    globalThis.addEventListener("keydown", onKey);
    return () => globalThis.removeEventListener("keydown", onKey);
  }, []);

  return (
    <>
      <a className="skip-link" href="#content">
        {t("frame.skip")}
      </a>
      <AppShell
        header={{ height: 52 }}
        navbar={{ width: 208, breakpoint: "sm", collapsed: { mobile: !opened } }}
      >
        <AppShell.Header className={classes.header}>
          <ActionIcon
            size={32}
            hiddenFrom="sm"
            aria-label={t("frame.menu")}
            aria-expanded={opened}
            onClick={toggle}
          >
            {opened ? <IconX size={18} /> : <IconMenu2 size={18} />}
          </ActionIcon>
          <Link to="/" className={classes.brand} aria-label={t("frame.home")}>
            <Logo />
            <span className={classes.word}>GoblinLab</span>
          </Link>
          <TeamMenu />
          <div className={classes.space} />
          <UnstyledButton className={classes.search} onClick={() => setPalette(true)}>
            <IconSearch size={16} aria-hidden />
            <span className={classes.searchWord}>{t("palette.short")}</span>
            <kbd className={classes.searchKey}>Ctrl K</kbd>
          </UnstyledButton>
          <LanguageMenu />
          <SchemeMenu />
          <UserMenu />
        </AppShell.Header>
        <AppShell.Navbar className={classes.navbar} aria-label={t("frame.navigation")}>
          {[...places, ...(teams.length > 1 || user.platformRole !== "USER" ? acrossTeams : [])].map(
            (place) => {
              const here = pathname === place.to || (place.to !== "/" && pathname.startsWith(`${place.to}/`));
              return (
                <Link
                  key={place.to}
                  to={place.to}
                  className={classes.place}
                  data-here={here || undefined}
                  aria-current={here ? "page" : undefined}
                >
                  <place.icon size={18} stroke={1.6} aria-hidden />
                  {t(place.label)}
                </Link>
              );
            },
          )}
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
          <Suspense fallback={<SkeletonBlock height={480} />}>
            <Outlet />
          </Suspense>
        </AppShell.Main>
      </AppShell>
      <Reconnecting />
      {palette ? (
        <Suspense fallback={null}>
          <Palette opened={palette} close={() => setPalette(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

/** A small note while the live connection is away for longer than a blink. */
function Reconnecting() {
  const { t } = useTranslation();
  const { reconnecting } = useConnection();
  return (
    <output className={classes.reconnecting}>
      {reconnecting ? (
        <span className={classes.note}>
          <span className={classes.pulse} aria-hidden />
          {t("frame.reconnecting")}
        </span>
      ) : null}
    </output>
  );
}

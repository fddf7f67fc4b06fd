import "@mantine/spotlight/styles.css";
import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import {
  IconDatabasePlus,
  IconLanguage,
  IconMoon,
  IconPlayerPlay,
  IconPlus,
  IconSearch,
  IconSitemap,
  IconSun,
  type Icon,
} from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { StateIcon } from "~/components/state-mark";
import { graphql } from "~/gql";
import { currentLanguage } from "~/lib/language";
import { useLive } from "~/lib/live";
import { switchLanguage } from "~/modules/frame/preferences";
import { places } from "~/modules/frame/navigation";
import { instanceTones } from "~/modules/instance/state";
import { runTones } from "~/modules/run/state";
import { useSession } from "~/modules/session/session";

const paletteQuery = graphql(`
  query Palette($teamId: ID!, $search: String!) {
    instances(first: 6, filter: { teamId: $teamId, search: $search }) {
      nodes {
        id
        name
        state
      }
    }
    runs(first: 6, filter: { teamId: $teamId, search: $search }) {
      nodes {
        id
        name
        state
      }
    }
  }
`);

const [store, spotlight] = createSpotlight();

/** Spotlight marks the chosen result in the document and counts from there; it chooses none by itself. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  if (!list) return;
  for (const each of list.querySelectorAll("[data-selected]")) each.removeAttribute("data-selected");
  list.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}

interface Item {
  id: string;
  label: string;
  icon: Icon;
  run: () => void;
}

/** Everything by typing: pages, instances, runs, actions. */
export default function Palette({ opened, close }: { opened: boolean; close: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { team, mayMake } = useSession();
  const { setColorScheme, colorScheme } = useMantineColorScheme();
  const [query, setQuery] = useState("");
  const [search] = useDebouncedValue(query.trim(), 150);
  const { data } = useLive({ query: paletteQuery, variables: { teamId: team.id, search }, pause: !opened });

  useEffect(() => {
    if (opened) spotlight.open();
    return () => spotlight.close();
  }, [opened]);

  const items = useMemo((): { pages: Item[]; actions: Item[] } => {
    const go = (to: string) => () => void navigate(to);
    const other = currentLanguage() === "en" ? "zh-CN" : "en";
    return {
      actions: [
        ...(mayMake
          ? [
              { id: "new-instance", label: t("instance.create"), icon: IconPlus, run: go("/instances/new") },
              { id: "run-now", label: t("run.create"), icon: IconPlayerPlay, run: go("/runs/new") },
              { id: "new-flow", label: t("flow.create"), icon: IconSitemap, run: go("/flows/new") },
              {
                id: "new-volume",
                label: t("volume.create"),
                icon: IconDatabasePlus,
                run: go("/volumes?new"),
              },
            ]
          : []),
        {
          id: "scheme",
          label: colorScheme === "dark" ? t("palette.light") : t("palette.dark"),
          icon: colorScheme === "dark" ? IconSun : IconMoon,
          run: () => setColorScheme(colorScheme === "dark" ? "light" : "dark"),
        },
        {
          id: "language",
          label: other === "en" ? "English" : "中文",
          icon: IconLanguage,
          run: () => void switchLanguage(other),
        },
      ],
      pages: places.map((place) => ({
        id: place.to,
        label: t(place.label),
        icon: place.icon,
        run: go(place.to),
      })),
    };
  }, [t, navigate, mayMake, colorScheme, setColorScheme]);

  const wanted = query.trim().toLowerCase();
  const matching = (all: Item[]): Item[] => all.filter((item) => item.label.toLowerCase().includes(wanted));
  const actions = matching(items.actions);
  const pages = matching(items.pages);
  const instances = data?.instances.nodes ?? [];
  const runs = data?.runs.nodes ?? [];

  // The first result is chosen, so that Enter takes it.
  useEffect(() => {
    const frame = requestAnimationFrame(selectFirst);
    return () => cancelAnimationFrame(frame);
  }, [query, data, opened]);

  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={close}
      shortcut={null}
      scrollable
      maxHeight={420}
      transitionProps={{ duration: 100 }}
    >
      <Spotlight.Search
        placeholder={t("palette.placeholder")}
        aria-label={t("palette.placeholder")}
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {instances.length > 0 ? (
          <Spotlight.ActionsGroup label={t("frame.instances")}>
            {instances.map((instance) => (
              <Spotlight.Action
                key={instance.id}
                label={instance.name}
                description={t(`instance.state.${instance.state}`)}
                leftSection={<StateIcon tone={instanceTones[instance.state]} size={18} />}
                onClick={() => void navigate(`/instances/${instance.id}`)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ) : null}
        {runs.length > 0 ? (
          <Spotlight.ActionsGroup label={t("frame.runs")}>
            {runs.map((run) => (
              <Spotlight.Action
                key={run.id}
                label={run.name}
                description={t(`run.state.${run.state}`)}
                leftSection={<StateIcon tone={runTones[run.state]} size={18} />}
                onClick={() => void navigate(`/runs/${run.id}`)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ) : null}
        <Group label={t("palette.actions")} items={actions} />
        <Group label={t("palette.pages")} items={pages} />
        {instances.length + runs.length + actions.length + pages.length === 0 ? (
          <Spotlight.Empty>{t("palette.nothing")}</Spotlight.Empty>
        ) : null}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function Group({ label, items }: { label: string; items: readonly Item[] }) {
  if (items.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={label}>
      {items.map((item) => (
        <Spotlight.Action
          key={item.id}
          label={item.label}
          leftSection={<item.icon size={18} stroke={1.6} aria-hidden />}
          onClick={item.run}
        />
      ))}
    </Spotlight.ActionsGroup>
  );
}

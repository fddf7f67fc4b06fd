import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconPlus, IconTerminal2, IconX } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Panel } from "~/components/panel";
import { SkeletonBlock } from "~/components/blank";
import { newTab, readTabs, writeTabs, type TerminalTab } from "~/modules/terminal/tabs";
import classes from "./terminal-panel.module.css";

const TerminalView = lazy(() => import("~/modules/terminal/terminal-view"));

const mostTabs = 8;

/** Shells of an instance in the page; which ones are open survives a reload. */
export default function TerminalPanel({ instanceId }: { instanceId: string }) {
  const { t } = useTranslation();
  const [tabs, setTabs] = useState(() => readTabs(instanceId));
  const [active, setActive] = useState(tabs[0]?.id);

  const change = (next: TerminalTab[], focus: TerminalTab | undefined): void => {
    setTabs(next);
    writeTabs(instanceId, next);
    setActive(focus?.id);
  };
  const add = (): void => {
    const tab = newTab(tabs);
    change([...tabs, tab], tab);
  };
  const close = (tab: TerminalTab): void => {
    const next = tabs.filter((each) => each.id !== tab.id);
    change(next, next.find((each) => each.id === active) ?? next.at(-1));
  };

  if (tabs.length === 0) {
    return (
      <Panel title={t("terminal.title")}>
        <Button variant="default" leftSection={<IconTerminal2 size={16} aria-hidden />} onClick={add}>
          {t("terminal.open")}
        </Button>
      </Panel>
    );
  }
  return (
    <Panel
      title={t("terminal.title")}
      flush
      aside={
        <div className={classes.tabs}>
          {tabs.map((tab) => (
            <span key={tab.id} className={classes.tab} data-active={tab.id === active || undefined}>
              <button
                type="button"
                className={classes.tabName}
                aria-pressed={tab.id === active}
                onClick={() => setActive(tab.id)}
              >
                {t("terminal.tab", { n: tab.number })}
              </button>
              <ActionIcon
                size={24}
                aria-label={t("terminal.closeTab", { n: tab.number })}
                onClick={() => close(tab)}
              >
                <IconX size={14} />
              </ActionIcon>
            </span>
          ))}
          {tabs.length < mostTabs ? (
            <Tooltip label={t("terminal.add")}>
              <ActionIcon size={28} aria-label={t("terminal.add")} onClick={add}>
                <IconPlus size={16} />
              </ActionIcon>
            </Tooltip>
          ) : null}
        </div>
      }
    >
      <Suspense fallback={<SkeletonBlock height={396} />}>
        {tabs.map((tab) => (
          <TerminalView key={tab.id} instanceId={instanceId} tab={tab.id} shown={tab.id === active} />
        ))}
      </Suspense>
    </Panel>
  );
}

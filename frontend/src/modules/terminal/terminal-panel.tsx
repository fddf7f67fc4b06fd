import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconPlus, IconTerminal2, IconX } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Panel } from "~/components/panel";
import { SkeletonBlock } from "~/components/blank";
import { readTabs, writeTabs } from "~/modules/terminal/tabs";
import classes from "./terminal-panel.module.css";

const TerminalView = lazy(() => import("~/modules/terminal/terminal-view"));

const mostTabs = 8;

/** Shells of an instance in the page; which ones are open survives a reload. */
export default function TerminalPanel({ instanceId }: { instanceId: string }) {
  const { t } = useTranslation();
  const [tabs, setTabs] = useState(() => readTabs(instanceId));
  const [active, setActive] = useState(tabs[0] ?? 1);

  const change = (next: number[], focus: number | undefined): void => {
    setTabs(next);
    writeTabs(instanceId, next);
    if (focus !== undefined) setActive(focus);
  };
  const add = (): void => {
    let free = 1;
    while (tabs.includes(free)) free++;
    change([...tabs, free], free);
  };
  const close = (tab: number): void => {
    const next = tabs.filter((each) => each !== tab);
    change(next, active === tab ? next.at(-1) : active);
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
            <span key={tab} className={classes.tab} data-active={tab === active || undefined}>
              <button
                type="button"
                className={classes.tabName}
                aria-pressed={tab === active}
                onClick={() => setActive(tab)}
              >
                {t("terminal.tab", { n: tab })}
              </button>
              <ActionIcon
                size={20}
                aria-label={t("terminal.closeTab", { n: tab })}
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
      <Suspense fallback={<SkeletonBlock height={380} />}>
        {tabs.map((tab) => (
          <TerminalView key={tab} instanceId={instanceId} tab={tab} shown={tab === active} />
        ))}
      </Suspense>
    </Panel>
  );
}

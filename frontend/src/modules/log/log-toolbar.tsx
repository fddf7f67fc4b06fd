import { ActionIcon, Button, TextInput, Tooltip } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowBarToDown,
  IconChevronDown,
  IconChevronUp,
  IconClock,
  IconDownload,
  IconFilter,
  IconSearch,
  IconTextWrap,
  type Icon,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatCount } from "~/lib/format";
import type { LogSearch } from "~/modules/log/log-search";
import type { LogSettings } from "~/modules/log/log-settings";
import classes from "./log-view.module.css";

interface LogToolbarProps {
  attemptId: string;
  typed: string;
  onType: (value: string) => void;
  search: LogSearch;
  /** Which hit is shown; -1 for none. */
  position: number;
  total: number;
  onStep: (by: 1 | -1) => void;
  onError: () => void;
  noError: boolean;
  follow: boolean;
  onFollow: (on: boolean) => void;
  live: boolean;
  settings: LogSettings;
}

export function LogToolbar(props: LogToolbarProps) {
  const { t } = useTranslation();
  const { typed, onType, search, onStep, settings, follow, onFollow, live } = props;
  return (
    <div className={classes.toolbar}>
      <TextInput
        type="search"
        className={classes.search}
        size="xs"
        aria-label={t("log.search")}
        placeholder={t("log.search")}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          onStep(event.shiftKey ? -1 : 1);
        }}
      />
      <Count {...props} />
      {typed.trim() === "" ? null : (
        <>
          <Tooltip label={t("log.previous")}>
            <ActionIcon
              size={28}
              aria-label={t("log.previous")}
              disabled={search.hits.length === 0}
              onClick={() => onStep(-1)}
            >
              <IconChevronUp size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t("log.next")}>
            <ActionIcon
              size={28}
              aria-label={t("log.next")}
              disabled={search.hits.length === 0}
              onClick={() => onStep(1)}
            >
              <IconChevronDown size={16} />
            </ActionIcon>
          </Tooltip>
        </>
      )}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconAlertTriangle size={14} aria-hidden />}
        onClick={props.onError}
      >
        {props.noError ? t("log.noError") : t("log.toError")}
      </Button>
      <span className={classes.gap} />
      {live ? (
        <Toggle icon={IconArrowBarToDown} label={t("log.follow")} word on={follow} onChange={onFollow} />
      ) : null}
      <Toggle
        icon={IconFilter}
        label={t("log.outputOnly")}
        on={settings.outputOnly}
        onChange={settings.setOutputOnly}
      />
      <Toggle icon={IconClock} label={t("log.times")} on={settings.times} onChange={settings.setTimes} />
      <Toggle icon={IconTextWrap} label={t("log.wrap")} on={settings.wrap} onChange={settings.setWrap} />
      <Tooltip label={t("log.download")}>
        <ActionIcon
          component="a"
          size={28}
          href={`/api/logs/${encodeURIComponent(props.attemptId)}${settings.outputOnly ? "?platform=0" : ""}`}
          download
          aria-label={t("log.download")}
        >
          <IconDownload size={16} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

function Count({ typed, search, position, total }: LogToolbarProps) {
  const { t, i18n } = useTranslation();
  const count = (n: number): string => formatCount(n, i18n.language);
  if (typed.trim() === "") {
    return <span className={classes.count}>{t("log.lines", { count: total, n: count(total) })}</span>;
  }
  const found = `${count(search.hits.length)}${search.more ? "+" : ""}`;
  return (
    <span className={classes.count} role="status">
      {position >= 0 ? t("log.hitOf", { at: count(position + 1), n: found }) : t("log.hits", { n: found })}
      {search.searching ? ` · ${Math.floor((search.scanned / Math.max(1, total)) * 100)} %` : ""}
    </span>
  );
}

interface ToggleProps {
  icon: Icon;
  label: string;
  /** Shows the word beside the icon. */
  word?: boolean;
  on: boolean;
  onChange: (on: boolean) => void;
}

function Toggle({ icon: Symbol, label, word = false, on, onChange }: ToggleProps) {
  return (
    <Tooltip label={label} disabled={word}>
      <button
        type="button"
        className={classes.toggle}
        aria-pressed={on}
        aria-label={word ? undefined : label}
        onClick={() => onChange(!on)}
      >
        <Symbol size={16} aria-hidden />
        {word ? label : null}
      </button>
    </Tooltip>
  );
}

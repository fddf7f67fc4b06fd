import { ActionIcon, Menu } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  IconDots,
  IconFile,
  IconFolder,
  IconFolderSymlink,
  IconLink,
  IconLinkOff,
  IconPhoto,
  IconTable,
} from "@tabler/icons-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "~/components/time";
import { formatBytes } from "~/lib/format";
import { kindOf, previewOf, type Entry } from "~/modules/files/api";
import { parentRef, shownPath } from "~/modules/files/ref";
import classes from "./files.module.css";

export type EntryAction = "download" | "zip" | "rename" | "move" | "copy" | "delete";

interface FileListProps {
  entries: readonly Entry[];
  /** The file that is shown beside the list. */
  open: string;
  /** Shows where each lies, as what was found needs it. */
  paths?: boolean;
  writable: boolean;
  label: string;
  onOpen: (entry: Entry) => void;
  onUp: () => void;
  onAction: (action: EntryAction, entry: Entry) => void;
  /** The end of what is loaded is in sight. */
  onEnd: () => void;
}

const rowHeight = 44;

function EntryIcon({ entry }: { entry: Entry }) {
  const props = { size: 18, stroke: 1.6, "aria-hidden": true, className: classes.icon };
  if (entry.kind === "link") {
    if (kindOf(entry) === "other") return <IconLinkOff {...props} />;
    return kindOf(entry) === "folder" ? <IconFolderSymlink {...props} /> : <IconLink {...props} />;
  }
  if (entry.kind === "folder") return <IconFolder {...props} />;
  const preview = previewOf(entry);
  if (preview === "image") return <IconPhoto {...props} />;
  return preview === "table" ? <IconTable {...props} /> : <IconFile {...props} />;
}

/** A folder, however large: only the rows in sight are there. Arrows move, Enter opens, Backspace goes up. */
export function FileList(props: FileListProps) {
  const { entries, open, onEnd } = props;
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const wanted = useRef<number | null>(null);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= entries.length - 50) onEnd();
  }, [last, entries.length, onEnd]);

  // A row that was out of sight is focused once it is there.
  useEffect(() => {
    if (wanted.current === null) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] button`);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });

  const here = Math.min(active, Math.max(0, entries.length - 1));
  const go = (index: number): void => {
    const to = Math.max(0, Math.min(entries.length - 1, index));
    setActive(to);
    wanted.current = to;
    virtual.scrollToIndex(to);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target as HTMLElement).hasAttribute("data-entry")) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 1);
    const entry = entries[here];
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(here + 1),
      ArrowUp: () => go(here - 1),
      PageDown: () => go(here + page),
      PageUp: () => go(here - page),
      Home: () => go(0),
      End: () => go(entries.length - 1),
      Backspace: props.onUp,
    };
    if (entry && props.writable) {
      moves.F2 = () => props.onAction("rename", entry);
      moves.Delete = () => props.onAction("delete", entry);
    }
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- short cuts between buttons
    <div ref={scroller} className={classes.scroller} onKeyDown={onKeyDown}>
      <ul
        className={classes.entries}
        style={{ height: virtual.getTotalSize() }}
        aria-label={props.label}
        data-entries={entries.length}
      >
        {rows.map((row) => {
          const entry = entries[row.index];
          if (!entry) return null;
          return (
            <li
              key={entry.ref}
              data-index={row.index}
              className={classes.entry}
              data-open={entry.ref === open || undefined}
              aria-setsize={entries.length}
              aria-posinset={row.index + 1}
              style={{ height: rowHeight, transform: `translateY(${row.start}px)` }}
            >
              <button
                type="button"
                data-entry
                className={classes.name}
                tabIndex={row.index === here ? 0 : -1}
                onFocus={() => setActive(row.index)}
                onClick={() => props.onOpen(entry)}
                title={entry.name}
              >
                <EntryIcon entry={entry} />
                <span className={classes.words}>
                  <span className="cut">{entry.name}</span>
                  {props.paths ? (
                    <span className={`${classes.under} cut`}>{shownPath(parentRef(entry.ref))}</span>
                  ) : null}
                </span>
                {entry.kind === "link" ? (
                  <span className={`${classes.under} cut`}>
                    {entry.targetKind === "outside" || entry.targetKind === "broken"
                      ? t(`files.link.${entry.targetKind}`)
                      : `→ ${entry.target ?? ""}`}
                  </span>
                ) : null}
              </button>
              <Facts entry={entry} />
              <EntryMenu entry={entry} writable={props.writable} onAction={props.onAction} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Facts({ entry }: { entry: Entry }) {
  const { i18n } = useTranslation();
  return (
    <>
      <span className={classes.size}>
        {entry.kind === "file" ? formatBytes(entry.size, i18n.language) : ""}
      </span>
      <span className={classes.time}>
        <RelativeTime at={entry.modified} />
      </span>
    </>
  );
}

interface EntryMenuProps {
  entry: Entry;
  writable: boolean;
  onAction: (action: EntryAction, entry: Entry) => void;
}

/** What can be done with an entry. */
export function EntryMenu({ entry, writable, onAction }: EntryMenuProps) {
  const { t } = useTranslation();
  const kind = kindOf(entry);
  const actions: EntryAction[] = [
    ...(kind === "file" ? (["download"] as const) : []),
    ...(kind === "folder" ? (["zip"] as const) : []),
    ...(writable ? (["rename", "move"] as const) : []),
    ...(kind === "other" ? [] : (["copy"] as const)),
    ...(writable ? (["delete"] as const) : []),
  ];
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon size={32} aria-label={t("files.actions", { name: entry.name })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item key={action} onClick={() => onAction(action, entry)}>
            {t(`files.action.${action}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

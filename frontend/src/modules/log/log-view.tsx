import { useVirtualizer } from "@tanstack/react-virtual";
import { useDebouncedValue } from "@mantine/hooks";
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { Notice } from "~/components/notice";
import { faultText, type Fault } from "~/lib/fault";
import { plainClient } from "~/lib/plain-client";
import { useConnection } from "~/lib/connection";
import { LogLine } from "~/modules/log/log-line";
import { asFault, LogFeed } from "~/modules/log/log-source";
import { LogStore } from "~/modules/log/log-store";
import { useErrorJump, useLogSearch } from "~/modules/log/log-search";
import { LogToolbar } from "~/modules/log/log-toolbar";
import { useLogSettings } from "~/modules/log/log-settings";
import classes from "./log-view.module.css";

const lineHeight = 20;
// A browser's element cannot be higher than some tens of millions of pixels: of a log
// above this, the page shows the end, and an earlier part when a link asks for it.
const mostRows = 800_000;

interface LogViewProps {
  attemptId: string;
  /** How many lines are stored, as far as the run's page knows. */
  lines: number;
  truncated: boolean;
}

/** The log of one attempt: live, virtual, as long as it may be. */
export function LogView({ attemptId, lines, truncated }: LogViewProps) {
  const { t, i18n } = useTranslation();
  const store = useMemo(() => new LogStore(), []);
  const feed = useMemo(() => new LogFeed(plainClient, attemptId, store), [attemptId, store]);
  const version = useSyncExternalStore(store.subscribe, () => store.version);
  const { epoch } = useConnection();
  const location = useLocation();
  const navigate = useNavigate();
  const [fault, setFault] = useState<Fault | null>(null);
  const settings = useLogSettings();
  const { times, wrap, outputOnly } = settings;

  const linked = useMemo(() => {
    const match = /^#L(\d+)$/.exec(location.hash);
    return match ? Number(match[1]) - 1 : null;
  }, [location.hash]);
  const [follow, setFollow] = useState(linked === null);
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 200);
  const [current, setCurrent] = useState<number | null>(null);
  const [round, setRound] = useState(0);

  useEffect(() => {
    setFault(null);
    return feed.follow(setFault);
  }, [feed, round]);
  useEffect(() => store.grow(lines), [store, lines]);

  const [base, setBase] = useState(0);
  const total = store.total;
  // Moves in large steps, so that rows keep their places while the log grows.
  const tailBase = Math.max(0, Math.ceil((total - mostRows) / 100_000) * 100_000);
  const first = follow ? tailBase : Math.min(base, tailBase);
  const count = Math.min(total - first, mostRows + 100_000);

  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isHidden(store, first + index, outputOnly) ? 0 : lineHeight),
    overscan: 12,
  });
  // Rows are measured when they are first asked for, before their lines have come.
  const said = outputOnly ? store.platform : -1;
  useEffect(() => virtual.measure(), [virtual, said]);
  const rows = virtual.getVirtualItems();
  const from = first + (rows[0]?.index ?? 0);
  const to = first + (rows.at(-1)?.index ?? -1) + 1;

  // What is looked at and not held is fetched; a reconnect is a reason to look again.
  useEffect(() => {
    feed.want(from, to).catch((error: unknown) => setFault(asFault(error)));
  }, [feed, from, to, version, epoch]);

  useEffect(() => {
    if (follow && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
  }, [follow, count, version, virtual]);

  const show = useCallback(
    (number: number) => {
      setFollow(false);
      const nextBase = number < first ? Math.floor(number / 100_000) * 100_000 : first;
      setBase(nextBase);
      virtual.scrollToIndex(number - nextBase, { align: "center" });
    },
    [first, virtual],
  );

  // A link to a line is shown once its line is known to be there.
  const shownLink = useRef<number | null>(null);
  useEffect(() => {
    if (linked === null || shownLink.current === linked || total <= linked) return;
    shownLink.current = linked;
    show(linked);
  }, [linked, total, show]);

  const search = useLogSearch(store, feed, query, version);
  const findError = useErrorJump(feed);
  const [noError, setNoError] = useState(false);

  const goTo = useCallback(
    (number: number): void => {
      setCurrent(number);
      show(number);
    },
    [show],
  );
  // A new search goes to its first hit; the arrows go on from there.
  const firstHit = search.hits[0];
  const shownQuery = useRef("");
  useEffect(() => {
    if (query === "") shownQuery.current = "";
    if (firstHit === undefined || shownQuery.current === query) return;
    shownQuery.current = query;
    goTo(firstHit);
  }, [query, firstHit, goTo]);
  const step = (by: 1 | -1): void => {
    const { hits } = search;
    if (hits.length === 0) return;
    const at = current === null ? -1 : hits.indexOf(current);
    const next = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    const number = hits[next];
    if (number !== undefined) goTo(number);
  };
  const toError = async (): Promise<void> => {
    try {
      const found = await findError(current === null ? 0 : current + 1);
      setNoError(found === null);
      if (found !== null) goTo(found);
    } catch (error) {
      setFault(asFault(error));
    }
  };
  const link = useCallback(
    (number: number) => {
      shownLink.current = number;
      void navigate({ hash: `#L${number + 1}`, search: location.search }, { replace: true });
    },
    [navigate, location.search],
  );

  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    const gap = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (gap < 4 && !store.complete && !follow && linked === null) setFollow(true);
  };
  // Only the reader's own movement lets go of the end, never a new line.
  const letGo = (): void => {
    if (follow) setFollow(false);
  };

  return (
    <div className={classes.log}>
      <LogToolbar
        attemptId={attemptId}
        typed={typed}
        onType={(value) => {
          setTyped(value);
          setCurrent(null);
        }}
        search={search}
        position={current === null ? -1 : search.hits.indexOf(current)}
        total={total}
        onStep={step}
        onError={() => void toError()}
        noError={noError}
        follow={follow}
        onFollow={setFollow}
        live={!store.complete}
        settings={settings}
      />
      {fault ? (
        <Notice
          tone="failed"
          title={faultText(fault, t) || t("fault.offline")}
          live
          action={<Retry run={() => setRound(round + 1)} />}
        />
      ) : null}
      {truncated ? <Notice tone="attention" title={t("log.truncated")} /> : null}
      {first > 0 ? <p className={classes.earlier}>{t("log.earlier", { count: first })}</p> : null}
      {/* The log scrolls by itself, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only watches the reader's scrolling */}
      <div
        ref={scroller}
        className={classes.scroller}
        data-wrap={wrap || undefined}
        data-times={times || undefined}
        role="region"
        aria-label={t("log.region")}
        tabIndex={0}
        onScroll={onScroll}
        onWheel={(event) => {
          if (event.deltaY < 0) letGo();
        }}
        onTouchMove={letGo}
        onPointerDown={letGo}
        onKeyDown={(event) => {
          if (["ArrowUp", "PageUp", "Home"].includes(event.key)) letGo();
          if (event.key === "End" && !store.complete) setFollow(true);
        }}
      >
        {total === 0 ? (
          <p className={classes.none}>{store.complete ? t("log.empty") : t("log.waiting")}</p>
        ) : (
          <div
            style={{
              height: virtual.getTotalSize(),
              position: "relative",
              minWidth: "100%",
              width: wrap ? "100%" : "max-content",
            }}
          >
            <div style={{ transform: `translateY(${rows[0]?.start ?? 0}px)` }}>
              {rows.map((row) => {
                const number = first + row.index;
                return (
                  <div
                    key={row.key}
                    ref={wrap ? virtual.measureElement : undefined}
                    data-index={row.index}
                    style={wrap ? undefined : { height: row.size, overflow: "hidden" }}
                    hidden={row.size === 0 && !wrap ? true : undefined}
                  >
                    {isHidden(store, number, outputOnly) ? null : (
                      <LogLine
                        number={number}
                        entry={store.line(number)}
                        times={times}
                        query={query}
                        linked={linked === number}
                        current={current === number}
                        onLink={link}
                        t={t}
                        language={i18n.language}
                      />
                    )}
                  </div>
                );
              })}
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

/** A line that takes no place: the platform's when only the program's are wanted, or one that a later one overwrites. */
function isHidden(store: LogStore, number: number, outputOnly: boolean): boolean {
  return (outputOnly && store.line(number)?.source === "PLATFORM") || continues(store, number);
}

/** A part of a progress bar that a later part overwrites. */
function continues(store: LogStore, number: number): boolean {
  const entry = store.line(number);
  return (
    entry !== undefined && entry.partial && entry.text.includes("\r") && store.line(number + 1) !== undefined
  );
}

function Retry({ run }: { run: () => void }) {
  const { t } = useTranslation();
  return (
    <button type="button" className={classes.retry} onClick={run}>
      {t("action.retry")}
    </button>
  );
}

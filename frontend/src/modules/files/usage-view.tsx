import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Failed } from "~/components/blank";
import { Meter } from "~/components/meter";
import { Panel } from "~/components/panel";
import type { Fault } from "~/lib/fault";
import { formatBytes, formatCount } from "~/lib/format";
import { faultOf, isAborted, type Files, type Usage } from "~/modules/files/api";
import { shownPath, writePlace } from "~/modules/files/ref";
import classes from "./files.module.css";

interface UsageState {
  ref: string;
  counted: { files: number; bytes: number };
  usage: Usage | null;
  fault: Fault | null;
}

/** What takes the room in a folder, the largest first. Folders lead on. */
export function UsageView({ files, at }: { files: Files; at: string }) {
  const { t, i18n } = useTranslation();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<UsageState | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const begin: UsageState = { ref: at, counted: { files: 0, bytes: 0 }, usage: null, fault: null };
    files
      .lines<Usage>(files.url("usage", at), { signal: stop.signal }, (line) =>
        setState({ ...begin, counted: { files: Number(line.files ?? 0), bytes: Number(line.bytes ?? 0) } }),
      )
      .then(
        (usage) => setState({ ...begin, usage }),
        (error: unknown) => {
          if (!isAborted(error)) setState({ ...begin, fault: faultOf(error) });
        },
      );
    return () => stop.abort();
  }, [files, at, round]);

  if (state?.fault) return <Failed fault={state.fault} retry={() => setRound((before) => before + 1)} />;
  if (!state?.usage || state.ref !== at) {
    return (
      <p className="soft" role="status">
        {t("files.measuring", {
          files: formatCount(state?.counted.files ?? 0, i18n.language),
          bytes: formatBytes(state?.counted.bytes ?? 0, i18n.language),
        })}
      </p>
    );
  }
  const { usage } = state;
  const items = usage.items ?? [];
  const largest = Math.max(1, ...items.map((item) => item.bytes));
  const amount = (bytes: number): string => formatBytes(bytes, i18n.language);
  const count = (inodes: number): string =>
    t("files.inodes", { count: inodes, n: formatCount(inodes, i18n.language) });
  return (
    <Panel
      title={t("files.usageOf", { path: shownPath(at) })}
      flush
      aside={
        <span className="soft">
          {amount(usage.bytes)} · {count(usage.inodes)} ·{" "}
          {t("volume.free", { size: amount(usage.volume.free) })}
        </span>
      }
    >
      <ul className={classes.shares} aria-label={t("files.usage")}>
        {items.map((item) => (
          <li key={item.ref} className={classes.share}>
            {item.kind === "folder" ? (
              <Link className="cut" to={writePlace({ at: item.ref, view: "usage" })}>
                {item.name}/
              </Link>
            ) : (
              <span className="cut">{item.name}</span>
            )}
            <span className={classes.size}>{amount(item.bytes)}</span>
            <span className={classes.size}>{formatCount(item.inodes, i18n.language)}</span>
            <Meter label={item.name} text={amount(item.bytes)} used={item.bytes} limit={largest} plain />
          </li>
        ))}
        {usage.rest.inodes > 0 ? (
          <li className={classes.share}>
            <span className="soft">{t("files.rest")}</span>
            <span className={classes.size}>{amount(usage.rest.bytes)}</span>
            <span className={classes.size}>{formatCount(usage.rest.inodes, i18n.language)}</span>
          </li>
        ) : null}
        {items.length === 0 ? <li className={classes.note}>{t("files.empty")}</li> : null}
      </ul>
    </Panel>
  );
}

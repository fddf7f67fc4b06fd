import { Select } from "@mantine/core";
import { IconFolder } from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { faultText } from "~/lib/fault";
import { notifyDone } from "~/lib/notify";
import { Files, kindOf, type Entry } from "~/modules/files/api";
import { readProgress, WorkDialog } from "~/modules/files/dialogs";
import { childRef, crumbsOf, isWithin, parentRef, shownPath } from "~/modules/files/ref";
import { useFiles, useFolder } from "~/modules/files/use-files";
import type { MountableChoice } from "~/modules/volume/choices";
import classes from "./files.module.css";

interface PlaceEntryProps {
  volumeId: string;
  entry: Entry;
  doing: "move" | "copy";
  /** Where a copy may go beside this volume. */
  volumes: readonly MountableChoice[];
  writable: boolean;
  onClose: () => void;
  onDone: (ref: string) => void;
}

/** Moves or copies: a folder is chosen, the name stays. */
export function PlaceEntry({ volumeId, entry, doing, volumes, writable, onClose, onDone }: PlaceEntryProps) {
  const { t } = useTranslation();
  const others = useMemo(
    () => volumes.filter((each) => each.writable && (each.id !== volumeId || writable)),
    [volumes, volumeId, writable],
  );
  const [target, setTarget] = useState(writable ? volumeId : (others[0]?.id ?? ""));
  const [at, setAt] = useState(writable ? parentRef(entry.ref) : "");
  const replace = useRef(false);
  const files = useMemo(() => new Files(volumeId), [volumeId]);
  const same = target === volumeId;
  const parts = crumbsOf(entry.ref);
  const own = entry.ref.slice((parts.at(-2)?.ref.length ?? -3) + 3);
  const to = at === "" ? own : `${at}%2F${own}`;
  const into = same && kindOf(entry) === "folder" && isWithin(at, entry.ref);
  const stays = same && at === parentRef(entry.ref);
  const copyName = stays && doing === "copy" ? childRef(at, t("files.copyOf", { name: entry.name })) : to;
  return (
    <WorkDialog
      title={t(doing === "move" ? "files.moveTitle" : "files.copyTitle", { name: entry.name })}
      submit={t(doing === "move" ? "files.moveHere" : "files.copyHere")}
      disabled={target === "" || into || (stays && doing === "move")}
      onClose={onClose}
      onConflict={{ label: t("files.replace"), run: () => (replace.current = true) }}
      work={async (signal, progress) => {
        const over = replace.current;
        replace.current = false;
        if (doing === "move") {
          await files.send<Entry>("POST", "move", { from: entry.ref, to, replace: over });
        } else {
          const value = { from: entry.ref, to: copyName, toVolume: same ? "" : target, replace: over };
          await files.work("POST", "copy", value, (line) => progress(readProgress(line)), signal);
        }
        notifyDone(
          t(doing === "move" ? "files.moved" : "files.copied", { name: entry.name, path: shownPath(at) }),
        );
        onDone(to);
      }}
    >
      {doing === "copy" && others.some((each) => each.id !== volumeId) ? (
        <Select
          label={t("files.toVolume")}
          data={others.map((each) => ({ value: each.id, label: each.label }))}
          value={target === "" ? null : target}
          allowDeselect={false}
          onChange={(id) => {
            if (!id) return;
            setTarget(id);
            setAt("");
          }}
        />
      ) : null}
      {target === "" ? <p>{t("files.nowhere")}</p> : <FolderPick volumeId={target} at={at} onPick={setAt} />}
      {into ? <p className="soft">{t("files.intoItself")}</p> : null}
    </WorkDialog>
  );
}

/** The folders of a volume, one level at a time. */
function FolderPick({
  volumeId,
  at,
  onPick,
}: {
  volumeId: string;
  at: string;
  onPick: (ref: string) => void;
}) {
  const { t } = useTranslation();
  const { files, opened, fault } = useFiles(volumeId);
  const folder = useFolder(files, at, opened?.ready ?? false);
  const folders = folder.entries.filter((entry) => kindOf(entry) === "folder");
  const problem = fault ?? folder.fault;
  return (
    <div>
      <p className="soft">{shownPath(at)}</p>
      <ul className={classes.pick} aria-label={t("files.folders")}>
        {at === "" ? null : (
          <li>
            <button type="button" className={classes.name} onClick={() => onPick(parentRef(at))}>
              <IconFolder size={18} stroke={1.6} aria-hidden /> ..
            </button>
          </li>
        )}
        {folders.map((entry) => (
          <li key={entry.ref}>
            <button type="button" className={classes.name} onClick={() => onPick(entry.ref)}>
              <IconFolder size={18} stroke={1.6} aria-hidden />
              <span className="cut">{entry.name}</span>
            </button>
          </li>
        ))}
        {problem ? <li className={classes.note}>{faultText(problem, t)}</li> : null}
        {!problem && folder.loading ? <li className={classes.note}>{t("state.loading")}</li> : null}
        {!folder.loading && folders.length === 0 ? (
          <li className={classes.note}>{t("files.noFolders")}</li>
        ) : null}
        {!folder.whole && !folder.loading ? (
          <li>
            <button type="button" className={classes.name} onClick={folder.more}>
              {t("action.loadMore")}
            </button>
          </li>
        ) : null}
      </ul>
    </div>
  );
}

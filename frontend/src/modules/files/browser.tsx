import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { Failed, SkeletonRows } from "~/components/blank";
import { formatCount } from "~/lib/format";
import { kindOf, type Entry, type Files, type Opened } from "~/modules/files/api";
import { DeleteEntry, MakeEntry, RenameEntry } from "~/modules/files/dialogs";
import { FileList, type EntryAction } from "~/modules/files/file-list";
import { PlaceEntry } from "~/modules/files/place-entry";
import { FilePreview } from "~/modules/files/preview";
import { crumbsOf, isWithin, parentRef, readPlace, writePlace, type Place } from "~/modules/files/ref";
import { Toolbar } from "~/modules/files/toolbar";
import { UploadsPanel } from "~/modules/files/uploads-panel";
import { UsageView } from "~/modules/files/usage-view";
import { useTaking } from "~/modules/files/use-taking";
import { useFind } from "~/modules/files/use-search";
import { useFiles, useFolder } from "~/modules/files/use-files";
import type { MountableChoice } from "~/modules/volume/choices";
import classes from "./files.module.css";

interface BrowserProps {
  /** A volume's id, or a share's. */
  volumeId: string;
  name: string;
  /** Where copies may go. */
  volumes: readonly MountableChoice[];
}

/** The files of a volume, once they are served. */
export function FileBrowser(props: BrowserProps) {
  const { t } = useTranslation();
  const { files, opened, fault, retry } = useFiles(props.volumeId);
  if (fault) return <Failed fault={fault} retry={retry} />;
  if (!opened?.ready) {
    return (
      <>
        <p className="soft" role="status" data-opening>
          {opened?.message || t("files.opening")}
        </p>
        <SkeletonRows rows={8} height={44} />
      </>
    );
  }
  return <Browse {...props} files={files} opened={opened} />;
}

type Asking =
  | { what: "make"; kind: "folder" | "text" }
  | { what: "rename" | "move" | "copy" | "delete"; entry: Entry }
  | null;

function Browse({ volumeId, name, volumes, files, opened }: BrowserProps & { files: Files; opened: Opened }) {
  const { t, i18n } = useTranslation();
  const { search } = useLocation();
  const navigate = useNavigate();
  const place = readPlace(search);
  const { at, open, find, view } = place;
  const writable = opened.access === "read-write";
  const folder = useFolder(files, at, view === "list");
  const found = useFind(files, at, find, view === "list");
  const finding = find !== "";
  const entries = finding ? found.entries : folder.entries;
  const fault = finding ? found.fault : folder.fault;
  const [asking, setAsking] = useState<Asking>(null);

  const go = useCallback(
    (to: Partial<Place>, replace = false): void => void navigate({ search: writePlace(to) }, { replace }),
    [navigate],
  );
  const { more } = folder;
  const onEnd = useCallback(() => {
    if (!finding) more();
  }, [finding, more]);

  const onOpen = (entry: Entry): void => {
    if (kindOf(entry) === "folder") go({ at: entry.ref });
    else go({ at, find, open: entry.ref }, open !== "");
  };
  const onAction = (action: EntryAction, entry: Entry): void => {
    if (action === "download") download(files.url("content", entry.ref));
    else if (action === "zip") download(files.url("archive", entry.ref, "&format=zip"));
    else setAsking({ what: action, entry });
  };
  const settle = (gone: string, next = ""): void => {
    setAsking(null);
    folder.reload();
    if (open !== "" && isWithin(open, gone)) go({ at, find, open: next }, true);
  };

  const { dropping, handlers, take } = useTaking(files, volumeId, at, opened, writable, folder.reload);
  return (
    <>
      <Toolbar
        key={find}
        name={name}
        files={files}
        place={place}
        go={go}
        writable={writable}
        onMake={(kind) => setAsking({ what: "make", kind })}
        take={take}
      />
      {view === "usage" ? (
        <UsageView files={files} at={at} />
      ) : (
        <div
          className={classes.browser}
          data-beside={open !== "" || undefined}
          data-over={dropping || undefined}
          {...handlers}
        >
          <div className={classes.list}>
            {dropping ? (
              <div className={classes.drop}>
                {t("files.dropHere", { name: crumbsOf(at).at(-1)?.name ?? name })}
              </div>
            ) : null}
            {fault ? (
              <Failed fault={fault} retry={folder.reload} />
            ) : folder.loading && !finding ? (
              <SkeletonRows rows={8} height={44} />
            ) : (
              <>
                {entries.length === 0 && !found.busy ? (
                  <p className={classes.note}>
                    {t(finding ? "files.noneFound" : writable ? "files.emptyDrop" : "files.empty")}
                  </p>
                ) : null}
                <FileList
                  key={`${at}?${find}`}
                  entries={entries}
                  open={open}
                  paths={finding}
                  writable={writable}
                  label={t("files.list")}
                  onOpen={onOpen}
                  onUp={() => at !== "" && go({ at: parentRef(at) })}
                  onAction={onAction}
                  onEnd={onEnd}
                />
              </>
            )}
            <div className={classes.foot}>
              <span role="status">
                {finding
                  ? t(found.busy ? "files.finding" : found.truncated ? "files.foundMore" : "files.found", {
                      n: formatCount(entries.length, i18n.language),
                      count: entries.length,
                    })
                  : folder.total >= 0
                    ? t("files.count", { n: formatCount(folder.total, i18n.language), count: folder.total })
                    : ""}
              </span>
              <span>{writable ? "" : t("mount.readOnly")}</span>
            </div>
          </div>
          {open === "" ? null : (
            <FilePreview
              key={open}
              volumeId={volumeId}
              files={files}
              entryRef={open}
              limits={opened.limits}
              writable={writable}
              onClose={() => go({ at, find })}
              onAction={onAction}
              onSaved={folder.reload}
            />
          )}
        </div>
      )}
      <UploadsPanel volumeId={volumeId} />
      {asking?.what === "make" ? (
        <MakeEntry
          files={files}
          at={at}
          kind={asking.kind}
          onClose={() => setAsking(null)}
          onDone={(ref) => {
            setAsking(null);
            folder.reload();
            if (asking.kind === "text") go({ at, open: ref });
          }}
        />
      ) : null}
      {asking?.what === "rename" ? (
        <RenameEntry
          files={files}
          entry={asking.entry}
          onClose={() => setAsking(null)}
          onDone={(ref) => settle(asking.entry.ref, kindOf(asking.entry) === "file" ? ref : "")}
        />
      ) : null}
      {asking?.what === "delete" ? (
        <DeleteEntry
          files={files}
          entry={asking.entry}
          onClose={() => setAsking(null)}
          onDone={(ref) => settle(ref)}
        />
      ) : null}
      {asking?.what === "move" || asking?.what === "copy" ? (
        <PlaceEntry
          volumeId={volumeId}
          entry={asking.entry}
          doing={asking.what}
          volumes={volumes}
          writable={writable}
          onClose={() => setAsking(null)}
          onDone={() => settle(asking.what === "move" ? asking.entry.ref : "\0")}
        />
      ) : null}
    </>
  );
}

/** Lets the browser fetch a file; it comes as an attachment, so the page stays. */
function download(url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}

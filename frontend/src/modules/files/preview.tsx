import { ActionIcon, Button } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { CopyButton } from "~/components/copy";
import { RelativeTime } from "~/components/time";
import { formatBytes } from "~/lib/format";
import { faultText } from "~/lib/fault";
import { faultOf, kindOf, previewOf, type Entry, type Files, type Opened } from "~/modules/files/api";
import { EntryMenu, type EntryAction } from "~/modules/files/file-list";
import { NotebookPreview } from "~/modules/files/notebook-preview";
import { nameOf } from "~/modules/files/ref";
import { TablePreview } from "~/modules/files/table-preview";
import { TextPreview } from "~/modules/files/text-preview";
import { useAsked } from "~/modules/files/use-files";
import classes from "./files.module.css";

interface PreviewProps {
  volumeId: string;
  files: Files;
  entryRef: string;
  limits: Opened["limits"];
  writable: boolean;
  onClose: () => void;
  onAction: (action: EntryAction, entry: Entry) => void;
  onSaved: () => void;
}

/** A file beside the list: what it is, and what it holds. Nothing of it runs in the page. */
export function FilePreview(props: PreviewProps) {
  const { files, entryRef } = props;
  const { t, i18n } = useTranslation();
  const {
    data: entry,
    fault,
    reload,
  } = useAsked(entryRef, (signal) => files.json<Entry>(files.url("stat", entryRef), { signal }));
  const name = entry?.name ?? nameOf(entryRef);
  return (
    <section className={classes.beside} aria-label={name}>
      <div className={classes.head}>
        <h2 className={classes.title} title={name}>
          {name}
        </h2>
        {entry ? <EntryMenu entry={entry} writable={props.writable} onAction={props.onAction} /> : null}
        <ActionIcon size={32} aria-label={t("files.closePreview")} onClick={props.onClose}>
          <IconX size={18} />
        </ActionIcon>
      </div>
      {fault ? <Failed fault={fault} retry={reload} /> : null}
      {!entry && !fault ? <SkeletonBlock height={320} /> : null}
      {entry ? (
        <>
          <div className={classes.facts}>
            <span>{formatBytes(entry.size, i18n.language)}</span>
            <span>
              {t("files.modified")} <RelativeTime at={entry.modified} />
            </span>
            <span className="mono">{entry.mode}</span>
            {kindOf(entry) === "file" ? <Checksum key={entry.etag} files={files} entry={entry} /> : null}
          </div>
          <Body
            {...props}
            entry={entry}
            onSaved={() => {
              reload();
              props.onSaved();
            }}
          />
        </>
      ) : null}
    </section>
  );
}

function Body(props: PreviewProps & { entry: Entry }) {
  const { entry, files, limits } = props;
  const { t, i18n } = useTranslation();
  const [asText, setAsText] = useState(false);
  if (kindOf(entry) !== "file") return <p className={classes.note}>{t("files.notFile")}</p>;
  const preview = asText ? "text" : previewOf(entry);
  if (preview === "image") {
    if (entry.size > limits.imageBytes) {
      return (
        <p className={classes.note}>
          {t("files.imageTooLarge", { limit: formatBytes(limits.imageBytes, i18n.language) })}
        </p>
      );
    }
    // The server names its type and lets it be nothing but a picture; a script in an SVG does not run in an img.
    return (
      <div className={classes.body}>
        <div className={classes.picture}>
          <img src={files.url("image", entry.ref, `&v=${encodeURIComponent(entry.etag)}`)} alt={entry.name} />
        </div>
      </div>
    );
  }
  const key = `${entry.ref}:${entry.etag}`;
  if (preview === "table") {
    return <TablePreview key={key} files={files} entry={entry} onText={() => setAsText(true)} />;
  }
  if (preview === "notebook") {
    return <NotebookPreview key={key} files={files} entry={entry} onText={() => setAsText(true)} />;
  }
  return (
    <TextPreview
      key={entry.ref}
      volumeId={props.volumeId}
      files={files}
      entry={entry}
      writable={props.writable}
      onSaved={props.onSaved}
    />
  );
}

function Checksum({ files, entry }: { files: Files; entry: Entry }) {
  const { t, i18n } = useTranslation();
  const [text, setText] = useState<string | null>(null);
  const [sum, setSum] = useState("");
  const ask = async (): Promise<void> => {
    setText(t("files.counting", { bytes: formatBytes(0, i18n.language) }));
    try {
      const { sha256 } = await files.lines<{ sha256: string }>(files.url("checksum", entry.ref), {}, (line) =>
        setText(t("files.counting", { bytes: formatBytes(Number(line.bytes ?? 0), i18n.language) })),
      );
      setSum(sha256);
    } catch (error) {
      setText(faultText(faultOf(error), t));
    }
  };
  if (sum !== "") {
    return (
      <span className="mono" data-sum={sum}>
        {sum.slice(0, 16)}… <CopyButton text={sum} what="SHA-256" />
      </span>
    );
  }
  if (text !== null) return <span role="status">{text}</span>;
  return (
    <Button variant="subtle" size="compact-sm" color="gray" onClick={() => void ask()}>
      SHA-256
    </Button>
  );
}

import { Button, Group } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Notice } from "~/components/notice";
import { keepJson, readKeptJson } from "~/lib/draft";
import { faultText, type Fault } from "~/lib/fault";
import { formatBytes } from "~/lib/format";
import { notifyDone } from "~/lib/notify";
import { faultOf, type Entry, type Files, type TextFile } from "~/modules/files/api";
import { useAsked } from "~/modules/files/use-files";
import classes from "./files.module.css";

interface TextPreviewProps {
  volumeId: string;
  files: Files;
  entry: Entry;
  writable: boolean;
  onSaved: () => void;
}

interface Draft {
  text: string;
  /** Of the file that it was begun from. */
  etag: string;
}

function readDraft(key: string): Draft | null {
  const kept = readKeptJson(key);
  if (typeof kept !== "object" || kept === null || !("text" in kept) || !("etag" in kept)) return null;
  return typeof kept.text === "string" && typeof kept.etag === "string"
    ? { text: kept.text, etag: kept.etag }
    : null;
}

/** A text, and its editor where it is small and whole. Somebody else's change is never overwritten unasked. */
export function TextPreview({ volumeId, files, entry, writable, onSaved }: TextPreviewProps) {
  const { t, i18n } = useTranslation();
  const kept = `file:${volumeId}:${entry.ref}`;
  const { data, fault, reload } = useAsked(`${entry.ref}:${entry.etag}`, (signal) =>
    files.json<TextFile>(files.url("text", entry.ref), { signal }),
  );
  const [draft, setDraft] = useState<Draft | null>(() => readDraft(kept));
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<Fault | null>(null);
  useEffect(() => keepJson(kept, draft), [kept, draft]);

  if (fault) return <Failed fault={fault} retry={reload} />;
  if (!data) return <SkeletonBlock height={320} />;
  if (data.binary) return <p className={classes.note}>{t("files.binary")}</p>;

  const save = async (etag: string): Promise<void> => {
    if (!draft) return;
    setSaving(true);
    setProblem(null);
    try {
      await files.json<Entry>(files.url("content", entry.ref), {
        method: "PUT",
        body: draft.text,
        headers: { "Content-Type": "text/plain; charset=utf-8", "If-Match": quoted(etag) },
      });
      setDraft(null);
      notifyDone(t("files.saved", { name: entry.name }));
      onSaved();
    } catch (error) {
      setProblem(faultOf(error));
    }
    setSaving(false);
  };
  const stale = draft !== null && draft.etag !== data.entry.etag;
  return (
    <>
      {problem || stale ? (
        <div className={classes.note}>
          <Notice
            tone={stale || problem?.code === "CONFLICT" ? "attention" : "failed"}
            title={
              stale || problem?.code === "CONFLICT"
                ? t("files.changedMeanwhile")
                : problem
                  ? faultText(problem, t)
                  : ""
            }
            live
            action={
              stale ? (
                <Group gap="xs">
                  <Button size="xs" variant="default" onClick={() => setDraft(null)}>
                    {t("files.takeTheirs")}
                  </Button>
                  <Button size="xs" variant="default" onClick={() => void save(data.entry.etag)}>
                    {t("files.overwrite")}
                  </Button>
                </Group>
              ) : problem?.code === "CONFLICT" ? (
                <Button size="xs" variant="default" onClick={onSaved}>
                  {t("files.lookAgain")}
                </Button>
              ) : null
            }
          />
        </div>
      ) : null}
      {data.truncated ? (
        <p className={classes.note}>
          {t("files.truncated", { size: formatBytes(data.entry.size, i18n.language) })}
        </p>
      ) : null}
      <div className={classes.body}>
        {draft ? (
          <textarea
            className={classes.editor}
            aria-label={t("files.editing", { name: entry.name })}
            spellCheck={false}
            value={draft.text}
            onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void save(draft.etag);
            }}
          />
        ) : (
          <pre tabIndex={0} role="region" aria-label={t("files.content", { name: entry.name })}>
            {data.text}
          </pre>
        )}
      </div>
      {writable && data.editable ? (
        <div className={classes.foot}>
          <Group gap="xs">
            {draft ? (
              <>
                <Button size="xs" loading={saving} disabled={stale} onClick={() => void save(draft.etag)}>
                  {t("action.save")}
                </Button>
                <Button size="xs" variant="default" onClick={() => setDraft(null)}>
                  {t("draft.discard")}
                </Button>
              </>
            ) : (
              <Button
                size="xs"
                variant="default"
                onClick={() => setDraft({ text: data.text, etag: data.entry.etag })}
              >
                {t("files.edit")}
              </Button>
            )}
          </Group>
          <span>{data.encoding}</span>
        </div>
      ) : null}
    </>
  );
}

/** An ETag as a header takes it. */
function quoted(etag: string): string {
  return etag.startsWith('"') ? etag : `"${etag}"`;
}

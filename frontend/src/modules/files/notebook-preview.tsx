import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import type { Entry, Files, Notebook, NotebookCell, NotebookOutput } from "~/modules/files/api";
import { useAsked } from "~/modules/files/use-files";
import classes from "./files.module.css";

interface NotebookPreviewProps {
  files: Files;
  entry: Entry;
  onText: () => void;
}

// Pictures that an img shows without anything in them being run.
const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"]);
// oxlint-disable-next-line no-control-regex -- colours of a terminal
const escapes = /\u001B\[[0-9;]*[A-Za-z]/g;

/** An address of a picture inside a notebook, or nothing when it is none. */
export function pictureOf(output: NotebookOutput): string | null {
  const clean = output.text.replaceAll(/\s/g, "");
  if (!pictures.has(output.type) || !/^[A-Za-z0-9+/]+={0,2}$/.test(clean)) return null;
  return `data:${output.type};base64,${clean}`;
}

/** A notebook as it was saved: its source and its outputs as text and pictures. Nothing of it is run, no HTML is shown. */
export function NotebookPreview({ files, entry, onText }: NotebookPreviewProps) {
  const { t } = useTranslation();
  const { data, fault, reload } = useAsked(`${entry.ref}:${entry.etag}`, (signal) =>
    files.json<Notebook>(files.url("notebook", entry.ref), { signal }),
  );
  if (fault?.code === "INVALID_ARGUMENT" || fault?.code === "FAILED_PRECONDITION") {
    return (
      <div className={classes.note}>
        <p>{fault.message}</p>
        <Button size="xs" variant="default" mt="sm" onClick={onText}>
          {t("files.asText")}
        </Button>
      </div>
    );
  }
  if (fault) return <Failed fault={fault} retry={reload} />;
  if (!data) return <SkeletonBlock height={320} />;
  return (
    <>
      <div
        className={classes.body}
        tabIndex={0}
        role="region"
        aria-label={t("files.content", { name: entry.name })}
      >
        {data.cells.map((cell, at) => (
          // Cells have no identity but their place.
          <Cell key={at} cell={cell} />
        ))}
      </div>
      <div className={classes.foot}>
        <span>
          {t("files.cells", { count: data.cells.length })}
          {data.language ? ` · ${data.language}` : ""}
          {data.truncated ? ` · ${t("files.outputsLeftOut")}` : ""}
        </span>
        <Button size="xs" variant="default" onClick={onText}>
          {t("files.asText")}
        </Button>
      </div>
    </>
  );
}

function Cell({ cell }: { cell: NotebookCell }) {
  const { t } = useTranslation();
  return (
    <div className={classes.cell} data-kind={cell.kind}>
      <div className={classes.cellHead}>
        {cell.kind === "code" ? `[${cell.count ?? " "}]` : t(`files.cell.${cell.kind}`)}
      </div>
      <pre>{cell.source}</pre>
      {(cell.outputs ?? []).map((output, at) => (
        <Output key={at} output={output} />
      ))}
    </div>
  );
}

function Output({ output }: { output: NotebookOutput }) {
  const { t } = useTranslation();
  const picture = output.kind === "image" ? pictureOf(output) : null;
  return (
    <div className={classes.output} data-kind={output.kind}>
      {picture ? (
        <img src={picture} alt={t("files.outputPicture")} />
      ) : output.kind === "text" || output.kind === "error" ? (
        <pre>{output.text.replaceAll(escapes, "")}</pre>
      ) : (
        <p className={`${classes.note} ${classes.soft}`}>{t("files.outputHidden", { type: output.type })}</p>
      )}
    </div>
  );
}

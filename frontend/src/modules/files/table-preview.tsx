import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { formatCount } from "~/lib/format";
import type { Entry, Files, TableFile } from "~/modules/files/api";
import { useAsked } from "~/modules/files/use-files";
import classes from "./files.module.css";

interface TablePreviewProps {
  files: Files;
  entry: Entry;
  onText: () => void;
}

const firstRows = 101;
const mostRows = 1_000;

/** The beginning of a table; its first row names the columns. */
export function TablePreview({ files, entry, onText }: TablePreviewProps) {
  const { t, i18n } = useTranslation();
  const [rows, setRows] = useState(firstRows);
  const { data, fault, reload } = useAsked(`${entry.ref}:${entry.etag}:${rows}`, (signal) =>
    files.json<TableFile>(files.url("table", entry.ref, `&rows=${rows}`), { signal }),
  );
  if (fault) return <Failed fault={fault} retry={reload} />;
  if (!data) return <SkeletonBlock height={320} />;
  const [head = [], ...body] = data.rows;
  const width = Math.max(0, ...data.rows.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, i) => i);
  return (
    <>
      <div
        className={classes.body}
        tabIndex={0}
        role="region"
        aria-label={t("files.content", { name: entry.name })}
      >
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col" className={classes.number}>
                #
              </th>
              {columns.map((column) => (
                <th key={column} scope="col" title={head[column]}>
                  {head[column] || String(column + 1)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, at) => (
              // Rows of a file have no identity but their place.
              <tr key={at}>
                <th scope="row" className={classes.number}>
                  {at + 1}
                </th>
                {columns.map((column) => (
                  <td key={column} title={row[column]}>
                    {row[column] ?? ""}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={classes.foot}>
        <span>
          {t("files.table", {
            rows: formatCount(body.length, i18n.language),
            columns: formatCount(data.columns, i18n.language),
          })}
          {data.truncated ? ` ${t("files.tableMore")}` : ""} · {data.encoding}
        </span>
        <Group gap="xs">
          {data.truncated && rows < mostRows ? (
            <Button size="xs" variant="default" onClick={() => setRows(mostRows)}>
              {t("action.loadMore")}
            </Button>
          ) : null}
          <Button size="xs" variant="default" onClick={onText}>
            {t("files.asText")}
          </Button>
        </Group>
      </div>
    </>
  );
}

import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { faultText, type Fault } from "~/lib/fault";
import { formatBytes, formatCount } from "~/lib/format";
import { notifyDone } from "~/lib/notify";
import { faultOf, isAborted, kindOf, type Entry, type Files } from "~/modules/files/api";
import { childRef, parentRef } from "~/modules/files/ref";

export interface Progress {
  files: number;
  bytes: number;
}

export function readProgress(line: Record<string, unknown>): Progress {
  return { files: Number(line.files ?? 0), bytes: Number(line.bytes ?? 0) };
}

interface WorkDialogProps {
  title: string;
  submit: string;
  danger?: boolean;
  disabled?: boolean;
  onClose: () => void;
  /** Throws what the server refused. */
  work: (signal: AbortSignal, progress: (now: Progress) => void) => Promise<void>;
  children: ReactNode;
  /** Offers to go on over what is there. */
  onConflict?: { label: string; run: () => void } | undefined;
}

/** A question with one button, what it is at while it works, and what was refused. */
export function WorkDialog(props: WorkDialogProps) {
  const { t, i18n } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [now, setNow] = useState<Progress | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    stop.current = new AbortController();
    setBusy(true);
    setFault(null);
    try {
      await props.work(stop.current.signal, setNow);
    } catch (error) {
      if (!isAborted(error)) setFault(faultOf(error));
    }
    setBusy(false);
    setNow(null);
  };
  return (
    <Dialog opened onClose={props.onClose} title={props.title}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {props.children}
          {now ? (
            <p className="soft" role="status">
              {t("files.progress", {
                files: formatCount(now.files, i18n.language),
                bytes: formatBytes(now.bytes, i18n.language),
              })}
            </p>
          ) : null}
          {fault ? (
            <Notice
              tone="failed"
              title={faultText(fault, t)}
              live
              action={
                fault.code === "CONFLICT" && props.onConflict ? (
                  <Button size="xs" variant="default" type="submit" onClick={props.onConflict.run}>
                    {props.onConflict.label}
                  </Button>
                ) : null
              }
            />
          ) : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              {t("action.cancel")}
            </Button>
            <Button
              type="submit"
              loading={busy}
              disabled={props.disabled ?? false}
              {...(props.danger ? { color: "red.8" } : {})}
            >
              {props.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

interface EntryDialogProps {
  files: Files;
  onClose: () => void;
  onDone: (ref: string) => void;
}

/** Names that no file may have; the server says the rest. */
function nameProblem(name: string): "files.nameEmpty" | "files.nameSlash" | null {
  if (name.trim() === "") return "files.nameEmpty";
  return name.includes("/") || name === "." || name === ".." ? "files.nameSlash" : null;
}

/** Makes a folder, or an empty text to be filled in. */
export function MakeEntry({
  files,
  at,
  kind,
  onClose,
  onDone,
}: EntryDialogProps & { at: string; kind: "folder" | "text" }) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const problem = nameProblem(name);
  return (
    <WorkDialog
      title={t(`files.make.${kind}`)}
      submit={t("files.makeIt")}
      disabled={problem !== null}
      onClose={onClose}
      work={async (signal) => {
        const ref = childRef(at, name.trim());
        if (kind === "folder") await files.ask(files.url("folder", ref), { method: "POST", signal });
        else {
          await files.ask(files.url("content", ref), {
            method: "PUT",
            body: "",
            headers: { "If-None-Match": "*", "Content-Type": "text/plain; charset=utf-8" },
            signal,
          });
        }
        onDone(ref);
      }}
    >
      <TextInput
        label={t("files.name")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={name !== "" && problem ? t(problem) : null}
        data-autofocus
        autoComplete="off"
      />
    </WorkDialog>
  );
}

export function RenameEntry({ files, entry, onClose, onDone }: EntryDialogProps & { entry: Entry }) {
  const { t } = useTranslation();
  const [name, setName] = useState(entry.name);
  const problem = nameProblem(name);
  return (
    <WorkDialog
      title={t("files.renameTitle", { name: entry.name })}
      submit={t("files.action.rename")}
      disabled={problem !== null || name === entry.name}
      onClose={onClose}
      work={async (signal) => {
        const to = childRef(parentRef(entry.ref), name);
        await files.json<Entry>("move", {
          method: "POST",
          body: JSON.stringify({ from: entry.ref, to, replace: false }),
          headers: { "Content-Type": "application/json" },
          signal,
        });
        onDone(to);
      }}
    >
      <TextInput
        label={t("files.name")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problem ? t(problem) : null}
        data-autofocus
        autoComplete="off"
      />
    </WorkDialog>
  );
}

/** Deletes for good: names what is lost, and asks for the name of a folder. */
export function DeleteEntry({ files, entry, onClose, onDone }: EntryDialogProps & { entry: Entry }) {
  const { t, i18n } = useTranslation();
  const folder = entry.kind === "folder";
  const [typed, setTyped] = useState("");
  return (
    <WorkDialog
      title={t("files.deleteTitle", { name: entry.name })}
      submit={t("files.action.delete")}
      danger
      disabled={folder && typed !== entry.name}
      onClose={onClose}
      work={async (signal, progress) => {
        await files.work(
          "DELETE",
          `entry?path=${entry.ref}${folder ? "&recursive=1" : ""}`,
          null,
          (line) => progress(readProgress(line)),
          signal,
        );
        notifyDone(t("files.deleted", { name: entry.name }));
        onDone(entry.ref);
      }}
    >
      <p>
        {folder
          ? t("files.deleteFolder", { name: entry.name })
          : kindOf(entry) === "file" && entry.kind === "file"
            ? t("files.deleteFile", { name: entry.name, size: formatBytes(entry.size, i18n.language) })
            : t("files.deleteOther", { name: entry.name })}
      </p>
      {folder ? (
        <TextInput
          label={t("files.deleteType", { name: entry.name })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      ) : null}
    </WorkDialog>
  );
}

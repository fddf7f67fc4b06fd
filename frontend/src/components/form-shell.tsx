import { Button, Stack } from "@mantine/core";
import type { FormEvent, KeyboardEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import classes from "./form-shell.module.css";

interface FormShellProps {
  onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
  children: ReactNode;
  /** What will be made, in a line, before the button. */
  summary: ReactNode;
  submit: string;
  busy: boolean;
  disabled?: boolean;
  cancel?: ReactNode;
  /** What went wrong and belongs to no field. */
  error: string | null;
}

function sendOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

/** One column of fields, a summary, one button; Ctrl Enter sends from anywhere. */
export function FormShell(props: FormShellProps) {
  const { t } = useTranslation();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a short cut for the button below
    <form className={classes.form} onSubmit={props.onSubmit} onKeyDown={sendOnCtrlEnter} noValidate>
      <Stack gap="lg">{props.children}</Stack>
      <div className={classes.end}>
        {props.error ? <Notice tone="failed" title={props.error} live /> : null}
        <p className={classes.summary}>{props.summary}</p>
        <div className={classes.buttons}>
          <Button type="submit" loading={props.busy} disabled={props.disabled ?? false}>
            {props.submit}
          </Button>
          {props.cancel}
          <span className={classes.keys}>{t("form.keys")}</span>
        </div>
      </div>
    </form>
  );
}

/** Fields that most people never need, folded, with what they hold in the line that opens them. */
export function Fold({
  title,
  hint,
  open = false,
  children,
}: {
  title: string;
  hint: string;
  open?: boolean;
  children: ReactNode;
}) {
  return (
    <details className={classes.fold} open={open}>
      <summary className={classes.foldTitle}>
        <span>{title}</span>
        <span className={classes.foldHint}>{hint}</span>
      </summary>
      <div className={classes.foldBody}>{children}</div>
    </details>
  );
}

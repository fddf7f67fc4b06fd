import { ActionIcon, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "./copy.module.css";

/** Copies a text; says so in its icon, its tooltip and to assistive technology. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 1500 });
  const label = clipboard.copied ? t("copy.done") : t("copy.what", { what });
  return (
    <Tooltip label={label}>
      <ActionIcon size={28} aria-label={label} onClick={() => clipboard.copy(text)}>
        {clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** A command or a snippet as it is to be typed, with a button that copies it. */
export function Snippet({ text, what }: { text: string; what: string }) {
  return (
    <div className={classes.snippet}>
      {/* A long command scrolls, so the keyboard must be able to reach it. */}
      <pre className={classes.text} tabIndex={0} role="region" aria-label={what}>
        {text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

import { ActionIcon, Button } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Meter } from "~/components/meter";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import type { Tone } from "~/components/tone";
import { faultText } from "~/lib/fault";
import { formatBytes } from "~/lib/format";
import { useStore } from "~/lib/store";
import { parentRef, shownPath } from "~/modules/files/ref";
import {
  cancelUpload,
  clearUploads,
  retryUpload,
  uploading,
  uploads,
  type Sending,
  type SendState,
} from "~/modules/files/uploads";
import classes from "./files.module.css";

const tones: Record<SendState, Tone> = {
  waiting: "waiting",
  sending: "working",
  paused: "attention",
  checking: "working",
  done: "good",
  failed: "failed",
};

/** What is on its way into a volume. */
export function UploadsPanel({ volumeId }: { volumeId: string }) {
  const { t } = useTranslation();
  const all = useStore(uploads);
  const here = all.filter((each) => each.volumeId === volumeId);
  const busy = uploading();
  useEffect(() => {
    if (!busy) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    globalThis.addEventListener("beforeunload", ask);
    return () => globalThis.removeEventListener("beforeunload", ask);
  }, [busy]);
  if (here.length === 0) return null;
  const done = here.filter((each) => each.state === "done").length;
  return (
    <div className={classes.uploads}>
      <Panel
        title={t("files.uploads")}
        flush
        aside={
          <span className="soft" role="status">
            {t("files.uploaded", { done, count: here.length })}{" "}
            {done > 0 ? (
              <Button size="compact-sm" variant="subtle" color="gray" onClick={clearUploads}>
                {t("files.clear")}
              </Button>
            ) : null}
          </span>
        }
      >
        <ul aria-label={t("files.uploads")}>
          {here.slice(-100).map((each) => (
            <Line key={each.key} sending={each} />
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function Line({ sending }: { sending: Sending }) {
  const { t, i18n } = useTranslation();
  const text = t("files.sent", {
    sent: formatBytes(sending.sent, i18n.language),
    size: formatBytes(sending.size, i18n.language),
  });
  const exists = sending.fault?.code === "CONFLICT";
  return (
    <li className={classes.sending} data-upload={sending.state}>
      <div className={classes.words}>
        <span className="cut">{sending.name}</span>
        <span className={`${classes.under} cut`}>{shownPath(parentRef(sending.ref))}</span>
      </div>
      <StateMark tone={tones[sending.state]} label={t(`files.send.${sending.state}`)} />
      <div>
        <Meter label={sending.name} text={text} used={sending.sent} limit={Math.max(1, sending.size)} plain />
        <span className={classes.under}>{text}</span>
      </div>
      <div className={classes.sendingEnd}>
        {sending.state === "failed" ? (
          <Button size="xs" variant="default" onClick={() => retryUpload(sending.key, exists)}>
            {exists ? t("files.replace") : t("action.retry")}
          </Button>
        ) : null}
        <ActionIcon
          size={32}
          aria-label={t(sending.state === "done" ? "files.forget" : "files.cancelUpload", {
            name: sending.name,
          })}
          onClick={() => cancelUpload(sending.key)}
        >
          <IconX size={16} />
        </ActionIcon>
      </div>
      {sending.fault && sending.state !== "sending" ? (
        <p className={`${classes.wide} ${classes.soft}`}>{faultText(sending.fault, t)}</p>
      ) : null}
    </li>
  );
}

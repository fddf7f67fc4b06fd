import { Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { IconLock } from "@tabler/icons-react";
import { StateIcon } from "~/components/state-mark";
import { faultText, type Fault } from "~/lib/fault";
import classes from "./blank.module.css";

/** Nothing here yet: a picture, a sentence, a button. */
export function Empty({ picture, text, action }: { picture: ReactNode; text: string; action?: ReactNode }) {
  return (
    <div className={classes.blank}>
      {picture}
      <p className={classes.text}>{text}</p>
      {action}
    </div>
  );
}

/** There, but for others: trying again would not help, so it says who can, and leads away. */
export function Withheld({ text }: { text?: string }) {
  const { t } = useTranslation();
  return (
    <div className={classes.blank} data-blank="withheld">
      <IconLock size={28} stroke={1.6} color="var(--text-soft)" aria-hidden />
      <div className={classes.text}>
        <p className={classes.title}>{t("withheld.title")}</p>
        {text ? <p>{text}</p> : null}
        <p>{t("withheld.text")}</p>
      </div>
      <Button variant="default" component={Link} to="/">
        {t("notFound.home")}
      </Button>
    </div>
  );
}

/** It could not be loaded: what happened, and what to do. Only what may go better is tried again. */
export function Failed({ fault, retry }: { fault: Fault; retry: () => void }) {
  const { t } = useTranslation();
  if (fault.code === "FORBIDDEN") return <Withheld text={faultText(fault, t)} />;
  if (fault.code === "NOT_FOUND") {
    return (
      <div className={classes.blank} role="alert" data-blank="missing">
        <StateIcon tone="waiting" size={28} />
        <p className={classes.text}>{faultText(fault, t)}</p>
        <Button variant="default" component={Link} to="/">
          {t("notFound.home")}
        </Button>
      </div>
    );
  }
  return (
    <div className={classes.blank} role="alert" data-blank="failed">
      <StateIcon tone="failed" size={28} />
      <p className={classes.text}>{faultText(fault, t)}</p>
      <Button variant="default" onClick={retry}>
        {t("action.retry")}
      </Button>
    </div>
  );
}

/** Rows of the height that the real ones will have. */
export function SkeletonRows({ rows = 6, height = 56 }: { rows?: number; height?: number }) {
  const { t } = useTranslation();
  return (
    <div className={classes.rows} role="status" aria-label={t("state.loading")}>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className={classes.row} style={{ height }}>
          <Skeleton height={12} width={`${22 - (i % 3) * 4}%`} />
          <Skeleton height={12} width={`${34 - (i % 4) * 5}%`} />
          <Skeleton height={12} width="10%" ml="auto" />
        </div>
      ))}
    </div>
  );
}

/** A block of the size that the real one will have. */
export function SkeletonBlock({ height }: { height: number }) {
  const { t } = useTranslation();
  return <Skeleton height={height} role="status" aria-label={t("state.loading")} />;
}

import { Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
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

/** It could not be loaded: what happened, what to do, and a button that tries again. */
export function Failed({ fault, retry }: { fault: Fault; retry: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={classes.blank} role="alert">
      <StateIcon tone={fault.code === "NOT_FOUND" ? "waiting" : "failed"} size={28} />
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

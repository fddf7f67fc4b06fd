import { useTranslation } from "react-i18next";
import classes from "./log-view.module.css";

/** Stands where a log was that its team keeps no longer. */
export function LogRemoved({ at, days }: { at: string; days: number }) {
  const { t, i18n } = useTranslation();
  const date = new Date(at).toLocaleDateString(i18n.language, { dateStyle: "long" });
  return <p className={classes.removed}>{t("log.removed", { date, count: days })}</p>;
}

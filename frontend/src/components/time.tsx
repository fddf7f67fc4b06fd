import { Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useNow } from "~/lib/clock";
import { formatDuration, formatExact, formatRelative } from "~/lib/format";

/** `5m ago`, with the exact instant on hover and for assistive technology. */
export function RelativeTime({ at }: { at: string }) {
  const { t, i18n } = useTranslation();
  const now = useNow("slow");
  const date = new Date(at);
  const exact = formatExact(date, i18n.language);
  return (
    <Tooltip label={exact}>
      <time dateTime={at} aria-label={exact}>
        {formatRelative(date, new Date(now), i18n.language, t)}
      </time>
    </Tooltip>
  );
}

/** Time from one instant to another, or to now, ticking. */
export function Elapsed({ from, to }: { from: string; to?: string | null }) {
  const { t } = useTranslation();
  const now = useNow(to ? "never" : "second");
  const end = to ? new Date(to).getTime() : now;
  const seconds = (end - new Date(from).getTime()) / 1000;
  return <span>{formatDuration(to ? seconds : Math.floor(Math.max(0, seconds)), t)}</span>;
}

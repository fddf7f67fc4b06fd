import { useTranslation } from "react-i18next";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import type { VolumeRowFragment } from "~/gql/graphql";
import { formatBytes, formatCount, formatExact } from "~/lib/format";
import { useLive } from "~/lib/live";
import { UsageLine } from "~/modules/volume/use-text";
import classes from "./volume-usage.module.css";

const historyQuery = graphql(`
  query VolumeUsageHistory($id: ID!) {
    volume(id: $id) {
      id
      usageHistory(points: 120) {
        at
        usedBytes
        capacityBytes
      }
    }
  }
`);

interface Point {
  at: string;
  usedBytes: number;
}

const width = 600;
const height = 96;

/** The line of a chart from 0 to the largest value, in the units of its view box. */
export function pathOf(points: readonly Point[], most: number): string {
  const times = points.map((point) => new Date(point.at).getTime());
  const first = times[0] ?? 0;
  const span = Math.max(1, (times.at(-1) ?? first) - first);
  return points
    .map((point, i) => {
      const x = (((times[i] ?? first) - first) / span) * width;
      const y = height - (point.usedBytes / Math.max(1, most)) * height;
      return `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}

/** How full the volume is, since when that is known, and how it came to that. */
export function VolumeUsage({ volume }: { volume: VolumeRowFragment }) {
  const { t, i18n } = useTranslation();
  const { data } = useLive({ query: historyQuery, variables: { id: volume.id } });
  const points = data?.volume?.usageHistory ?? [];
  const { usage } = volume;
  const amount = (bytes: number): string => formatBytes(bytes, i18n.language);
  const most = Math.max(volume.sizeBytes, ...points.map((point) => point.usedBytes));
  const [first] = points;
  return (
    <Panel title={t("volume.usage")}>
      {usage ? (
        <div className={classes.now}>
          <UsageLine name={volume.name} usage={usage} size={volume.sizeBytes} />
          <p className="soft">
            {usage.inodes > 0
              ? `${t("volume.inodes", {
                  used: formatCount(usage.inodesUsed, i18n.language),
                  all: formatCount(usage.inodes, i18n.language),
                })} · `
              : null}
            {t(`volume.source.${usage.source}`)} · <RelativeTime at={usage.at} />
          </p>
        </div>
      ) : (
        <p className="soft">{t("volume.usageUnknown")}</p>
      )}
      {points.length > 1 && first ? (
        <figure className={classes.chart}>
          <svg
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={t("volume.historyLabel", {
              from: amount(first.usedBytes),
              to: amount(points.at(-1)?.usedBytes ?? 0),
              since: formatExact(new Date(first.at), i18n.language),
            })}
          >
            <path d={`${pathOf(points, most)}L${width} ${height}L0 ${height}Z`} className={classes.area} />
            <path d={pathOf(points, most)} className={classes.line} vectorEffect="non-scaling-stroke" />
          </svg>
          <figcaption className={classes.axis}>
            <span>
              <RelativeTime at={first.at} />
            </span>
            <span>{t("volume.chartTop", { size: amount(most) })}</span>
            <span>{t("time.now")}</span>
          </figcaption>
        </figure>
      ) : null}
    </Panel>
  );
}

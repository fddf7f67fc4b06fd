import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Meter } from "~/components/meter";
import type { VolumeRowFragment } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import classes from "./volume-list.module.css";

type Usage = NonNullable<VolumeRowFragment["usage"]>;

/** How full a volume is, in a line and a bar; nothing where it is not known. */
export function UsageLine({ name, usage, size }: { name: string; usage: Usage | null; size: number }) {
  const { t, i18n } = useTranslation();
  const amount = (bytes: number): string => formatBytes(bytes, i18n.language);
  if (!usage) return <div>{amount(size)}</div>;
  // A disk that others share too says nothing about this one volume alone.
  const whole = usage.source === "FOLDER" || usage.capacityBytes === 0 ? size : usage.capacityBytes;
  const text = t("volume.usedOf", { used: amount(usage.usedBytes), size: amount(whole) });
  return (
    <div>
      <div>{text}</div>
      <Meter label={t("volume.usageLabel", { name })} text={text} used={usage.usedBytes} limit={whole} />
    </div>
  );
}

interface Use {
  id: string;
  name: string;
  readOnly?: boolean;
}

/** Where somebody who mounts it has a page; in another team it is a share or a team that is told. */
function pageOf(id: string): string | null {
  if (id.startsWith("run-")) return `/runs/${id}`;
  return id.startsWith("ins-") ? `/instances/${id}` : null;
}

/** Who mounts it, each with a way there. */
export function UseList({ uses, empty }: { uses: readonly Use[]; empty: string }) {
  const { t } = useTranslation();
  if (uses.length === 0) return <span className="soft">{empty}</span>;
  return (
    <ul className={classes.uses} aria-label={t("volume.usedBy")}>
      {uses.map((use) => (
        <li key={use.id}>
          <UseName name={use.name} to={pageOf(use.id)} />
          {use.readOnly === undefined ? null : (
            <span className="soft"> · {use.readOnly ? t("mount.readOnly") : t("mount.readWrite")}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

function UseName({ name, to }: { name: string; to: string | null }) {
  return to === null ? name : <Link to={to}>{name}</Link>;
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import type { ShareRowFragment } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import { ReasonLine } from "~/modules/reason/reason";
import { shareTones } from "~/modules/share/fragment";
import { UseList } from "~/modules/volume/use-text";
import classes from "../volume/volume-list.module.css";

interface ShareLineProps {
  share: ShareRowFragment;
  /** Seen by who has it, else by who gave it. */
  incoming: boolean;
  actions: ReactNode;
}

/** A share in a line: what, with whom, how and how long. */
export function ShareLine({ share, incoming, actions }: ShareLineProps) {
  const { t, i18n } = useTranslation();
  const files = incoming && share.state === "ACCEPTED" && share.ready;
  const title = incoming ? share.volumeName : share.grantee;
  return (
    <li className={classes.row} data-share={share.state}>
      <div className={classes.cell}>
        <div className={classes.name}>
          {files ? <Link to={`/shares/${share.id}/files`}>{title}</Link> : title}
        </div>
        <div className={classes.under}>
          {incoming
            ? t("share.from", { name: share.ownerName || share.grantedByName, team: share.fromTeamName })
            : t(`share.grantee.${share.granteeKind}`)}
        </div>
      </div>
      <div className={classes.cell}>
        <StateMark tone={shareTones[share.state]} label={t(`share.state.${share.state}`)} />
        <div className={classes.under}>
          {share.reason ? (
            <ReasonLine reason={share.reason} />
          ) : share.lapsesAt ? (
            <>
              {t("share.lapses")} <RelativeTime at={share.lapsesAt} />
            </>
          ) : share.endsAt ? (
            <>
              {t("share.ends")} <RelativeTime at={share.endsAt} />
            </>
          ) : null}
        </div>
      </div>
      <div className={classes.cell}>
        <div>{t(share.mode === "READ_ONLY" ? "mount.readOnly" : "mount.readWrite")}</div>
        <div className={classes.under}>
          {incoming && share.sizeBytes
            ? formatBytes(share.sizeBytes, i18n.language)
            : (share.team?.name ?? "")}
        </div>
      </div>
      <div className={classes.cell}>
        {share.message ? <p className={classes.under}>“{share.message}”</p> : null}
        {share.message && share.usedBy.length === 0 ? null : (
          <UseList uses={share.usedBy} empty={t("volume.unused")} />
        )}
      </div>
      <div className={classes.wideActions}>{actions}</div>
    </li>
  );
}

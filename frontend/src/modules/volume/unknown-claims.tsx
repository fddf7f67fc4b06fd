import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { VolumePicture } from "~/components/pictures";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import type { UnknownClaimsQuery } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import { useLive } from "~/lib/live";
import { ReasonLine } from "~/modules/reason/reason";
import { useSession } from "~/modules/session/session";
import { AdoptClaim } from "~/modules/volume/claim-adopt";
import classes from "./volume-list.module.css";

const claimsQuery = graphql(`
  query UnknownClaims($teamId: ID!) {
    unknownClaims(teamId: $teamId) {
      name
      sizeBytes
      storageClass
      accessModes
      phase
      createdAt
      ours
      pods
      obstacle {
        ...ReasonText
      }
    }
  }
`);

export type UnknownClaim = UnknownClaimsQuery["unknownClaims"][number];

/** Claims in the team's namespace that no volume stands for; an administrator makes volumes of them. */
export function UnknownClaims() {
  const { t } = useTranslation();
  const { team } = useSession();
  const { data, fault, loading, reload } = useLive({ query: claimsQuery, variables: { teamId: team.id } });
  const [adopting, setAdopting] = useState<UnknownClaim | null>(null);
  const claims = data?.unknownClaims ?? [];
  return (
    <>
      <p className="soft">{t("volume.claims.text", { namespace: team.namespace })}</p>
      {loading ? <SkeletonRows /> : null}
      {fault && !data ? <Failed fault={fault} retry={reload} /> : null}
      {data && claims.length === 0 ? (
        <Empty picture={<VolumePicture />} text={t("volume.claims.none")} />
      ) : null}
      {claims.length > 0 ? (
        <div className={classes.frame}>
          <ul className={classes.list} aria-label={t("volume.claims.title")}>
            {claims.map((claim) => (
              <Line key={claim.name} claim={claim} onAdopt={() => setAdopting(claim)} />
            ))}
          </ul>
        </div>
      ) : null}
      {adopting ? (
        <AdoptClaim
          teamId={team.id}
          claim={adopting}
          onClose={() => setAdopting(null)}
          onDone={() => {
            setAdopting(null);
            reload();
          }}
        />
      ) : null}
    </>
  );
}

function Line({ claim, onAdopt }: { claim: UnknownClaim; onAdopt: () => void }) {
  const { t, i18n } = useTranslation();
  return (
    <li className={classes.row}>
      <div className={classes.cell}>
        <div className={classes.name}>{claim.name}</div>
        <div className={classes.under}>{t(claim.ours ? "volume.claims.ours" : "volume.claims.foreign")}</div>
      </div>
      <div className={classes.cell}>
        <StateMark tone={claim.obstacle ? "attention" : "good"} label={claim.phase} />
        {claim.obstacle ? (
          <div className={classes.under}>
            <ReasonLine reason={claim.obstacle} />
          </div>
        ) : null}
      </div>
      <div className={classes.cell}>
        <div>{formatBytes(claim.sizeBytes, i18n.language)}</div>
        <div className={classes.under}>
          {[claim.accessModes.join(", "), claim.storageClass].filter((part) => part !== "").join(" · ")}
        </div>
      </div>
      <div className={classes.cell}>
        <div className={classes.under}>
          {claim.pods.length === 0
            ? t("volume.unused")
            : t("volume.claims.pods", { names: claim.pods.join(", ") })}
        </div>
        <div className={classes.under}>
          <RelativeTime at={claim.createdAt} />
        </div>
      </div>
      <div className={classes.wideActions}>
        {claim.obstacle ? null : (
          <Button
            size="xs"
            variant="default"
            aria-label={t("volume.claims.adoptNamed", { name: claim.name })}
            onClick={onAdopt}
          >
            {t("volume.claims.adopt")}
          </Button>
        )}
      </div>
    </li>
  );
}

import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Panel } from "~/components/panel";
import { graphql, readFragment } from "~/gql";
import type { ShareRowFragment } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { shareFragment } from "~/modules/share/fragment";
import { EndShare } from "~/modules/share/share-end";
import { ChangeShare, GrantShare } from "~/modules/share/share-form";
import { ShareLine } from "~/modules/share/share-line";
import classes from "../volume/volume-list.module.css";

const sharesQuery = graphql(`
  query OutgoingShares($volumeId: ID!) {
    shares(direction: OUTGOING, first: 100, filter: { volumeId: $volumeId, states: [OFFERED, ACCEPTED] }) {
      nodes {
        ...ShareRow
      }
    }
  }
`);

const pollMs = 10_000;

type Asking = { what: "grant" } | { what: "change" | "end"; share: ShareRowFragment } | null;

interface VolumeSharesProps {
  volumeId: string;
  volumeName: string;
}

/** With whom a volume is shared; for who manages it. */
export function VolumeShares({ volumeId, volumeName }: VolumeSharesProps) {
  const { t } = useTranslation();
  const { data, fault, reload } = useLive({ query: sharesQuery, variables: { volumeId } });
  usePoll(reload, pollMs);
  const [asking, setAsking] = useState<Asking>(null);
  const rows = readFragment(shareFragment, data?.shares.nodes ?? []);
  const close = (): void => setAsking(null);
  const done = (): void => {
    setAsking(null);
    reload();
  };
  return (
    <Panel
      title={t("share.title")}
      flush={rows.length > 0}
      aside={
        <Button size="xs" variant="default" onClick={() => setAsking({ what: "grant" })}>
          {t("share.grant")}
        </Button>
      }
    >
      {fault && !data ? <p className="soft">{faultText(fault, t)}</p> : null}
      {data && rows.length === 0 ? <p className="soft">{t("share.none")}</p> : null}
      {rows.length > 0 ? (
        <div className={classes.frame}>
          <ul className={classes.plain} aria-label={t("share.title")}>
            {rows.map((share) => (
              <ShareLine
                key={share.id}
                share={share}
                incoming={false}
                actions={
                  <>
                    {share.can.change ? (
                      <Button
                        size="xs"
                        variant="default"
                        onClick={() => setAsking({ what: "change", share })}
                      >
                        {t("share.change")}
                      </Button>
                    ) : null}
                    {share.can.revoke ? (
                      <Button size="xs" variant="default" onClick={() => setAsking({ what: "end", share })}>
                        {t("share.revoke")}
                      </Button>
                    ) : null}
                  </>
                }
              />
            ))}
          </ul>
        </div>
      ) : null}
      {asking?.what === "grant" ? (
        <GrantShare volumeId={volumeId} volumeName={volumeName} onClose={close} onDone={done} />
      ) : null}
      {asking?.what === "change" ? <ChangeShare share={asking.share} onClose={close} onDone={done} /> : null}
      {asking?.what === "end" ? (
        <EndShare share={asking.share} way="revoke" onClose={close} onDone={done} />
      ) : null}
    </Panel>
  );
}

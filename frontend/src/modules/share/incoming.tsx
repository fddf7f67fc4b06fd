import { Button, Select } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { VolumePicture } from "~/components/pictures";
import { graphql, readFragment } from "~/gql";
import type { ShareRowFragment } from "~/gql/graphql";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { usePages } from "~/lib/pages";
import { usePoll } from "~/lib/poll";
import { useSession } from "~/modules/session/session";
import { shareFragment } from "~/modules/share/fragment";
import { EndShare } from "~/modules/share/share-end";
import { ShareLine } from "~/modules/share/share-line";
import { AskDialog } from "~/modules/volume/ask-dialog";
import classes from "../volume/volume-list.module.css";

const incomingQuery = graphql(`
  query IncomingShares($first: Int, $after: String, $filter: ShareFilter) {
    shares(direction: INCOMING, first: $first, after: $after, filter: $filter) {
      nodes {
        ...ShareRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const acceptMutation = graphql(`
  mutation AcceptShare($id: ID!, $teamId: ID) {
    acceptShare(id: $id, teamId: $teamId) {
      share {
        ...ShareRow
      }
    }
  }
`);

const declineMutation = graphql(`
  mutation DeclineShare($id: ID!, $confirm: Boolean!) {
    declineShare(id: $id, confirm: $confirm) {
      share {
        ...ShareRow
      }
    }
  }
`);

const pollMs = 10_000;

/** What others share with the viewer and their teams; offers wait to be accepted. */
export function IncomingShares() {
  const { t } = useTranslation();
  const { data, fault, loading, reload, refresh, more } = usePages(incomingQuery, {
    filter: { states: ["OFFERED", "ACCEPTED"] },
  });
  usePoll(refresh, pollMs);
  const [asking, setAsking] = useState<{
    what: "accept" | "decline" | "back";
    share: ShareRowFragment;
  } | null>(null);
  const rows = readFragment(shareFragment, data?.shares.nodes ?? []);
  if (loading) return <SkeletonRows />;
  if (!data && fault) return <Failed fault={fault} retry={reload} />;
  if (rows.length === 0) return <Empty picture={<VolumePicture />} text={t("share.noneIncoming")} />;
  const done = (): void => {
    setAsking(null);
    refresh();
  };
  return (
    <>
      <div className={classes.frame}>
        <ul className={classes.list} aria-label={t("share.incoming")}>
          {rows.map((share) => (
            <ShareLine
              key={share.id}
              share={share}
              incoming
              actions={
                <>
                  {share.can.accept ? (
                    <Button size="xs" onClick={() => setAsking({ what: "accept", share })}>
                      {t("share.accept")}
                    </Button>
                  ) : null}
                  {share.can.decline ? (
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() =>
                        setAsking({ what: share.state === "OFFERED" ? "decline" : "back", share })
                      }
                    >
                      {t(share.state === "OFFERED" ? "share.decline" : "share.giveBack")}
                    </Button>
                  ) : null}
                </>
              }
            />
          ))}
        </ul>
      </div>
      {data?.shares.pageInfo.hasNextPage ? (
        <Button variant="default" mt="md" onClick={() => more(data.shares.pageInfo.endCursor)}>
          {t("action.loadMore")}
        </Button>
      ) : null}
      {asking?.what === "accept" ? (
        <Accept share={asking.share} onClose={() => setAsking(null)} onDone={done} />
      ) : null}
      {asking?.what === "decline" ? (
        <Decline share={asking.share} onClose={() => setAsking(null)} onDone={done} />
      ) : null}
      {asking?.what === "back" ? (
        <EndShare share={asking.share} way="back" onClose={() => setAsking(null)} onDone={done} />
      ) : null}
    </>
  );
}

interface AnswerProps {
  share: ShareRowFragment;
  onClose: () => void;
  onDone: () => void;
}

function Accept({ share, onClose, onDone }: AnswerProps) {
  const { t } = useTranslation();
  const { teams, team } = useSession();
  const [accept] = useAction(acceptMutation);
  const person = share.granteeKind === "USER";
  const own = teams.filter((each) => each.viewerRole && each.viewerRole !== "VIEWER");
  const [teamId, setTeamId] = useState(own.find((each) => each.id === team.id)?.id ?? own[0]?.id ?? "");
  return (
    <AskDialog
      title={t("share.acceptTitle", { name: share.volumeName })}
      submit={t("share.accept")}
      disabled={person && teamId === ""}
      onClose={onClose}
      ask={async () => {
        const { fault } = await accept({ id: share.id, teamId: person ? teamId : null });
        if (fault) return fault;
        notifyDone(t("share.accepted", { name: share.volumeName }));
        onDone();
        return undefined;
      }}
    >
      <p>
        {t(share.mode === "READ_ONLY" ? "share.acceptRead" : "share.acceptWrite", {
          name: share.ownerName || share.grantedByName,
          team: share.fromTeamName,
        })}
      </p>
      {person ? (
        <Select
          label={t("share.intoTeam")}
          description={t("share.intoTeamHint")}
          data={own.map((each) => ({ value: each.id, label: each.name }))}
          value={teamId || null}
          onChange={(id) => setTeamId(id ?? "")}
          allowDeselect={false}
        />
      ) : null}
    </AskDialog>
  );
}

function Decline({ share, onClose, onDone }: AnswerProps) {
  const { t } = useTranslation();
  const [decline] = useAction(declineMutation);
  return (
    <AskDialog
      title={t("share.declineTitle", { name: share.volumeName })}
      submit={t("share.decline")}
      onClose={onClose}
      ask={async () => {
        const { fault } = await decline({ id: share.id, confirm: false });
        if (fault) return fault;
        onDone();
        return undefined;
      }}
    >
      <p>{t("share.declineText")}</p>
    </AskDialog>
  );
}

/** Says, where volumes are looked at, that something waits to be accepted. */
export function useOffers(): number {
  const { data } = usePages(incomingQuery, { filter: { states: ["OFFERED"] } });
  return data?.shares.nodes.length ?? 0;
}

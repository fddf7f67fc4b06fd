import { Radio, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SkeletonBlock } from "~/components/blank";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { ShareAfter, ShareRowFragment } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { AskDialog } from "~/modules/volume/ask-dialog";

const previewQuery = graphql(`
  query PreviewRevokeShare($id: ID!) {
    previewRevokeShare(id: $id) {
      stopped
      usedBy {
        id
        name
        kind
        ownerName
        readOnly
      }
    }
  }
`);

const revokeMutation = graphql(`
  mutation RevokeShare($id: ID!, $confirm: Boolean!, $after: ShareAfter!) {
    revokeShare(id: $id, confirm: $confirm, after: $after) {
      share {
        ...ShareRow
      }
    }
  }
`);

const giveBackMutation = graphql(`
  mutation GiveBackShare($id: ID!) {
    declineShare(id: $id, confirm: true) {
      share {
        ...ShareRow
      }
    }
  }
`);

interface EndShareProps {
  share: ShareRowFragment;
  /** Taken back by who gave it, or given back by who has it. */
  way: "revoke" | "back";
  onClose: () => void;
  onDone: () => void;
}

function names(uses: readonly { name: string; ownerName: string }[]): string {
  return uses.map((use) => `${use.name} (${use.ownerName})`).join(", ");
}

/** The end of a share: names what is restarted or stopped. The data stays. */
export function EndShare({ share, way, onClose, onDone }: EndShareProps) {
  const { t } = useTranslation();
  const { data, fault } = useLive({ query: previewQuery, variables: { id: share.id } });
  const [after, setAfter] = useState<ShareAfter>("RESTART");
  const [revoke] = useAction(revokeMutation);
  const [giveBack] = useAction(giveBackMutation);
  const preview = data?.previewRevokeShare;
  const instances = preview?.usedBy.filter((use) => use.kind === "INSTANCE") ?? [];
  const runs = preview?.usedBy.filter((use) => use.kind === "RUN") ?? [];
  return (
    <AskDialog
      title={t(way === "revoke" ? "share.revokeTitle" : "share.backTitle", {
        name: share.volumeName,
        grantee: share.grantee,
      })}
      submit={t(way === "revoke" ? "share.revoke" : "share.giveBack")}
      danger
      disabled={!preview}
      onClose={onClose}
      ask={async () => {
        const result =
          way === "revoke"
            ? await revoke({ id: share.id, confirm: true, after })
            : await giveBack({ id: share.id });
        if (result.fault) return result.fault;
        notifyDone(t("share.ended", { name: share.volumeName }));
        onDone();
        return undefined;
      }}
    >
      {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
      {!preview && !fault ? <SkeletonBlock height={80} /> : null}
      {preview ? (
        <>
          <p>{t("share.dataStays")}</p>
          {instances.length > 0 ? (
            <Notice tone="attention" title={t("share.instances", { names: names(instances) })} />
          ) : null}
          {runs.length > 0 ? (
            <Notice tone="attention" title={t("share.runs", { names: names(runs) })} />
          ) : null}
          {preview.stopped > 0 ? <p>{t("share.stopped", { count: preview.stopped })}</p> : null}
          {way === "revoke" && instances.length > 0 ? (
            <Radio.Group
              label={t("share.after")}
              value={after}
              onChange={(value) => setAfter(value === "STOP" ? "STOP" : "RESTART")}
            >
              <Stack gap={8} mt={6}>
                <Radio value="RESTART" label={t("share.afterRestart")} />
                <Radio value="STOP" label={t("share.afterStop")} />
              </Stack>
            </Radio.Group>
          ) : null}
        </>
      ) : null}
    </AskDialog>
  );
}

import { useDebouncedValue } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { PreviewShareQuery, ShareTargetInput } from "~/gql/graphql";
import type { Fault } from "~/lib/fault";
import { formatExact } from "~/lib/format";
import { useLive } from "~/lib/live";
import { ReasonNotice } from "~/modules/reason/reason";

const previewQuery = graphql(`
  query PreviewShare($input: ShareTargetInput!) {
    previewShare(input: $input) {
      atOnce
      acrossTeams
      lapsesAt
      reason {
        ...ReasonText
      }
      usedBy {
        id
        name
      }
    }
  }
`);

export interface SharePreviewed {
  /** Null until the target is named. */
  preview: PreviewShareQuery["previewShare"] | null;
  /** What stands in the way whoever it is for: what is wrong with a half-typed address is told once it is sent. */
  refused: string | null;
  /** It would be refused. */
  impossible: boolean;
}

/** What of a refusal is not about the grantee's name. */
export function refusalOf(fault: Fault | undefined): string | null {
  const said = (fault?.fields ?? [])
    .filter((field) => !/(^|\.)grantee$/.test(field.path))
    .map((field) => field.message);
  return said.length === 0 ? null : [...new Set(said)].join(" ");
}

/** Asks, a moment after typing, what a share would mean. */
export function useSharePreview(target: ShareTargetInput): SharePreviewed {
  const [grantee] = useDebouncedValue(target.grantee.trim(), 300);
  const input = { ...target, grantee };
  const pause = grantee === "" || target.grantee.trim() === "";
  const { data, fault } = useLive({ query: previewQuery, variables: { input }, pause });
  const preview = pause || fault ? null : (data?.previewShare ?? null);
  const refused = pause ? null : refusalOf(fault);
  return {
    preview,
    refused,
    impossible: refused !== null || (preview !== null && !preview.atOnce && !preview.acrossTeams),
  };
}

/** Says it above the button. */
export function SharePreview({ preview, refused }: SharePreviewed) {
  const { t, i18n } = useTranslation();
  if (refused !== null) return <Notice tone="failed" title={refused} live />;
  if (!preview) return null;
  const { atOnce, acrossTeams, reason, lapsesAt, usedBy } = preview;
  return (
    <div aria-live="polite">
      {atOnce ? <p>{t("share.preview.atOnce")}</p> : null}
      {!atOnce && reason ? (
        <ReasonNotice reason={reason} tone={acrossTeams ? "attention" : "failed"} />
      ) : null}
      {!atOnce && !reason ? <p>{t("share.preview.across")}</p> : null}
      {!atOnce && acrossTeams && lapsesAt ? (
        <p className="soft">
          {t("share.preview.lapses", { at: formatExact(new Date(lapsesAt), i18n.language) })}
        </p>
      ) : null}
      {usedBy.length > 0 ? (
        <p className="soft">
          {t("share.preview.usedBy", { names: usedBy.map((use) => use.name).join(", ") })}
        </p>
      ) : null}
    </div>
  );
}

import { Button, NumberInput, Switch } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { TFunction } from "i18next";
import { Facts } from "~/components/facts";
import { Notice } from "~/components/notice";
import { Panel } from "~/components/panel";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { TeamRetentionFragment } from "~/gql/graphql";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { AskDialog } from "~/modules/volume/ask-dialog";

export const retentionFragment = graphql(`
  fragment TeamRetention on TeamRetention {
    own {
      logDays
      runDays
    }
    effective {
      logDays
      runDays
    }
    platform {
      logDays
      runDays
    }
    mostDays
  }
`);

const setMutation = graphql(`
  mutation SetTeamRetention($input: SetTeamRetentionInput!) {
    setTeamRetention(input: $input) {
      team {
        id
        retention {
          ...TeamRetention
        }
      }
    }
  }
`);

const mostDays = 36_500;

function runText(days: number, t: TFunction): string {
  return days === 0 ? t("retention.forEver") : t("retention.days", { count: days });
}

function logText(days: number, t: TFunction): string {
  return days === 0 ? t("retention.asRuns") : t("retention.days", { count: days });
}

interface RetentionProps {
  teamId: string;
  retention: FragmentType<typeof retentionFragment>;
  /** May change it. */
  change: boolean;
  onChange: () => void;
}

/** How long a team keeps what has ended. */
export function Retention({ teamId, retention, change, onChange }: RetentionProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(false);
  const kept = readFragment(retentionFragment, retention);
  return (
    <Panel
      title={t("retention.title")}
      aside={
        change ? (
          <Button variant="default" size="xs" onClick={() => setAsked(true)}>
            {t("retention.change")}
          </Button>
        ) : (
          <span className="soft">{t(kept.own ? "retention.own" : "retention.platform")}</span>
        )
      }
    >
      <Facts
        facts={[
          { name: t("retention.logs"), value: logText(kept.effective.logDays, t) },
          { name: t("retention.runs"), value: runText(kept.effective.runDays, t) },
        ]}
      />
      {asked ? (
        <EditRetention
          teamId={teamId}
          kept={kept}
          onClose={() => setAsked(false)}
          onDone={() => {
            setAsked(false);
            onChange();
          }}
        />
      ) : null}
    </Panel>
  );
}

interface EditProps {
  teamId: string;
  kept: TeamRetentionFragment;
  onClose: () => void;
  onDone: () => void;
}

function EditRetention({ teamId, kept, onClose, onDone }: EditProps) {
  const { t } = useTranslation();
  const [set] = useAction(setMutation);
  const [own, setOwn] = useState(kept.own !== null && kept.own !== undefined);
  const [logDays, setLogDays] = useState<number | string>((kept.own ?? kept.effective).logDays);
  const [runDays, setRunDays] = useState<number | string>((kept.own ?? kept.effective).runDays);
  const most = kept.mostDays === 0 ? mostDays : kept.mostDays;
  return (
    <AskDialog
      title={t("retention.ask")}
      submit={t("action.save")}
      disabled={own && (logDays === "" || runDays === "")}
      onClose={onClose}
      ask={async () => {
        const retention = own ? { logDays: Number(logDays), runDays: Number(runDays) } : null;
        const { fault } = await set({ input: { teamId, retention } });
        if (fault) return fault;
        notifyDone(t("retention.saved"));
        onDone();
        return undefined;
      }}
    >
      <Switch
        label={t("retention.ownLabel")}
        description={t("retention.ownHint", {
          logs: logText(kept.platform.logDays, t),
          runs: runText(kept.platform.runDays, t),
        })}
        checked={own}
        onChange={(event) => setOwn(event.currentTarget.checked)}
      />
      {own ? (
        <>
          <NumberInput
            label={t("retention.logDays")}
            description={t("retention.logHint")}
            value={logDays}
            onChange={setLogDays}
            min={0}
            max={most}
            allowDecimal={false}
          />
          <NumberInput
            label={t("retention.runDays")}
            description={
              kept.mostDays === 0
                ? t("retention.runHint")
                : t("retention.runHintMost", { most: runText(kept.mostDays, t) })
            }
            value={runDays}
            onChange={setRunDays}
            min={0}
            max={most}
            allowDecimal={false}
          />
        </>
      ) : null}
      <Notice tone="attention" title={t("retention.warning")} />
    </AskDialog>
  );
}

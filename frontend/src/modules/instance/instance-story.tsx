import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { Panel } from "~/components/panel";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { PhaseTimeline } from "~/modules/reason/phase-timeline";
import { ReasonNotice } from "~/modules/reason/reason";
import { isDown, reasonTone } from "~/modules/instance/state";
import type { InstanceActions } from "~/modules/instance/actions";

export const instanceStoryFragment = graphql(`
  fragment InstanceStory on Instance {
    id
    state
    restartToApply
    reason {
      ...ReasonText
    }
    timeline {
      ...PhaseItem
    }
    can {
      start
      restart
    }
  }
`);

interface InstanceStoryProps {
  instance: FragmentType<typeof instanceStoryFragment>;
  actions: InstanceActions;
}

/** How the start goes or went, and why it is where it is. */
export function InstanceStory({ instance, actions }: InstanceStoryProps) {
  const { t } = useTranslation();
  const it = readFragment(instanceStoryFragment, instance);
  const down = isDown(it.state);
  return (
    <>
      {it.restartToApply ? (
        <Notice
          tone="attention"
          title={t("instance.restartToApply")}
          action={
            it.can.restart ? (
              <Button
                variant="default"
                size="xs"
                loading={actions.busy}
                onClick={() => void actions.restart()}
              >
                {t("instance.restartNow")}
              </Button>
            ) : null
          }
        />
      ) : null}
      {it.reason ? <ReasonNotice reason={it.reason} tone={reasonTone(it.state)} /> : null}
      {it.timeline.length > 0 ? (
        <Panel title={down ? t("phase.lastStart") : t("phase.start")}>
          <PhaseTimeline
            phases={it.timeline}
            outcome={it.state === "FAILED" ? "failed" : it.state === "UNHEALTHY" ? "attention" : "going"}
            ended={down}
          />
        </Panel>
      ) : null}
    </>
  );
}

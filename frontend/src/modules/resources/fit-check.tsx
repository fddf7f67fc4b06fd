import { useDebouncedValue } from "@mantine/hooks";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { StateIcon } from "~/components/state-mark";
import { graphql, readFragment } from "~/gql";
import type { TaskClass } from "~/gql/graphql";
import { useLive } from "~/lib/live";
import { reasonFragment } from "~/modules/reason/reason";
import { toResourcesInput, type ResourceValues } from "~/modules/resources/quantity";
import classes from "./resource-fields.module.css";

const fitQuery = graphql(`
  query Fit($teamId: ID!, $resources: ResourcesInput!, $class: TaskClass!) {
    fit(teamId: $teamId, resources: $resources, class: $class) {
      nodes
      reason {
        ...ReasonText
      }
    }
  }
`);

interface FitCheckProps {
  teamId: string;
  class?: TaskClass;
  values: ResourceValues;
}

/** Says, a moment after typing, whether the request fits the quota and the nodes now. */
export function FitCheck({ teamId, class: taskClass = "TEST", values }: FitCheckProps) {
  const { t } = useTranslation();
  const [settled] = useDebouncedValue(values, 250);
  const resources = useMemo(() => toResourcesInput(settled), [settled]);
  const { data, fault } = useLive({
    query: fitQuery,
    variables: { teamId, resources: resources ?? { cpu: "1", memory: "1Gi", gpu: 0 }, class: taskClass },
    pause: resources === null,
  });
  return (
    <div className={classes.fit} role="status" data-fit={fitWord(data?.fit.nodes, data?.fit.reason)}>
      {resources === null || fault || !data ? (
        <span className="soft">
          {fault?.code === "INVALID_ARGUMENT" ? fault.message : resources !== null && t("resources.checking")}
        </span>
      ) : (
        <FitSentence nodes={data.fit.nodes} reason={readFragment(reasonFragment, data.fit.reason)} />
      )}
    </div>
  );
}

function fitWord(nodes: readonly string[] | undefined, reason: unknown): string {
  if (!nodes) return "unknown";
  if (!reason) return "fits";
  return nodes.length > 0 ? "waits" : "no";
}

function FitSentence({
  nodes,
  reason,
}: {
  nodes: readonly string[];
  reason: { text: string; advice: string } | null | undefined;
}) {
  const { t } = useTranslation();
  if (!reason) {
    return (
      <>
        <StateIcon tone="good" />
        <span title={nodes.join(", ")}>{t("resources.fits", { count: nodes.length })}</span>
      </>
    );
  }
  return (
    <>
      <StateIcon tone="attention" />
      <span>
        {reason.text} <span className={classes.advice}>{reason.advice}</span>
      </span>
    </>
  );
}

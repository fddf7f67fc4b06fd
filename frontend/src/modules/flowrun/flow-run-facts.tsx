import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { Facts, type Fact } from "~/components/facts";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import type { FlowRunHeadFragment } from "~/gql/graphql";
import { formatDuration } from "~/lib/format";
import { clockText } from "~/modules/flow/zoned";

interface FlowRunFactsProps {
  head: FlowRunHeadFragment;
  flow: { id: string; name: string; lastRuns: readonly { id: string; localTime: string }[] };
  owner: string;
  parameters: Record<string, unknown>;
}

/** What was run, for which time, as whom, with what. */
export function FlowRunFacts({ head, flow, owner, parameters }: FlowRunFactsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const given = Object.entries(parameters);
  const facts: Fact[] = [
    { name: t("flow.one"), value: <Link to={`/flows/${flow.id}`}>{flow.name}</Link> },
    { name: t("flow.facts.version"), value: `v${head.number}` },
    {
      name: t("flow.run.logical"),
      value: (
        <>
          <div className="mono">{head.localTime}</div>
          <div className="soft">{head.timezone}</div>
        </>
      ),
    },
    ...(head.lateness === null || head.lateness === undefined
      ? []
      : [{ name: t("flowRun.lateness"), value: formatDuration(head.lateness, t) }]),
    {
      name: t("flowRun.causeLabel"),
      value: [t(`flowRun.cause.${head.cause}`), head.actor?.displayName].filter(Boolean).join(" · "),
    },
    { name: t("flowRun.runsAs"), value: owner },
    ...(given.length > 0
      ? [
          {
            name: t("flow.parameters"),
            value: given.map(([name, value]) => (
              <div key={name} className="mono">
                {name}={typeof value === "string" ? value : JSON.stringify(value)}
              </div>
            )),
          },
        ]
      : []),
    { name: t("facts.created"), value: <RelativeTime at={head.createdAt} /> },
    { name: "ID", value: <span className="mono">{head.id}</span> },
  ];
  const others = flow.lastRuns.filter((run) => run.id !== head.id).toReversed();
  return (
    <Panel title={t("facts.title")}>
      <Facts facts={facts} />
      {others.length > 0 ? (
        <Select
          mt="md"
          size="xs"
          label={t("flowRun.compareWith")}
          placeholder={t("flowRun.chooseRun")}
          data={others.map((run) => ({ value: run.id, label: clockText(run.localTime) }))}
          value={null}
          onChange={(other) => other && void navigate(`/flow-runs/${head.id}/compare/${other}`)}
        />
      ) : null}
    </Panel>
  );
}

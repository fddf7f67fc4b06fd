import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Facts, type Fact } from "~/components/facts";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import type { FlowHeadFragment, FlowRowFragment } from "~/gql/graphql";
import type { FlowSpec } from "~/modules/flow/spec";
import { scheduleExpression, scheduleWords, spanWords } from "~/modules/flow/words";

interface FlowFactsProps {
  row: FlowRowFragment;
  head: FlowHeadFragment;
  spec: FlowSpec;
}

/** What a flow says of itself, in short. */
export function FlowFacts({ row, head, spec }: FlowFactsProps) {
  const { t, i18n } = useTranslation();
  const expression = scheduleExpression(row.schedule, t, i18n.language);
  const span = (name: string, text: string | undefined): Fact[] =>
    text ? [{ name, value: spanWords(text, t) }] : [];
  const facts: Fact[] = [
    {
      name: t("flow.facts.schedule"),
      value: (
        <>
          <div>{scheduleWords(row.schedule, t, i18n.language)}</div>
          {expression === "" ? null : <code>{expression}</code>}
        </>
      ),
    },
    { name: t("facts.owner"), value: row.owner.displayName },
    { name: t("facts.team"), value: head.team.name },
    ...(row.tags.length > 0
      ? [
          {
            name: t("flow.tags"),
            value: row.tags.map((tag) => (
              <span key={tag}>
                <Link to={`/flows?tag=${encodeURIComponent(tag)}`}>#{tag}</Link>{" "}
              </span>
            )),
          },
        ]
      : []),
    { name: t("flow.facts.tasks"), value: String(spec.tasks.length) },
    {
      name: t("facts.class"),
      value: t(spec.class === "online" ? "run.class.ONLINE" : "run.class.TEST"),
    },
    { name: t("flow.facts.concurrency"), value: t(`flow.concurrency.${policy(spec.concurrency)}`) },
    ...span(t("facts.timeout"), spec.timeout),
    ...span(t("flow.facts.finishBy"), spec.finishBy),
    {
      name: t("flow.facts.version"),
      value: (
        <>
          v{head.latest}
          {head.version ? (
            <span className="soft">
              {" "}
              {head.version.author.displayName} <RelativeTime at={head.version.createdAt} />
            </span>
          ) : null}
        </>
      ),
    },
    { name: t("facts.created"), value: <RelativeTime at={head.createdAt} /> },
    { name: "ID", value: <span className="mono">{head.id}</span> },
  ];
  return (
    <Panel title={t("facts.title")}>
      <Facts facts={facts} />
    </Panel>
  );
}

type Policy = "allow" | "forbid" | "replace" | "queue";

function policy(text: string | undefined): Policy {
  return text === "allow" || text === "replace" || text === "queue" ? text : "forbid";
}

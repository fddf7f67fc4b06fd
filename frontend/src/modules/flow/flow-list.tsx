import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useSubscription } from "urql";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { FlowPicture } from "~/components/pictures";
import { RowList } from "~/components/row-list";
import { graphql, readFragment } from "~/gql";
import { usePages } from "~/lib/pages";
import { FlowRow } from "~/modules/flow/flow-row";
import { flowRowFragment } from "~/modules/flow/flow-row-fragment";
import { useSession } from "~/modules/session/session";

const flowsQuery = graphql(`
  query Flows($first: Int, $after: String, $filter: FlowFilter) {
    flows(first: $first, after: $after, filter: $filter) {
      nodes {
        ...FlowRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const flowsChanged = graphql(`
  subscription FlowsChanged($teamId: ID) {
    flowsChanged(teamId: $teamId) {
      ...FlowRow
    }
  }
`);

// A run that begins or ends changes the ticks of its flow.
const runsChanged = graphql(`
  subscription FlowsRunsChanged($teamId: ID) {
    flowRunsChanged(teamId: $teamId) {
      ...FlowSpark
      flow {
        id
        nextFireAt
        lastRuns(last: 10) {
          ...FlowSpark
        }
      }
    }
  }
`);

/** The team's flows as the URL filters them, live. */
export function FlowList() {
  const { t } = useTranslation();
  const { team, mayMake } = useSession();
  const [search] = useSearchParams();
  const mine = search.getAll("who").includes("mine");
  const state = search.get("state");
  const tag = search.get("tag") ?? "";
  const text = search.get("q") ?? "";
  const filtered = mine || state !== null || tag !== "" || text !== "";

  const { data, fault, loading, reload, refresh, more } = usePages(flowsQuery, {
    filter: {
      teamId: team.id,
      ...(mine ? { mine } : {}),
      ...(state === null ? {} : { paused: state === "paused" }),
      ...(tag === "" ? {} : { tag }),
      ...(text === "" ? {} : { search: text }),
    },
  });
  const rows = data?.flows.nodes ?? [];
  const plain = readFragment(flowRowFragment, rows);

  useSubscription({ query: flowsChanged, variables: { teamId: team.id } }, (_, change) => {
    const changed = readFragment(flowRowFragment, change.flowsChanged);
    if (filtered || !plain.some((row) => row.id === changed.id)) refresh();
    return change;
  });
  useSubscription({ query: runsChanged, variables: { teamId: team.id } });

  if (loading) return <SkeletonRows />;
  if (!data && fault) return <Failed fault={fault} retry={reload} />;
  if (rows.length === 0) {
    return filtered ? (
      <Empty
        picture={<FlowPicture />}
        text={t("flow.noneMatch")}
        action={
          <Button variant="default" component={Link} to="/flows">
            {t("action.clearFilters")}
          </Button>
        }
      />
    ) : (
      <Empty
        picture={<FlowPicture />}
        text={t("flow.none")}
        action={
          mayMake ? (
            <Button component={Link} to="/flows/new">
              {t("flow.create")}
            </Button>
          ) : null
        }
      />
    );
  }
  const { hasNextPage, endCursor } = data?.flows.pageInfo ?? {};
  return (
    <>
      <RowList label={t("frame.flows")}>
        {rows.map((row, i) => (
          <FlowRow key={plain[i]?.id ?? i} flow={row} />
        ))}
      </RowList>
      {hasNextPage ? (
        <Button variant="default" mt="md" onClick={() => more(endCursor)}>
          {t("action.loadMore")}
        </Button>
      ) : null}
    </>
  );
}

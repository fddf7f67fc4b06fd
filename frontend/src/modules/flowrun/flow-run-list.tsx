import { Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useSubscription } from "urql";
import { Failed, SkeletonRows } from "~/components/blank";
import { FilterChips } from "~/components/filter-chips";
import { RowList } from "~/components/row-list";
import { graphql, readFragment } from "~/gql";
import type { FlowRunCause, FlowRunState } from "~/gql/graphql";
import { usePages } from "~/lib/pages";
import { FlowRunRow } from "~/modules/flowrun/flow-run-row";
import { flowRunRowFragment } from "~/modules/flowrun/flow-run-row-fragment";
import { flowRunCauses, flowRunGroups, type FlowRunGroup } from "~/modules/flowrun/state";

const runsQuery = graphql(`
  query FlowRuns($first: Int, $after: String, $filter: FlowRunFilter) {
    flowRuns(first: $first, after: $after, filter: $filter) {
      nodes {
        ...FlowRunRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const runsChanged = graphql(`
  subscription FlowRunsChanged($flowId: ID) {
    flowRunsChanged(flowId: $flowId) {
      ...FlowRunRow
    }
  }
`);

const groups = Object.keys(flowRunGroups) as FlowRunGroup[];

function wantedStates(wanted: readonly string[]): FlowRunState[] {
  return wanted.flatMap((group) => (group in flowRunGroups ? [...flowRunGroups[group as FlowRunGroup]] : []));
}

/** The runs of a flow as the URL filters them, live. */
export function FlowRunList({ flowId }: { flowId: string }) {
  const { t } = useTranslation();
  const [search] = useSearchParams();
  const states = wantedStates(search.getAll("state"));
  const causes: FlowRunCause[] = flowRunCauses.filter((cause) => search.getAll("cause").includes(cause));
  const filtered = states.length > 0 || causes.length > 0;
  const { data, fault, loading, reload, refresh, more } = usePages(runsQuery, {
    filter: {
      flowId,
      ...(states.length > 0 ? { states } : {}),
      ...(causes.length > 0 ? { causes } : {}),
    },
  });
  const rows = data?.flowRuns.nodes ?? [];
  const plain = readFragment(flowRunRowFragment, rows);
  useSubscription({ query: runsChanged, variables: { flowId } }, (_, change) => {
    const changed = readFragment(flowRunRowFragment, change.flowRunsChanged);
    if (filtered || !plain.some((row) => row.id === changed.id)) refresh();
    return change;
  });
  const { hasNextPage, endCursor } = data?.flowRuns.pageInfo ?? {};
  return (
    <>
      <Group gap="sm" mb="md">
        <FilterChips
          param="state"
          label={t("filter.state")}
          filters={groups.map((group) => ({ value: group, label: t(`flowRun.group.${group}`) }))}
        />
        <FilterChips
          param="cause"
          label={t("flowRun.causeLabel")}
          filters={flowRunCauses.map((cause) => ({ value: cause, label: t(`flowRun.cause.${cause}`) }))}
        />
      </Group>
      {loading ? (
        <SkeletonRows />
      ) : !data && fault ? (
        <Failed fault={fault} retry={reload} />
      ) : rows.length === 0 ? (
        <p className="soft">{filtered ? t("flowRun.noneMatch") : t("flowRun.none")}</p>
      ) : (
        <>
          <RowList label={t("flowRun.many")}>
            {rows.map((row, i) => (
              <FlowRunRow key={plain[i]?.id ?? i} run={row} />
            ))}
          </RowList>
          {hasNextPage ? (
            <Button variant="default" mt="md" onClick={() => more(endCursor)}>
              {t("action.loadMore")}
            </Button>
          ) : null}
        </>
      )}
    </>
  );
}

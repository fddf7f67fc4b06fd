import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useSubscription } from "urql";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { RunPicture } from "~/components/pictures";
import { RowList } from "~/components/row-list";
import { graphql, readFragment } from "~/gql";
import type { RunState } from "~/gql/graphql";
import { usePages } from "~/lib/pages";
import { RunRow } from "~/modules/run/run-row";
import { runRowFragment } from "~/modules/run/run-row-fragment";
import { runGroups, type RunGroup } from "~/modules/run/state";
import { useSession } from "~/modules/session/session";

const runsQuery = graphql(`
  query Runs($first: Int, $after: String, $filter: RunFilter) {
    runs(first: $first, after: $after, filter: $filter) {
      nodes {
        ...RunRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const runsChanged = graphql(`
  subscription RunsChanged($teamId: ID) {
    runsChanged(teamId: $teamId) {
      ...RunRow
    }
  }
`);

function wantedStates(groups: readonly string[]): RunState[] {
  return groups.flatMap((group) => (group in runGroups ? [...runGroups[group as RunGroup]] : []));
}

/** The team's runs as the URL filters them, live. */
export function RunList() {
  const { t } = useTranslation();
  const { team, mayMake } = useSession();
  const [search] = useSearchParams();
  const states = wantedStates(search.getAll("state"));
  const mine = search.getAll("who").includes("mine");
  const text = search.get("q") ?? "";
  const filtered = states.length > 0 || mine || text !== "";

  const { data, fault, loading, reload, refresh, more } = usePages(runsQuery, {
    filter: {
      teamId: team.id,
      ...(states.length > 0 ? { states } : {}),
      ...(mine ? { mine } : {}),
      ...(text === "" ? {} : { search: text }),
    },
  });
  const rows = data?.runs.nodes ?? [];
  const plain = readFragment(runRowFragment, rows);

  useSubscription({ query: runsChanged, variables: { teamId: team.id } }, (_, change) => {
    const changed = readFragment(runRowFragment, change.runsChanged);
    if (filtered || !plain.some((row) => row.id === changed.id)) refresh();
    return change;
  });

  if (loading) return <SkeletonRows />;
  if (!data && fault) return <Failed fault={fault} retry={reload} />;
  if (rows.length === 0) {
    return filtered ? (
      <Empty
        picture={<RunPicture />}
        text={t("run.noneMatch")}
        action={
          <Button variant="default" component={Link} to="/runs">
            {t("action.clearFilters")}
          </Button>
        }
      />
    ) : (
      <Empty
        picture={<RunPicture />}
        text={t("run.none")}
        action={
          mayMake ? (
            <Button component={Link} to="/runs/new">
              {t("run.create")}
            </Button>
          ) : null
        }
      />
    );
  }
  const { hasNextPage, endCursor } = data?.runs.pageInfo ?? {};
  return (
    <>
      <RowList label={t("frame.runs")}>
        {rows.map((row, i) => (
          <RunRow key={plain[i]?.id ?? i} run={row} />
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

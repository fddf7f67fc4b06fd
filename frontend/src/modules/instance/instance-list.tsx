import { Button } from "@mantine/core";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useSubscription } from "urql";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { InstancePicture } from "~/components/pictures";
import { RowList } from "~/components/row-list";
import { graphql, readFragment } from "~/gql";
import type { InstanceState } from "~/gql/graphql";
import { usePages } from "~/lib/pages";
import { InstanceRow, instanceRowFragment } from "~/modules/instance/instance-row";
import { instanceGroups, type InstanceGroup } from "~/modules/instance/state";
import { useSession } from "~/modules/session/session";

const instancesQuery = graphql(`
  query Instances($first: Int, $after: String, $filter: InstanceFilter) {
    instances(first: $first, after: $after, filter: $filter) {
      nodes {
        ...InstanceRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const instancesChanged = graphql(`
  subscription InstancesChanged($teamId: ID) {
    instancesChanged(teamId: $teamId) {
      ...InstanceRow
    }
  }
`);

/** States behind the chips that are on. */
function wantedStates(groups: readonly string[]): InstanceState[] {
  return groups.flatMap((group) =>
    group in instanceGroups ? [...instanceGroups[group as InstanceGroup]] : [],
  );
}

/** The team's instances as the URL filters them, live. */
export function InstanceList() {
  const { t } = useTranslation();
  const { team, mayMake } = useSession();
  const [search] = useSearchParams();
  const states = wantedStates(search.getAll("state"));
  const mine = search.getAll("who").includes("mine");
  const text = search.get("q") ?? "";
  const filtered = states.length > 0 || mine || text !== "";

  const { data, fault, loading, reload, refresh, more } = usePages(instancesQuery, {
    filter: {
      teamId: team.id,
      ...(states.length > 0 ? { states } : {}),
      ...(mine ? { mine } : {}),
      ...(text === "" ? {} : { search: text }),
    },
  });
  const rows = data?.instances.nodes ?? [];
  const plain = readFragment(instanceRowFragment, rows);

  useSubscription({ query: instancesChanged, variables: { teamId: team.id } }, (_, change) => {
    const changed = readFragment(instanceRowFragment, change.instancesChanged);
    // Rows that are there renew themselves by the cache; who comes or goes needs the list again.
    if (filtered || !plain.some((row) => row.id === changed.id)) refresh();
    return change;
  });

  // Nothing tells that a deleted one is gone, so look until it is.
  const leaving = plain.some((row) => row.state === "DELETING");
  useEffect(() => {
    if (!leaving) return undefined;
    const timer = setInterval(refresh, 2_000);
    return () => clearInterval(timer);
  }, [leaving, refresh]);

  if (loading) return <SkeletonRows />;
  if (!data && fault) return <Failed fault={fault} retry={reload} />;
  if (rows.length === 0) {
    return filtered ? (
      <Empty
        picture={<InstancePicture />}
        text={t("instance.noneMatch")}
        action={
          <Button variant="default" component={Link} to="/instances">
            {t("action.clearFilters")}
          </Button>
        }
      />
    ) : (
      <Empty
        picture={<InstancePicture />}
        text={t("instance.none")}
        action={
          mayMake ? (
            <Button component={Link} to="/instances/new">
              {t("instance.create")}
            </Button>
          ) : null
        }
      />
    );
  }
  const { hasNextPage, endCursor } = data?.instances.pageInfo ?? {};
  return (
    <>
      <RowList label={t("frame.instances")}>
        {rows.map((row, i) => (
          <InstanceRow key={plain[i]?.id ?? i} instance={row} />
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

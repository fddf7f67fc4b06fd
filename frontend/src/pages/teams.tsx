import { Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { FilterChips, SearchBox } from "~/components/filter-chips";
import { Page } from "~/components/page";
import { TeamPicture } from "~/components/pictures";
import { graphql, readFragment } from "~/gql";
import { useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { useSession } from "~/modules/session/session";
import { resourceName } from "~/modules/team/amount";
import { orders, sorted, TeamList, teamLineFragment } from "~/modules/team/team-list";

const teamsQuery = graphql(`
  query Teams {
    teams(first: 200) {
      nodes {
        ...TeamLine
      }
    }
  }
`);

const pollMs = 15_000;

/** The teams that the viewer sees: one's own, or all of them for who runs the platform. */
export function TeamsPage() {
  const { t } = useTranslation();
  const { administrator } = useSession();
  const [search] = useSearchParams();
  const { data, fault, loading, reload } = useLive({ query: teamsQuery, variables: {} });
  usePoll(reload, pollMs);
  const chosen = search.get("by");
  const by = orders.find((each) => each === chosen) ?? "name";
  const archived = search.getAll("show").includes("archived");
  const text = (search.get("q") ?? "").toLowerCase();
  const all = data ? readFragment(teamLineFragment, data.teams.nodes) : [];
  const shown = sorted(
    all.filter((team) => (archived || team.state === "ACTIVE") && team.name.toLowerCase().includes(text)),
    by,
  );
  return (
    <Page
      title={t("team.list")}
      subtitle={data ? t("team.listCount", { count: all.length }) : null}
      actions={
        administrator ? (
          <Button component={Link} to="/teams/new">
            {t("team.create")}
          </Button>
        ) : null
      }
    >
      <Group justify="space-between" mb="md" gap="sm">
        <Group gap="xs">
          <FilterChips
            param="by"
            label={t("team.order")}
            filters={orders
              .filter((each) => each !== "name")
              .map((each) => ({ value: each, label: t("team.fullest", { what: resourceName(each, t) }) }))}
            single
          />
          <FilterChips
            param="show"
            label={t("filter.label")}
            filters={[{ value: "archived", label: t("team.withArchived") }]}
          />
        </Group>
        <SearchBox label={t("team.search")} />
      </Group>
      {loading ? <SkeletonRows height={60} /> : null}
      {!data && fault ? <Failed fault={fault} retry={reload} /> : null}
      {data && shown.length === 0 ? <Empty picture={<TeamPicture />} text={t("team.noneMatch")} /> : null}
      {shown.length > 0 ? (
        <TeamList teams={shown} to={(id) => (administrator ? `/teams/${id}` : `/team?team=${id}`)} />
      ) : null}
    </Page>
  );
}

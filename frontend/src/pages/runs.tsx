import { Button, Group } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { FilterChips, SearchBox } from "~/components/filter-chips";
import { Page } from "~/components/page";
import { RunList } from "~/modules/run/run-list";
import { runGroups, type RunGroup } from "~/modules/run/state";
import { useSession } from "~/modules/session/session";

const groups = Object.keys(runGroups) as RunGroup[];

export function RunsPage() {
  const { t } = useTranslation();
  const { mayMake } = useSession();
  return (
    <Page
      title={t("frame.runs")}
      actions={
        mayMake ? (
          <Button component={Link} to="/runs/new" leftSection={<IconPlayerPlay size={16} aria-hidden />}>
            {t("run.create")}
          </Button>
        ) : null
      }
    >
      <Group justify="space-between" mb="md" gap="sm">
        <Group gap="xs">
          <FilterChips
            param="who"
            label={t("filter.whose")}
            filters={[{ value: "mine", label: t("filter.mine") }]}
          />
          <FilterChips
            param="state"
            label={t("filter.state")}
            filters={groups.map((group) => ({ value: group, label: t(`run.group.${group}`) }))}
          />
        </Group>
        <SearchBox label={t("run.search")} />
      </Group>
      <RunList />
    </Page>
  );
}

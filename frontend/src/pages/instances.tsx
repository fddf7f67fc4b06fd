import { Button, Group } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { FilterChips, SearchBox } from "~/components/filter-chips";
import { Page } from "~/components/page";
import { InstanceList } from "~/modules/instance/instance-list";
import { instanceGroups, type InstanceGroup } from "~/modules/instance/state";
import { useSession } from "~/modules/session/session";

const groups = Object.keys(instanceGroups) as InstanceGroup[];

export function InstancesPage() {
  const { t } = useTranslation();
  const { mayMake } = useSession();
  return (
    <Page
      title={t("frame.instances")}
      actions={
        mayMake ? (
          <Button component={Link} to="/instances/new" leftSection={<IconPlus size={16} aria-hidden />}>
            {t("instance.create")}
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
            filters={groups.map((group) => ({ value: group, label: t(`instance.group.${group}`) }))}
          />
        </Group>
        <SearchBox label={t("instance.search")} />
      </Group>
      <InstanceList />
    </Page>
  );
}

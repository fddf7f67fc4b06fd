import { Button, Group } from "@mantine/core";
import { IconFileImport, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { FilterChips, SearchBox } from "~/components/filter-chips";
import { Page } from "~/components/page";
import { FlowList } from "~/modules/flow/flow-list";
import { ImportFlow } from "~/modules/flow/import";
import { TagChips } from "~/modules/flow/tag-chips";
import { useSession } from "~/modules/session/session";

export function FlowsPage() {
  const { t } = useTranslation();
  const { mayMake } = useSession();
  const [importing, setImporting] = useState(false);
  return (
    <Page
      title={t("frame.flows")}
      actions={
        mayMake ? (
          <>
            <Button
              variant="default"
              leftSection={<IconFileImport size={16} aria-hidden />}
              onClick={() => setImporting(true)}
            >
              {t("flow.import")}
            </Button>
            <Button component={Link} to="/flows/new" leftSection={<IconPlus size={16} aria-hidden />}>
              {t("flow.create")}
            </Button>
          </>
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
            label={t("flow.filter.state")}
            single
            filters={[
              { value: "on", label: t("flow.filter.on") },
              { value: "paused", label: t("flow.filter.paused") },
            ]}
          />
          <TagChips />
        </Group>
        <SearchBox label={t("flow.search")} />
      </Group>
      <FlowList />
      {importing ? <ImportFlow onClose={() => setImporting(false)} /> : null}
    </Page>
  );
}

import { Button, Group } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { FilterChips, SearchBox } from "~/components/filter-chips";
import { Page } from "~/components/page";
import { SecretList } from "~/modules/secret/secret-list";

export function SecretsPage() {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  // `?new` opens the form, so that other pages can link to it.
  const [creating, setCreating] = useState(search.has("new"));
  const close = useCallback(() => {
    setCreating(false);
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete("new");
        return next;
      },
      { replace: true },
    );
  }, [setSearch]);
  return (
    <Page
      title={t("frame.secrets")}
      subtitle={t("secrets.subtitle")}
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          {t("secrets.create")}
        </Button>
      }
    >
      <Group justify="space-between" mb="md" gap="sm">
        <FilterChips
          param="who"
          label={t("filter.whose")}
          filters={[{ value: "mine", label: t("filter.mine") }]}
        />
        <SearchBox label={t("secrets.search")} />
      </Group>
      <SecretList creating={creating} onCreate={() => setCreating(true)} onClose={close} />
    </Page>
  );
}

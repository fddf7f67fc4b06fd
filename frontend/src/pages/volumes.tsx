import { Button, Group } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { FilterChips, SearchBox } from "~/components/filter-chips";
import { Page } from "~/components/page";
import { PlatformVolumes } from "~/modules/platform-volume/platform-volumes";
import { useSession } from "~/modules/session/session";
import { CreateVolume } from "~/modules/volume/volume-create";
import { VolumeList } from "~/modules/volume/volume-list";
import { askAgain } from "~/lib/connection";

export function VolumesPage() {
  const { t } = useTranslation();
  const { team, mayMake } = useSession();
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
      title={t("frame.volumes")}
      actions={
        mayMake ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {t("volume.create")}
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
            param="show"
            label={t("volume.show")}
            filters={[
              { value: "trash", label: t("volume.trash.title") },
              { value: "platform", label: t("platformVolume.title") },
            ]}
            single
          />
        </Group>
        <SearchBox label={t("volume.search")} />
      </Group>
      {search.get("show") === "platform" ? (
        <PlatformVolumes />
      ) : (
        <VolumeList key={search.get("show")} onCreate={() => setCreating(true)} />
      )}
      {creating ? (
        <CreateVolume
          teamId={team.id}
          onClose={close}
          onCreated={() => {
            close();
            askAgain();
          }}
        />
      ) : null}
    </Page>
  );
}

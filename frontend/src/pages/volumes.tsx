import { Box, Button, Group } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { FilterChips, SearchBox } from "~/components/filter-chips";
import { Notice } from "~/components/notice";
import { Page } from "~/components/page";
import { PlatformVolumes } from "~/modules/platform-volume/platform-volumes";
import { useSession } from "~/modules/session/session";
import { IncomingShares, useOffers } from "~/modules/share/incoming";
import { UnknownClaims } from "~/modules/volume/unknown-claims";
import { CreateVolume } from "~/modules/volume/volume-create";
import { VolumeList } from "~/modules/volume/volume-list";
import { askAgain } from "~/lib/connection";

export function VolumesPage() {
  const { t } = useTranslation();
  const { team, mayMake, administrator } = useSession();
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
              { value: "shared", label: t("share.incoming") },
              { value: "trash", label: t("volume.trash.title") },
              { value: "platform", label: t("platformVolume.title") },
              ...(administrator ? [{ value: "claims", label: t("volume.claims.title") }] : []),
            ]}
            single
          />
        </Group>
        <SearchBox label={t("volume.search")} />
      </Group>
      {search.get("show") === "shared" ? null : <Offers />}
      {search.get("show") === "platform" ? (
        <PlatformVolumes />
      ) : search.get("show") === "shared" ? (
        <IncomingShares />
      ) : search.get("show") === "claims" && administrator ? (
        <UnknownClaims key={team.id} />
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

/** What waits to be accepted is told where volumes are. */
function Offers() {
  const { t } = useTranslation();
  const count = useOffers();
  if (count === 0) return null;
  return (
    <Box mb="md">
      <Notice
        tone="attention"
        title={t("share.offers", { count })}
        action={
          <Button size="xs" variant="default" component={Link} to="/volumes?show=shared">
            {t("share.look")}
          </Button>
        }
      />
    </Box>
  );
}

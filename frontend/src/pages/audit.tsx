import { Button, Group } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Withheld } from "~/components/blank";
import { FilterChips, SearchBox } from "~/components/filter-chips";
import { Page } from "~/components/page";
import type { AuditFilter } from "~/gql/graphql";
import { AuditList } from "~/modules/audit/audit-list";
import { useSession } from "~/modules/session/session";

const nouns = [
  "instance",
  "run",
  "flow",
  "flow-run",
  "volume",
  "platform-volume",
  "image",
  "team",
  "invitation",
  "user",
  "password",
  "session",
  "identity",
  "device",
  "token",
  "secret",
  "setting",
] as const;
const formats = ["csv", "jsonl"] as const;

export function AuditPage() {
  const { t } = useTranslation();
  const { team, teams, user } = useSession();
  const [search] = useSearchParams();
  const noun = search.get("what") ?? "";
  const object = search.get("q") ?? "";
  // Besides, owners read what was done in their teams.
  if (user.platformRole === "USER" && !teams.some((each) => each.viewerRole === "OWNER")) {
    return (
      <Page title={t("audit.title")}>
        <Withheld />
      </Page>
    );
  }
  // Who administers or audits the platform sees all of it unless a team is asked for.
  const oneTeam = user.platformRole === "USER" || search.getAll("which").includes("team");
  const filter: AuditFilter = {
    ...(oneTeam ? { teamId: team.id } : {}),
    ...(noun === "" ? {} : { action: noun }),
    ...(object === "" ? {} : { objectId: object.trim() }),
  };
  const query = (format: string): string =>
    new URLSearchParams({ ...(filter as Record<string, string>), format }).toString();
  return (
    <Page
      title={t("audit.title")}
      subtitle={oneTeam ? team.name : t("audit.everything")}
      actions={formats.map((format) => (
        <Button
          key={format}
          variant="default"
          component="a"
          href={`/api/audit?${query(format)}`}
          download
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t(`audit.export.${format}`)}
        </Button>
      ))}
    >
      <Group justify="space-between" mb="md" gap="sm">
        <Group gap="xs">
          {user.platformRole === "USER" ? null : (
            <FilterChips
              param="which"
              label={t("audit.which")}
              filters={[{ value: "team", label: team.name }]}
            />
          )}
          <FilterChips
            param="what"
            label={t("audit.what")}
            filters={nouns.map((each) => ({ value: each, label: t(`audit.noun.${each}`) }))}
            single
          />
        </Group>
        <SearchBox label={t("audit.search")} />
      </Group>
      <AuditList filter={filter} />
    </Page>
  );
}

import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Withheld } from "~/components/blank";
import { FilterChips, SearchBox } from "~/components/filter-chips";
import { Page } from "~/components/page";
import { CreatePerson } from "~/modules/people/person-create";
import { PeopleList } from "~/modules/people/people-list";
import { useSession } from "~/modules/session/session";

const states = ["ACTIVE", "DISABLED", "DEPARTED"] as const;
const roles = ["ADMINISTRATOR", "AUDITOR"] as const;

export function PeoplePage() {
  const { t } = useTranslation();
  const { administrator, user } = useSession();
  const [creating, setCreating] = useState(false);
  const [revision, setRevision] = useState(0);
  if (user.platformRole === "USER") {
    return (
      <Page title={t("people.title")}>
        <Withheld />
      </Page>
    );
  }
  return (
    <Page
      title={t("people.title")}
      actions={administrator ? <Button onClick={() => setCreating(true)}>{t("people.create")}</Button> : null}
    >
      <Group justify="space-between" mb="md" gap="sm">
        <Group gap="xs">
          <FilterChips
            param="state"
            label={t("people.stateLabel")}
            filters={states.map((state) => ({ value: state, label: t(`people.state.${state}`) }))}
            single
          />
          <FilterChips
            param="role"
            label={t("people.roleLabel")}
            filters={roles.map((role) => ({ value: role, label: t(`people.role.${role}`) }))}
            single
          />
        </Group>
        <SearchBox label={t("people.search")} />
      </Group>
      <PeopleList key={revision} revision={revision} />
      {creating ? (
        <CreatePerson
          onClose={() => setCreating(false)}
          onCreated={() => setRevision((before) => before + 1)}
        />
      ) : null}
    </Page>
  );
}

import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Page } from "~/components/page";
import { graphql, readFragment } from "~/gql";
import { useLive } from "~/lib/live";
import { MailTest } from "~/modules/setting/mail-test";
import { SettingsGroup } from "~/modules/setting/settings-group";
import { settingFragment } from "~/modules/setting/setting-field";
import { UserLimits } from "~/modules/setting/user-limits";

const settingsQuery = graphql(`
  query Settings {
    settings {
      ...SettingField
    }
    userLimits {
      ...UserLimitLine
    }
  }
`);

export function SettingsPage() {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: settingsQuery, variables: {} });
  const settings = readFragment(settingFragment, data?.settings ?? []);
  const groups = [...new Set(settings.map((each) => each.group))];
  return (
    <Page title={t("settings.title")} subtitle={t("settings.subtitle")} narrow>
      {loading ? <SkeletonBlock height={640} /> : null}
      {fault && !data ? <Failed fault={fault} retry={reload} /> : null}
      {groups.map((group) => (
        <SettingsGroup
          key={group}
          group={group}
          settings={settings.filter((each) => each.group === group)}
          reload={reload}
        >
          {group === "mail" ? <MailTest /> : null}
        </SettingsGroup>
      ))}
      {data ? <UserLimits limits={data.userLimits} /> : null}
    </Page>
  );
}

import { Menu, UnstyledButton } from "@mantine/core";
import {
  IconAddressBook,
  IconCheck,
  IconKey,
  IconListSearch,
  IconLogout,
  IconSelector,
  IconSettings,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Initials } from "~/components/initials";
import { graphql } from "~/gql";
import { clearDrafts } from "~/lib/draft";
import { useAction } from "~/lib/live";
import { useSession } from "~/modules/session/session";
import classes from "./menus.module.css";

const signOutMutation = graphql(`
  mutation SignOut {
    signOut {
      ok
      providerUrl
    }
  }
`);

/** The team that lists and forms are about. */
export function TeamMenu() {
  const { t } = useTranslation();
  const { team, teams, chooseTeam } = useSession();
  if (teams.length === 1) {
    return (
      <span className={classes.team} title={team.namespace}>
        <span className="cut">{team.name}</span>
      </span>
    );
  }
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.team} aria-label={t("frame.chooseTeam", { name: team.name })}>
          <span className="cut">{team.name}</span>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {teams.map((each) => (
          <Menu.Item
            key={each.id}
            rightSection={each.id === team.id ? <IconCheck size={16} aria-hidden /> : null}
            onClick={() => chooseTeam(each.id)}
          >
            {each.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function UserMenu() {
  const { t } = useTranslation();
  const { user, teams } = useSession();
  const mayAudit = user.platformRole !== "USER" || teams.some((each) => each.viewerRole === "OWNER");
  const [signOut] = useAction(signOutMutation);
  const leave = async (): Promise<void> => {
    const { data } = await signOut({});
    clearDrafts();
    // A fresh document, so that nothing of the person stays in memory.
    location.assign(data?.signOut.providerUrl ?? "/sign-in");
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.user} aria-label={t("frame.user", { name: user.displayName })}>
          <Initials name={user.displayName} size={28} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.who}>
          <div className={classes.name}>{user.displayName}</div>
          <div className={classes.mail}>{user.email}</div>
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconKey size={16} aria-hidden />}>
          {t("frame.account")}
        </Menu.Item>
        {user.platformRole === "USER" ? null : (
          <Menu.Item component={Link} to="/people" leftSection={<IconAddressBook size={16} aria-hidden />}>
            {t("frame.people")}
          </Menu.Item>
        )}
        {mayAudit ? (
          <Menu.Item component={Link} to="/audit" leftSection={<IconListSearch size={16} aria-hidden />}>
            {t("frame.audit")}
          </Menu.Item>
        ) : null}
        {user.platformRole === "USER" ? null : (
          <Menu.Item component={Link} to="/settings" leftSection={<IconSettings size={16} aria-hidden />}>
            {t("frame.settings")}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void leave()}>
          {t("frame.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import { ActionIcon, Button, Group, Menu, Stack } from "@mantine/core";
import {
  IconDoorExit,
  IconDots,
  IconLink,
  IconLock,
  IconLockOpen,
  IconLogout,
  IconTrash,
  IconUserShield,
} from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Snippet } from "~/components/copy";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { PersonLineFragment, PlatformRole } from "~/gql/graphql";
import type { Fault } from "~/lib/fault";
import { useAction } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";

const roleMutation = graphql(`
  mutation SetPlatformRole($input: SetPlatformRoleInput!) {
    setPlatformRole(input: $input) {
      person {
        ...PersonLine
      }
    }
  }
`);

const disableMutation = graphql(`
  mutation DisableUser($id: ID!) {
    disableUser(id: $id) {
      person {
        ...PersonLine
      }
    }
  }
`);

const enableMutation = graphql(`
  mutation EnableUser($id: ID!) {
    enableUser(id: $id) {
      person {
        ...PersonLine
      }
    }
  }
`);

const signOutMutation = graphql(`
  mutation SignOutUser($input: SignOutUserInput!) {
    signOutUser(input: $input) {
      person {
        ...PersonLine
      }
    }
  }
`);

const linkMutation = graphql(`
  mutation CreateSignInLink($userId: ID!) {
    createSignInLink(userId: $userId) {
      url
      expiresAt
    }
  }
`);

const roles: readonly PlatformRole[] = ["USER", "AUDITOR", "ADMINISTRATOR"];

interface PersonMenuProps {
  person: PersonLineFragment;
  /** The one who looks: nobody keeps themselves out. */
  self: boolean;
  onChange: () => void;
}

/** What an administrator can do about a person. */
export function PersonMenu({ person, self, onChange }: PersonMenuProps) {
  const { t } = useTranslation();
  const { user, state } = person;
  const [setRole] = useAction(roleMutation);
  const [enable] = useAction(enableMutation);
  const [signOut] = useAction(signOutMutation);
  const [makeLink] = useAction(linkMutation);
  const [link, setLink] = useState<string | null>(null);
  const [disabling, setDisabling] = useState(false);
  const told = (fault: Fault | undefined, message: string): void => {
    if (fault) notifyFault(fault, t);
    else notifyDone(message);
    onChange();
  };
  const newLink = async (): Promise<void> => {
    const { data, fault } = await makeLink({ userId: user.id });
    if (fault) notifyFault(fault, t);
    else setLink(data.createSignInLink.url);
  };
  const become = async (role: PlatformRole): Promise<void> => {
    const { fault } = await setRole({ input: { userId: user.id, role } });
    told(fault, t("people.changed", { name: user.displayName }));
  };
  const letIn = async (): Promise<void> => {
    const { fault } = await enable({ id: user.id });
    told(fault, t("people.enabled", { name: user.displayName }));
  };
  const out = async (): Promise<void> => {
    const { fault } = await signOut({ input: { userId: user.id, accessTokens: false } });
    told(fault, t("people.signedOut", { name: user.displayName }));
  };
  const active = state === "ACTIVE";
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <ActionIcon size={32} aria-label={t("people.actions", { name: user.displayName })}>
            <IconDots size={18} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {active ? (
            <>
              <Menu.Label>{t("people.roleLabel")}</Menu.Label>
              {roles.map((role) => (
                <Menu.Item
                  key={role}
                  disabled={role === user.platformRole}
                  leftSection={<IconUserShield size={16} aria-hidden />}
                  onClick={() => void become(role)}
                >
                  {t(`people.role.${role}`)}
                </Menu.Item>
              ))}
              <Menu.Divider />
              <Menu.Item leftSection={<IconLink size={16} aria-hidden />} onClick={() => void newLink()}>
                {t("people.link")}
              </Menu.Item>
              <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void out()}>
                {t("people.signOut")}
              </Menu.Item>
            </>
          ) : (
            <Menu.Item leftSection={<IconLockOpen size={16} aria-hidden />} onClick={() => void letIn()}>
              {t("people.enable")}
            </Menu.Item>
          )}
          {self ? null : (
            <>
              <Menu.Divider />
              {active ? (
                <Menu.Item
                  leftSection={<IconLock size={16} aria-hidden />}
                  onClick={() => setDisabling(true)}
                >
                  {t("people.disable")}
                </Menu.Item>
              ) : null}
              {state === "DEPARTED" ? null : (
                <Menu.Item
                  component={Link}
                  to={`/people/${user.id}/departure`}
                  leftSection={<IconDoorExit size={16} aria-hidden />}
                >
                  {t("people.depart")}
                </Menu.Item>
              )}
              <Menu.Item
                component={Link}
                to={`/people/${user.id}/departure?erase=1`}
                leftSection={<IconTrash size={16} aria-hidden />}
              >
                {t("people.delete")}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {link === null ? null : (
        <Dialog opened onClose={() => setLink(null)} title={t("people.linkFor", { name: user.displayName })}>
          <Stack gap="md">
            <Notice tone="attention" title={t("people.linkOnce")} />
            <Snippet text={link} what={t("people.link")} />
            <Group justify="flex-end">
              <Button onClick={() => setLink(null)}>{t("action.close")}</Button>
            </Group>
          </Stack>
        </Dialog>
      )}
      {disabling ? (
        <Disable
          person={person}
          onClose={() => setDisabling(false)}
          onDone={(fault) => {
            setDisabling(false);
            told(fault, t("people.disabled", { name: user.displayName }));
          }}
        />
      ) : null}
    </>
  );
}

interface DisableProps {
  person: PersonLineFragment;
  onClose: () => void;
  onDone: (fault: Fault | undefined) => void;
}

/** Says what ends at once. */
function Disable({ person, onClose, onDone }: DisableProps) {
  const { t } = useTranslation();
  const [disable, disabling] = useAction(disableMutation);
  const submit = async (): Promise<void> => {
    const { fault } = await disable({ id: person.user.id });
    onDone(fault);
  };
  return (
    <Dialog opened onClose={onClose} title={t("people.disableWho", { name: person.user.displayName })}>
      <Stack gap="md">
        <p>
          {t("people.disableText", {
            sessions: t("people.sessions", { count: person.sessions }),
            tokens: t("people.tokens", { count: person.accessTokens }),
          })}
        </p>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button color="red.8" loading={disabling} onClick={() => void submit()}>
            {t("people.disable")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

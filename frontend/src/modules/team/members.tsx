import { ActionIcon, Button, Select, Tooltip } from "@mantine/core";
import { IconUserMinus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Initials } from "~/components/initials";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { MemberFragment, TeamRole } from "~/gql/graphql";
import { useAction } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";
import { useSession } from "~/modules/session/session";
import { RemoveMember } from "~/modules/team/member-remove";
import classes from "./members.module.css";

export const memberFragment = graphql(`
  fragment Member on Membership {
    role
    user {
      id
      displayName
      email
    }
  }
`);

const roleMutation = graphql(`
  mutation SetTeamMember($input: SetTeamMemberInput!) {
    setTeamMember(input: $input) {
      team {
        id
        members {
          ...Member
        }
      }
    }
  }
`);

export const teamRoles: readonly TeamRole[] = ["VIEWER", "MEMBER", "MAINTAINER", "OWNER"];

interface MembersProps {
  teamId: string;
  members: readonly FragmentType<typeof memberFragment>[];
  /** May change who is in the team. */
  manage: boolean;
  onChange: () => void;
}

/** Who belongs to a team, and as what. */
export function Members({ teamId, members, manage, onChange }: MembersProps) {
  const { t } = useTranslation();
  const { user } = useSession();
  const [setRole, setting] = useAction(roleMutation);
  const [removing, setRemoving] = useState<MemberFragment | null>(null);
  const [lowering, setLowering] = useState<MemberFragment | null>(null);
  const all = readFragment(memberFragment, members);
  const become = async (member: MemberFragment, role: TeamRole): Promise<void> => {
    const { fault } = await setRole({ input: { teamId, userId: member.user.id, role } });
    if (fault) notifyFault(fault, t);
    else notifyDone(t("team.changed", { name: member.user.displayName, role: t(`team.role.${role}`) }));
    onChange();
  };
  if (all.length === 0) return <p className="soft">{t("team.noMembers")}</p>;
  return (
    <>
      <ul className={classes.members} aria-label={t("team.members")}>
        {all.map((member) => (
          <li key={member.user.id} className={classes.member}>
            <Initials name={member.user.displayName} />
            <div className={classes.who}>
              <div className={classes.name}>{member.user.displayName}</div>
              <div className={classes.mail}>{member.user.email}</div>
            </div>
            {manage ? (
              <Select
                className={classes.role}
                size="xs"
                aria-label={t("team.roleOf", { name: member.user.displayName })}
                data={teamRoles.map((role) => ({ value: role, label: t(`team.role.${role}`) }))}
                allowDeselect={false}
                disabled={setting}
                value={member.role}
                onChange={(role) => {
                  const next = teamRoles.find((each) => each === role);
                  if (!next || next === member.role) return;
                  if (next === "VIEWER") setLowering(member);
                  else void become(member, next);
                }}
              />
            ) : (
              <span className="soft">{t(`team.role.${member.role}`)}</span>
            )}
            {manage && member.user.id !== user.id ? (
              <Tooltip label={t("team.remove", { name: member.user.displayName })}>
                <ActionIcon
                  size={32}
                  aria-label={t("team.remove", { name: member.user.displayName })}
                  onClick={() => setRemoving(member)}
                >
                  <IconUserMinus size={18} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            ) : null}
            {member.user.id === user.id ? (
              <Button variant="default" size="xs" onClick={() => setRemoving(member)}>
                {t("team.leave")}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {lowering ? (
        <RemoveMember
          teamId={teamId}
          member={lowering}
          self={false}
          viewer
          onClose={() => setLowering(null)}
          onDone={() => {
            setLowering(null);
            onChange();
          }}
        />
      ) : null}
      {removing ? (
        <RemoveMember
          teamId={teamId}
          member={removing}
          self={removing.user.id === user.id}
          onClose={() => setRemoving(null)}
          onDone={() => {
            setRemoving(null);
            onChange();
          }}
        />
      ) : null}
    </>
  );
}

import { useTranslation } from "react-i18next";
import { Initials } from "~/components/initials";
import { graphql, readFragment, type FragmentType } from "~/gql";
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

/** Who belongs to a team, and as what. */
export function Members({ members }: { members: readonly FragmentType<typeof memberFragment>[] }) {
  const { t } = useTranslation();
  const all = readFragment(memberFragment, members);
  if (all.length === 0) return <p className="soft">{t("team.noMembers")}</p>;
  return (
    <ul className={classes.members}>
      {all.map((member) => (
        <li key={member.user.id} className={classes.member}>
          <Initials name={member.user.displayName} />
          <div className={classes.who}>
            <div>{member.user.displayName}</div>
            <div className={classes.mail}>{member.user.email}</div>
          </div>
          <span className="soft">{t(`team.role.${member.role}`)}</span>
        </li>
      ))}
    </ul>
  );
}

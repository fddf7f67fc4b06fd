import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Facts } from "~/components/facts";
import { graphql } from "~/gql";
import { useLive } from "~/lib/live";

const deletionQuery = graphql(`
  query TeamDeletion($id: ID!) {
    teamDeletion(id: $id) {
      namespace
      secrets
      images
      members
      invitations
      left
    }
  }
`);

/** Names what would go with a team, its secrets above all, and what must go before it. */
export function Deletion({ teamId }: { teamId: string }) {
  const { t, i18n } = useTranslation();
  const { data, fault, reload } = useLive({ query: deletionQuery, variables: { id: teamId } });
  if (!data) return fault ? <Failed fault={fault} retry={reload} /> : <SkeletonBlock height={120} />;
  const { namespace, secrets, images, members, invitations, left } = data.teamDeletion;
  const list = new Intl.ListFormat(i18n.language, { type: "conjunction" });
  const named = [
    { name: t("team.deletion.left"), names: left },
    { name: t("team.deletion.secrets"), names: secrets },
    { name: t("team.deletion.images"), names: images },
    { name: t("team.deletion.members"), names: members },
  ].filter(({ names }) => names.length > 0);
  return (
    <Facts
      facts={[
        { name: t("facts.namespace"), value: <span className="mono">{namespace}</span> },
        ...named.map(({ name, names }) => ({ name, value: list.format(names) })),
        ...(invitations > 0 ? [{ name: t("team.deletion.invitations"), value: String(invitations) }] : []),
      ]}
    />
  );
}

import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { InvitationLineFragment } from "~/gql/graphql";
import { useAction, useLive } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";
import lines from "~/modules/account/lines.module.css";
import { Invite, InviteLink } from "~/modules/team/invite";

const invitationFragment = graphql(`
  fragment InvitationLine on Invitation {
    id
    email
    role
    expiresAt
    inviter {
      id
      displayName
    }
  }
`);

const invitationsQuery = graphql(`
  query Invitations($teamId: ID!) {
    invitations(teamId: $teamId) {
      ...InvitationLine
    }
  }
`);

const resendMutation = graphql(`
  mutation ResendInvitation($id: ID!) {
    resendInvitation(id: $id) {
      url
      invitation {
        ...InvitationLine
      }
    }
  }
`);

const revokeMutation = graphql(`
  mutation RevokeInvitation($id: ID!) {
    revokeInvitation(id: $id) {
      id
    }
  }
`);

/** The invitations of a team that nobody has answered yet, for its owners. */
export function InvitationsPanel({ teamId }: { teamId: string }) {
  const { t } = useTranslation();
  const { data, reload } = useLive({ query: invitationsQuery, variables: { teamId } });
  const [inviting, setInviting] = useState(false);
  const [link, setLink] = useState<{ email: string; url: string } | null>(null);
  const rows = readFragment(invitationFragment, data?.invitations ?? []);
  return (
    <Panel
      title={t("invitation.open")}
      aside={
        <Button variant="default" size="xs" onClick={() => setInviting(true)}>
          {t("invitation.invite")}
        </Button>
      }
      flush={rows.length > 0}
    >
      {rows.length === 0 ? (
        <p className="soft">{t("invitation.none")}</p>
      ) : (
        <ul className={lines.lines} aria-label={t("invitation.open")}>
          {rows.map((row) => (
            <InvitationLine
              key={row.id}
              row={row}
              onChange={reload}
              onLink={(url) => setLink({ email: row.email, url })}
            />
          ))}
        </ul>
      )}
      {inviting ? <Invite teamId={teamId} onClose={() => setInviting(false)} onInvited={reload} /> : null}
      {link ? <InviteLink email={link.email} link={link.url} onClose={() => setLink(null)} /> : null}
    </Panel>
  );
}

interface InvitationLineProps {
  row: InvitationLineFragment;
  onChange: () => void;
  onLink: (url: string) => void;
}

function InvitationLine({ row, onChange, onLink }: InvitationLineProps) {
  const { t } = useTranslation();
  const [resend, resending] = useAction(resendMutation);
  const [revoke, revoking] = useAction(revokeMutation);
  const again = async (): Promise<void> => {
    const { data, fault } = await resend({ id: row.id });
    if (fault) notifyFault(fault, t);
    else onLink(data.resendInvitation.url);
    onChange();
  };
  const end = async (): Promise<void> => {
    const { fault } = await revoke({ id: row.id });
    if (fault) notifyFault(fault, t);
    else notifyDone(t("invitation.revoked", { email: row.email }));
    onChange();
  };
  return (
    <li className={lines.line} style={{ flexWrap: "wrap" }}>
      <div className={lines.body}>
        <div className={lines.name}>{row.email}</div>
        <div className={lines.under}>
          {t(`team.role.${row.role}`)}
          {row.inviter ? ` · ${row.inviter.displayName}` : ""} · {t("invitation.lapses")}{" "}
          <RelativeTime at={row.expiresAt} />
        </div>
      </div>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          loading={resending}
          aria-label={t("invitation.resendTo", { email: row.email })}
          onClick={() => void again()}
        >
          {t("invitation.resend")}
        </Button>
        <Button
          variant="default"
          size="xs"
          loading={revoking}
          aria-label={t("invitation.revokeOf", { email: row.email })}
          onClick={() => void end()}
        >
          {t("account.revoke")}
        </Button>
      </Group>
    </li>
  );
}

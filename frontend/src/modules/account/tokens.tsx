import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { AccessTokenLineFragment } from "~/gql/graphql";
import { useNow } from "~/lib/clock";
import { useAction } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";
import classes from "./lines.module.css";

export const tokenFragment = graphql(`
  fragment AccessTokenLine on AccessToken {
    id
    name
    scope
    subjectId
    createdAt
    expiresAt
    usedAt
    address
  }
`);

const revokeMutation = graphql(`
  mutation RevokeAccessToken($id: ID!) {
    revokeAccessToken(id: $id) {
      id
    }
  }
`);

interface TokensProps {
  tokens: readonly FragmentType<typeof tokenFragment>[];
  onChange: () => void;
}

/** What programs have been given, when it was used, when it lapses. */
export function Tokens({ tokens, onChange }: TokensProps) {
  const { t } = useTranslation();
  const all = readFragment(tokenFragment, tokens);
  return (
    <ul className={classes.lines} aria-label={t("account.tokens")}>
      {all.map((token) => (
        <TokenLine key={token.id} token={token} onRevoked={onChange} />
      ))}
    </ul>
  );
}

function TokenLine({ token, onRevoked }: { token: AccessTokenLineFragment; onRevoked: () => void }) {
  const { t } = useTranslation();
  const now = useNow("slow");
  const [revoke, revoking] = useAction(revokeMutation);
  const inside = token.subjectId === "" ? null : token.subjectId.startsWith("ins-") ? "ofInstance" : "ofRun";
  const lapsed = new Date(token.expiresAt).getTime() <= now;
  const submit = async (): Promise<void> => {
    const { fault } = await revoke({ id: token.id });
    if (fault) {
      notifyFault(fault, t);
      return;
    }
    notifyDone(t("account.revoked", { name: token.name }));
    onRevoked();
  };
  return (
    <li className={classes.line}>
      <div className={classes.body}>
        <div className={classes.name}>
          {inside ? t(`account.${inside}`, { name: token.name }) : token.name}
        </div>
        <div className={classes.under}>{t(`account.scope.${token.scope}`)}</div>
        <div className={classes.under}>
          {inside ? (
            t("account.endsWith")
          ) : (
            <span className={lapsed ? classes.lapsed : undefined}>
              {t(lapsed ? "account.lapsed" : "account.lapses")} <RelativeTime at={token.expiresAt} />
            </span>
          )}
          {" · "}
          {token.usedAt ? (
            <>
              {t("account.used")} <RelativeTime at={token.usedAt} />, {token.address}
            </>
          ) : (
            t("account.neverUsed")
          )}
        </div>
      </div>
      <Button
        variant="default"
        size="xs"
        loading={revoking}
        aria-label={t("account.revokeOne", { name: token.name })}
        onClick={() => void submit()}
      >
        {t("account.revoke")}
      </Button>
    </li>
  );
}

import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { graphql } from "~/gql";
import { useAction, useLive } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";
import { IdentitiesPanel } from "~/modules/account/identities";
import { PasswordPanel } from "~/modules/account/password";
import { Sessions } from "~/modules/account/sessions";
import { CreateToken } from "~/modules/account/token-create";
import { Tokens } from "~/modules/account/tokens";
import { useSession } from "~/modules/session/session";

const accountQuery = graphql(`
  query Account {
    sessions {
      id
      ...SessionLine
    }
    accessTokens {
      id
      ...AccessTokenLine
    }
  }
`);

const endOthersMutation = graphql(`
  mutation EndOtherSessions {
    endOtherSessions {
      ok
    }
  }
`);

export function AccountPage() {
  const { t } = useTranslation();
  const { user } = useSession();
  const { data, fault, loading, reload } = useLive({ query: accountQuery, variables: {} });
  const [creating, setCreating] = useState(false);
  const [endOthers, ending] = useAction(endOthersMutation);
  const leaveOthers = async (): Promise<void> => {
    const result = await endOthers({});
    if (result.fault) notifyFault(result.fault, t);
    else notifyDone(t("account.ended"));
    reload();
  };
  return (
    <Page title={t("account.title")} subtitle={`${user.displayName} · ${user.email}`}>
      {loading ? <SkeletonBlock height={320} /> : null}
      {fault && !data ? <Failed fault={fault} retry={reload} /> : null}
      {data ? (
        <Columns
          main={
            <Panel
              title={t("account.tokens")}
              aside={
                <Button variant="default" size="xs" onClick={() => setCreating(true)}>
                  {t("account.create")}
                </Button>
              }
              flush={data.accessTokens.length > 0}
            >
              {data.accessTokens.length === 0 ? (
                <p className="soft">{t("account.noTokens")}</p>
              ) : (
                <Tokens tokens={data.accessTokens} onChange={reload} />
              )}
            </Panel>
          }
          side={
            <>
              <PasswordPanel onChange={reload} />
              <IdentitiesPanel />
              <Panel
                title={t("account.sessions")}
                aside={
                  data.sessions.length > 1 ? (
                    <Button variant="default" size="xs" loading={ending} onClick={() => void leaveOthers()}>
                      {t("account.endOthers")}
                    </Button>
                  ) : null
                }
                flush
              >
                <Sessions sessions={data.sessions} onChange={reload} />
              </Panel>
            </>
          }
        />
      ) : null}
      {creating ? (
        <CreateToken
          mayAdmin={user.platformRole !== "USER"}
          onClose={() => setCreating(false)}
          onCreated={reload}
        />
      ) : null}
    </Page>
  );
}

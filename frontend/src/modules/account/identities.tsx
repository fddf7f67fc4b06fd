import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import { useAction, useLive } from "~/lib/live";
import { notifyDone, notifyFault } from "~/lib/notify";
import classes from "./lines.module.css";

const identitiesQuery = graphql(`
  query Identities {
    identities {
      id
      provider
      issuer
      email
      usedAt
    }
  }
`);

const unlinkMutation = graphql(`
  mutation UnlinkIdentity($id: ID!) {
    unlinkIdentity(id: $id) {
      id
    }
  }
`);

/** The providers through which one signs in; nothing for who has none. */
export function IdentitiesPanel() {
  const { t } = useTranslation();
  const { data, reload } = useLive({ query: identitiesQuery, variables: {} });
  const [unlink, unlinking] = useAction(unlinkMutation);
  if (!data || data.identities.length === 0) return null;
  const submit = async (id: string, name: string): Promise<void> => {
    const { fault } = await unlink({ id });
    if (fault) {
      notifyFault(fault, t);
      return;
    }
    notifyDone(t("identity.unlinked", { name }));
    reload();
  };
  return (
    <Panel title={t("identity.title")} flush>
      <ul className={classes.lines} aria-label={t("identity.title")}>
        {data.identities.map((each) => (
          <li key={each.id} className={classes.line}>
            <div className={classes.body}>
              <div className={classes.name} title={each.issuer}>
                {each.provider}
              </div>
              <div className={classes.under}>{each.email}</div>
              <div className={classes.under}>
                {t("account.used")} <RelativeTime at={each.usedAt} />
              </div>
            </div>
            <Button
              variant="default"
              size="xs"
              disabled={unlinking}
              aria-label={t("identity.unlinkOne", { name: each.provider })}
              onClick={() => void submit(each.id, each.provider)}
            >
              {t("identity.unlink")}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

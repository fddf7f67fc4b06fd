import { useTranslation } from "react-i18next";
import { graphql, readFragment, type FragmentType } from "~/gql";
import classes from "~/modules/mount/mount-list.module.css";

export const secretUseFragment = graphql(`
  fragment SecretUseItem on SecretUse {
    secretId
    as
    at
    secret {
      id
      name
      kind
    }
  }
`);

/** Secrets and how they appear; another person's have no name here. */
export function SecretUseList({ uses }: { uses: readonly FragmentType<typeof secretUseFragment>[] }) {
  const { t } = useTranslation();
  const all = readFragment(secretUseFragment, uses);
  return (
    <ul className={classes.list}>
      {all.map((use) => (
        <li key={`${use.secretId} ${use.as} ${use.at}`}>
          <div>{use.secret?.name ?? t("secrets.field.others")}</div>
          <div className="soft">
            {use.as === "AUTO" && use.secret
              ? t(`secrets.field.auto.${use.secret.kind}`)
              : t(`secrets.field.way.${use.as}`)}
            {use.at ? <span className="mono"> {use.at}</span> : null}
          </div>
        </li>
      ))}
    </ul>
  );
}

import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { TeamPicture } from "~/components/pictures";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { AuditFilter, AuditLineFragment } from "~/gql/graphql";
import { usePages } from "~/lib/pages";
import { actionText } from "~/modules/audit/action";
import { fieldChanges } from "~/modules/audit/changes";
import classes from "./audit-list.module.css";

const auditFragment = graphql(`
  fragment AuditLine on AuditEntry {
    id
    at
    action
    objectId
    before
    after
    address
    actor {
      id
      displayName
    }
    team {
      id
      name
    }
  }
`);

const auditQuery = graphql(`
  query AuditLog($first: Int, $after: String, $filter: AuditFilter) {
    auditLog(first: $first, after: $after, filter: $filter) {
      nodes {
        ...AuditLine
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** What was done, the newest first. */
export function AuditList({ filter }: { filter: AuditFilter }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload, more } = usePages(auditQuery, { filter });
  if (loading) return <SkeletonRows />;
  if (!data && fault) return <Failed fault={fault} retry={reload} />;
  const entries = readFragment(auditFragment, data?.auditLog.nodes ?? []);
  if (entries.length === 0) return <Empty picture={<TeamPicture />} text={t("audit.none")} />;
  const { hasNextPage, endCursor } = data?.auditLog.pageInfo ?? {};
  return (
    <>
      <ul className={classes.list} aria-label={t("audit.title")}>
        {entries.map((entry) => (
          <AuditLine key={entry.id} entry={entry} />
        ))}
      </ul>
      {hasNextPage ? (
        <Button variant="default" mt="md" onClick={() => more(endCursor)}>
          {t("action.loadMore")}
        </Button>
      ) : null}
    </>
  );
}

function AuditLine({ entry }: { entry: AuditLineFragment }) {
  const { t } = useTranslation();
  return (
    <li className={classes.line}>
      <div className={classes.who}>
        <div className={classes.name}>
          {entry.actor?.displayName ?? t(entry.address ? "audit.somebody" : "audit.platform")}
        </div>
        <div className={classes.soft}>
          <RelativeTime at={entry.at} />
          {entry.address ? ` · ${entry.address}` : ""}
        </div>
      </div>
      <div className={classes.what}>
        <div title={entry.action}>{actionText(entry.action, t)}</div>
        <div className={classes.object}>
          {entry.objectId}
          {entry.team ? ` · ${entry.team.name}` : ""}
        </div>
      </div>
      <dl className={classes.changes}>
        {fieldChanges(entry.before, entry.after).map((change) => (
          <div key={change.name}>
            <dt>{change.name}</dt>{" "}
            <dd>
              {change.before === undefined ? null : <del>{change.before}</del>}{" "}
              {change.after === undefined ? null : <ins>{change.after}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

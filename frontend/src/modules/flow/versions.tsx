import { Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import type { FlowVersionsQuery } from "~/gql/graphql";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { ChangeList } from "~/modules/flow/change-list";
import { FrozenCode } from "~/modules/run/frozen-code";
import { AskDialog } from "~/modules/volume/ask-dialog";
import classes from "./versions.module.css";

// `latest` changes with each save: asked for with the list, it tells whether the list is old.
const versionsQuery = graphql(`
  query FlowVersions($id: ID!) {
    flow(id: $id) {
      id
      latest
      versions(first: 200) {
        id
        number
        comment
        createdAt
        restores
        code {
          id
          subPath
          state
          files
          bytes
          sha256
          frozenAt
          reason {
            text
            advice
          }
        }
        author {
          id
          displayName
        }
      }
    }
  }
`);

const changesQuery = graphql(`
  query FlowVersionChanges($id: ID!, $number: Int!, $from: Int) {
    flow(id: $id) {
      id
      version(number: $number) {
        id
        changes(from: $from) {
          ...FlowChangeItem
        }
      }
    }
  }
`);

const restoreMutation = graphql(`
  mutation RestoreFlowVersion($id: ID!, $number: Int!, $comment: String!) {
    restoreFlowVersion(id: $id, number: $number, comment: $comment) {
      flow {
        ...FlowRow
        ...FlowHead
      }
    }
  }
`);

type Version = NonNullable<FlowVersionsQuery["flow"]>["versions"][number];

/** Every version of a flow, what it changed, and the way back to it. */
export function Versions({ flowId, mayEdit }: { flowId: string; mayEdit: boolean }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: versionsQuery, variables: { id: flowId } });
  const [shown, setShown] = useState<number | null>(null);
  const [restoring, setRestoring] = useState<number | null>(null);
  if (loading) return <SkeletonBlock height={200} />;
  if (!data?.flow) {
    return fault ? <Failed fault={fault} retry={reload} /> : null;
  }
  const { versions, latest } = data.flow;
  return (
    <>
      <ul className={classes.list} aria-label={t("flow.tab.versions")}>
        {versions.map((version) => (
          <li key={version.id} className={classes.version}>
            <div className={classes.line}>
              <span className={classes.number}>v{version.number}</span>
              <span className={classes.comment}>
                {version.restores
                  ? [t("flow.versions.restores", { number: version.restores }), version.comment]
                      .filter(Boolean)
                      .join(" ")
                  : version.comment}
              </span>
              <span className="soft">{version.author.displayName}</span>
              <span className="soft">
                <RelativeTime at={version.createdAt} />
              </span>
              <Button
                size="xs"
                variant="default"
                aria-expanded={shown === version.number}
                aria-label={t("flow.versions.changesOf", { number: version.number })}
                onClick={() => setShown(shown === version.number ? null : version.number)}
              >
                {t("flow.versions.changes")}
              </Button>
              {mayEdit && version.number !== latest ? (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t("flow.versions.restoreOf", { number: version.number })}
                  onClick={() => setRestoring(version.number)}
                >
                  {t("flow.versions.restore")}
                </Button>
              ) : version.number === latest ? (
                <span className="soft">{t("flow.versions.latest")}</span>
              ) : null}
            </div>
            {version.code.map((copy) => (
              <VersionCode key={copy.id} copy={copy} />
            ))}
            {shown === version.number ? (
              <VersionChanges flowId={flowId} version={version} versions={versions} />
            ) : null}
          </li>
        ))}
      </ul>
      {restoring === null ? null : (
        <RestoreVersion
          flowId={flowId}
          number={restoring}
          onClose={() => setRestoring(null)}
          onDone={() => {
            setRestoring(null);
            reload();
          }}
        />
      )}
    </>
  );
}

/** A folder of code as it was when the version was saved. */
function VersionCode({ copy }: { copy: Version["code"][number] }) {
  const { t } = useTranslation();
  return (
    <div className={classes.code} data-code-state={copy.state}>
      <span>{t("flow.versions.code", { folder: `/${copy.subPath}` })}</span>
      {copy.state === "READY" ? (
        <FrozenCode frozen={copy} />
      ) : copy.reason ? (
        <span className="soft">
          {copy.reason.text} {copy.reason.advice}
        </span>
      ) : (
        <span className="soft">{t("flow.versions.freezing")}</span>
      )}
    </div>
  );
}

interface VersionChangesProps {
  flowId: string;
  version: Version;
  versions: readonly Version[];
}

function VersionChanges({ flowId, version, versions }: VersionChangesProps) {
  const { t } = useTranslation();
  const [from, setFrom] = useState<number | null>(null);
  const { data, fault, reload } = useLive({
    query: changesQuery,
    variables: { id: flowId, number: version.number, ...(from === null ? {} : { from }) },
  });
  const changes = data?.flow?.version?.changes;
  return (
    <div className={classes.changes}>
      <Select
        className={classes.from}
        size="xs"
        aria-label={t("flow.versions.from")}
        data={[
          { value: "", label: t("flow.versions.before") },
          ...versions
            .filter((each) => each.number !== version.number)
            .map((each) => ({
              value: String(each.number),
              label: t("flow.versions.fromOf", { number: each.number }),
            })),
        ]}
        value={from === null ? "" : String(from)}
        onChange={(value) => setFrom(value ? Number(value) : null)}
        allowDeselect={false}
      />
      {changes ? (
        <ChangeList changes={changes} />
      ) : fault ? (
        <Failed fault={fault} retry={reload} />
      ) : (
        <SkeletonBlock height={80} />
      )}
    </div>
  );
}

interface RestoreProps {
  flowId: string;
  number: number;
  onClose: () => void;
  onDone: () => void;
}

function RestoreVersion({ flowId, number, onClose, onDone }: RestoreProps) {
  const { t } = useTranslation();
  const [comment, setComment] = useState("");
  const [restore] = useAction(restoreMutation);
  return (
    <AskDialog
      title={t("flow.versions.restoreTitle", { number })}
      submit={t("flow.versions.restore")}
      onClose={onClose}
      ask={async () => {
        const { fault } = await restore({ id: flowId, number, comment: comment.trim() });
        if (!fault) {
          notifyDone(t("flow.versions.restored", { number }));
          onDone();
        }
        return fault;
      }}
    >
      <p>{t("flow.versions.restoreText")}</p>
      <TextInput
        label={t("flow.editor.comment")}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
        data-autofocus
      />
    </AskDialog>
  );
}

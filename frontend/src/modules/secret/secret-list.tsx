import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconRefresh, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { SecretPicture } from "~/components/pictures";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { SecretRowFragment } from "~/gql/graphql";
import { useLive } from "~/lib/live";
import { DeleteSecret } from "~/modules/secret/secret-delete";
import { SecretForm } from "~/modules/secret/secret-form";
import { useSession } from "~/modules/session/session";
import classes from "./secret-list.module.css";

export const secretRowFragment = graphql(`
  fragment SecretRow on Secret {
    id
    name
    kind
    team {
      id
      name
    }
    keys {
      name
      principals
    }
    fingerprint
    teamWide
    changedAt
    changedBy {
      id
      displayName
    }
    usedBy {
      id
      name
    }
    can {
      manage
    }
  }
`);

const secretsQuery = graphql(`
  query Secrets {
    secrets {
      ...SecretRow
    }
  }
`);

function linkTo(id: string): string {
  if (id.startsWith("run")) return `/runs/${id}`;
  return id.startsWith("img") ? "/images" : `/instances/${id}`;
}

interface SecretListProps {
  creating: boolean;
  onCreate: () => void;
  onClose: () => void;
}

/** The viewer's own secrets and those of the team. What they hold is nowhere to be seen. */
export function SecretList({ creating, onCreate, onClose }: SecretListProps) {
  const { t } = useTranslation();
  const { team } = useSession();
  const [search] = useSearchParams();
  const mine = search.getAll("who").includes("mine");
  const text = (search.get("q") ?? "").toLowerCase();
  const { data, fault, loading, reload } = useLive({ query: secretsQuery, variables: {} });
  const [replacing, setReplacing] = useState<SecretRowFragment | null>(null);
  const [deleting, setDeleting] = useState<SecretRowFragment | null>(null);
  const refs: readonly FragmentType<typeof secretRowFragment>[] = data?.secrets ?? [];
  const rows = readFragment(secretRowFragment, refs).filter(
    (row) =>
      (row.team ? row.team.id === team.id && !mine : true) &&
      (text === "" || row.name.toLowerCase().includes(text)),
  );
  const done = (): void => {
    setReplacing(null);
    setDeleting(null);
    onClose();
    reload();
  };
  return (
    <>
      {loading ? <SkeletonRows /> : null}
      {!data && fault ? <Failed fault={fault} retry={reload} /> : null}
      {data && rows.length === 0 ? <NoSecrets filtered={mine || text !== ""} onCreate={onCreate} /> : null}
      {rows.length > 0 ? (
        <div className={classes.frame}>
          <ul className={classes.list} aria-label={t("frame.secrets")}>
            {rows.map((row) => (
              <SecretLine
                key={row.id}
                row={row}
                onReplace={() => setReplacing(row)}
                onDelete={() => setDeleting(row)}
              />
            ))}
          </ul>
        </div>
      ) : null}
      {creating ? <SecretForm onClose={onClose} onDone={done} /> : null}
      {replacing ? (
        <SecretForm replacing={replacing} onClose={() => setReplacing(null)} onDone={done} />
      ) : null}
      {deleting ? (
        <DeleteSecret secret={deleting} onClose={() => setDeleting(null)} onDeleted={done} />
      ) : null}
    </>
  );
}

function NoSecrets({ filtered, onCreate }: { filtered: boolean; onCreate: () => void }) {
  const { t } = useTranslation();
  return (
    <Empty
      picture={<SecretPicture />}
      text={filtered ? t("secrets.noneMatch") : t("secrets.none")}
      action={
        filtered ? (
          <Button variant="default" component={Link} to="/secrets">
            {t("action.clearFilters")}
          </Button>
        ) : (
          <Button onClick={onCreate}>{t("secrets.create")}</Button>
        )
      }
    />
  );
}

/** A name, and whose keys it holds where that is known. */
function keyText(key: SecretRowFragment["keys"][number]): string {
  return key.principals.length > 0 ? `${key.name} (${key.principals.join(", ")})` : key.name;
}

interface SecretLineProps {
  row: SecretRowFragment;
  onReplace: () => void;
  onDelete: () => void;
}

function SecretLine({ row, onReplace, onDelete }: SecretLineProps) {
  const { t } = useTranslation();
  return (
    <li className={classes.row}>
      <div className={classes.cell}>
        <div className={classes.name}>{row.name}</div>
        <div className={classes.under}>
          {t(`secrets.kind.${row.kind}`)} · {row.team ? row.team.name : t("secrets.mine")}
          {row.teamWide ? ` · ${t("secrets.teamWideShort")}` : null}
        </div>
      </div>
      <div className={classes.cell}>
        <div className={classes.keys}>{row.keys.map(keyText).join(", ")}</div>
        <div className={classes.under}>
          {t("secrets.fingerprint")} <span className="mono">{row.fingerprint}</span>
        </div>
      </div>
      <div className={classes.cell}>
        {row.usedBy.length === 0 ? (
          <span className="soft">{t("secrets.unused")}</span>
        ) : (
          <ul className={classes.uses} aria-label={t("secrets.usedBy")}>
            {row.usedBy.map((use) => (
              <li key={use.id}>
                <Link to={linkTo(use.id)}>{use.name}</Link>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className={classes.age}>
        <RelativeTime at={row.changedAt} />
        <div>{row.changedBy?.displayName}</div>
      </div>
      <div className={classes.actions}>
        {row.can.manage ? (
          <>
            <Tooltip label={t("secrets.replaceNamed", { name: row.name })}>
              <ActionIcon
                size={32}
                aria-label={t("secrets.replaceNamed", { name: row.name })}
                onClick={onReplace}
              >
                <IconRefresh size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
            <Tooltip label={t("secrets.deleteNamed", { name: row.name })}>
              <ActionIcon
                size={32}
                aria-label={t("secrets.deleteNamed", { name: row.name })}
                onClick={onDelete}
              >
                <IconTrash size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          </>
        ) : null}
      </div>
    </li>
  );
}

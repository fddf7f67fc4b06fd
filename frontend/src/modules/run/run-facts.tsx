import { useTranslation } from "react-i18next";
import { CopyButton } from "~/components/copy";
import { Facts, type Fact } from "~/components/facts";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { formatCommand } from "~/lib/command";
import { formatDuration } from "~/lib/format";
import { Digest, FrozenCode } from "~/modules/run/frozen-code";
import { MountList } from "~/modules/mount/mount-list";
import { ResourcesText } from "~/modules/resources/resources-text";
import { SecretUseList } from "~/modules/secret/use-list";
import classes from "./run-view.module.css";

export const runFactsFragment = graphql(`
  fragment RunFacts on Run {
    id
    createdAt
    owner {
      id
      displayName
    }
    team {
      id
      name
      namespace
    }
    task {
      id
      command
      args
      workingDir
      class
      retries
      timeoutSeconds
      env {
        name
        value
      }
      secrets {
        ...SecretUseItem
      }
      image {
        id
        name
        reference
      }
      resources {
        ...ResourcesText
      }
      mounts {
        ...MountItem
      }
      code {
        volumeId
        subPath
        writable
        volume {
          id
          name
        }
      }
      frozen {
        snapshotId
        files
        bytes
        sha256
        frozenAt
      }
    }
  }
`);

/** What exactly was run, with what. */
export function RunFacts({
  run,
  job,
  node,
  imageDigest,
}: {
  run: FragmentType<typeof runFactsFragment>;
  job: string;
  node: string;
  imageDigest: string;
}) {
  const { t } = useTranslation();
  const it = readFragment(runFactsFragment, run);
  const { task } = it;
  const command = formatCommand([...task.command, ...task.args]);
  const facts: Fact[] = [
    {
      name: t("facts.command"),
      value: (
        <span className={classes.command}>
          <code>
            {[...task.command, ...task.args].map((arg, i) => (
              // An argument breaks only where it is longer than the line.
              <span key={i} className={classes.argument}>
                {formatCommand([arg])}
              </span>
            ))}
          </code>
          <CopyButton text={command} what={t("facts.command")} />
        </span>
      ),
    },
    ...(task.code
      ? [
          {
            name: t("facts.code"),
            value: (
              <>
                <div>
                  {task.code.volume?.name ?? task.code.volumeId}
                  {task.code.subPath ? `/${task.code.subPath}` : ""}
                </div>
                <div className="soft">
                  <span className="mono">/code</span> ·{" "}
                  {task.code.writable ? t("mount.readWrite") : t("mount.readOnly")}
                </div>
                {task.frozen ? <FrozenCode frozen={task.frozen} /> : null}
              </>
            ),
          },
        ]
      : []),
    ...(task.workingDir
      ? [{ name: t("facts.workingDir"), value: <span className="mono">{task.workingDir}</span> }]
      : []),
    {
      name: t("facts.image"),
      value: task.image ? (
        <>
          <div>{task.image.name}</div>
          <div className="mono soft">{task.image.reference}</div>
          {imageDigest ? <Digest digest={imageDigest} /> : null}
        </>
      ) : (
        <span className="soft">{t("facts.imageGone")}</span>
      ),
    },
    { name: t("facts.resources"), value: <ResourcesText resources={task.resources} /> },
    { name: t("facts.class"), value: t(`run.class.${task.class}`) },
    ...(task.mounts.length > 0
      ? [{ name: t("facts.mounts"), value: <MountList mounts={task.mounts} /> }]
      : []),
    ...(task.env.length > 0
      ? [
          {
            name: t("facts.env"),
            value: task.env.map((variable) => (
              <div key={variable.name} className="mono">
                {variable.name}={variable.value}
              </div>
            )),
          },
        ]
      : []),
    ...(task.secrets.length > 0
      ? [{ name: t("frame.secrets"), value: <SecretUseList uses={task.secrets} /> }]
      : []),
    ...(task.timeoutSeconds > 0
      ? [{ name: t("facts.timeout"), value: formatDuration(task.timeoutSeconds, t) }]
      : []),
    ...(task.retries > 0 ? [{ name: t("facts.retries"), value: String(task.retries) }] : []),
    { name: t("facts.owner"), value: it.owner.displayName },
    { name: t("facts.team"), value: it.team.name },
    { name: t("facts.created"), value: <RelativeTime at={it.createdAt} /> },
    ...(node ? [{ name: t("facts.node"), value: <span className="mono">{node}</span> }] : []),
    ...(job ? [{ name: "Job", value: <span className="mono">{job}</span> }] : []),
    { name: t("facts.namespace"), value: <span className="mono">{it.team.namespace}</span> },
    { name: "ID", value: <span className="mono">{it.id}</span> },
  ];
  return (
    <Panel title={t("facts.title")}>
      <Facts facts={facts} />
    </Panel>
  );
}

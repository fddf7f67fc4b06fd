import { useTranslation } from "react-i18next";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { diffLines, valueText } from "~/modules/flow/line-diff";
import classes from "./change-list.module.css";

export const changeFragment = graphql(`
  fragment FlowChangeItem on FlowChange {
    task
    path
    kind
    before
    after
  }
`);

const marks = { same: " ", added: "+", removed: "-" } as const;

/** What differs between two versions, task by task. */
export function ChangeList({ changes }: { changes: readonly FragmentType<typeof changeFragment>[] }) {
  const { t } = useTranslation();
  const all = readFragment(changeFragment, changes);
  if (all.length === 0) return <p className="soft">{t("flow.change.none")}</p>;
  const tasks = [...new Set(all.map((change) => change.task))];
  return (
    <div className={classes.changes}>
      {tasks.map((task) => (
        <div key={task}>
          <p className={classes.task}>{task === "" ? t("flow.change.itself") : task}</p>
          {all
            .filter((change) => change.task === task)
            .map((change) => (
              <div key={change.path} className={classes.change}>
                <span>{t(`flow.change.${change.kind}`)}</span>
                <code>{change.path}</code>
                <LineDiff before={valueText(change.before)} after={valueText(change.after)} />
              </div>
            ))}
        </div>
      ))}
    </div>
  );
}

/** Two texts as one, with what went and what came. */
export function LineDiff({ before, after }: { before: string; after: string }) {
  const { t } = useTranslation();
  // Nothing is not a line without text.
  const lines = before === "" || after === "" ? [] : diffLines(before, after);
  if (before === "" && after !== "")
    for (const text of after.split("\n")) lines.push({ kind: "added", text });
  if (after === "" && before !== "")
    for (const text of before.split("\n")) lines.push({ kind: "removed", text });
  if (lines.length === 0) return null;
  return (
    <div className={classes.lines} role="region" aria-label={t("flow.change.lines")} tabIndex={0}>
      {lines.map((line, i) => (
        // Lines have no identity but their place.
        <span key={i} className={classes.line} data-kind={line.kind}>
          {marks[line.kind]} {line.text}
        </span>
      ))}
    </div>
  );
}

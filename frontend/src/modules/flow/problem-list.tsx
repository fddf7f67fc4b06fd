import { useTranslation } from "react-i18next";
import { StateIcon } from "~/components/state-mark";
import { graphql, readFragment, type FragmentType } from "~/gql";
import classes from "./problem-list.module.css";

export const problemFragment = graphql(`
  fragment FlowProblemItem on FlowProblem {
    path
    line
    column
    text
  }
`);

interface ProblemListProps {
  problems: readonly FragmentType<typeof problemFragment>[];
}

/** What is wrong with a definition, in the order of the document. */
export function ProblemList({ problems }: ProblemListProps) {
  return <ProblemLines problems={readFragment(problemFragment, problems)} />;
}

interface Problem {
  path: string;
  line: number;
  column: number;
  text: string;
}

interface ProblemLinesProps {
  problems: readonly Problem[];
  /** Brings one into view. */
  onShow?: (problem: Problem) => void;
}

/** The same for problems that are read already. */
export function ProblemLines({ problems, onShow }: ProblemLinesProps) {
  const { t } = useTranslation();
  const label = t("flow.problems", { count: problems.length });
  return (
    <div role="region" aria-label={label} tabIndex={0} className={classes.problems}>
      {problems.map((problem, i) => {
        const text =
          problem.line > 0 ? t("flow.problemAt", { line: problem.line, text: problem.text }) : problem.text;
        return (
          // Two problems may say the same of the same place.
          <div key={i} className={classes.problem}>
            <StateIcon tone="failed" size={16} />
            {onShow ? (
              <button type="button" className={classes.at} onClick={() => onShow(problem)}>
                {problem.line > 0 || problem.path === "" ? text : `${problem.path}: ${text}`}
              </button>
            ) : (
              <span className={classes.at}>{text}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}

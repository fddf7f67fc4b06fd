import { useEffect, useRef } from "react";
import { useClient } from "urql";
import { graphql, readFragment } from "~/gql";
import type { CheckFlowInput } from "~/gql/graphql";
import { toFault, type Fault } from "~/lib/fault";
import type { Check, Edit, Sync } from "~/modules/flow/edit/sync";
import { fireFragment } from "~/modules/flow/fire-times";
import { problemFragment } from "~/modules/flow/problem-list";
import { tidy } from "~/modules/flow/spec";

const checkQuery = graphql(`
  query CheckFlow($input: CheckFlowInput!) {
    checkFlow(input: $input) {
      problems {
        ...FlowProblemItem
      }
      spec
      yaml
      fires {
        ...FireTime
      }
    }
  }
`);

const waitMs = 350;

function bare(path: string): string {
  return path.replace(/^spec\./, "");
}

/** Asks the server about each edit, a moment after it; answers to older edits are dropped by the state. */
export function useCheck(
  teamId: string,
  state: Sync,
  dispatch: (event: Edit) => void,
  onFault: (fault: Fault | null) => void,
): void {
  const client = useClient();
  const latest = useRef(state);
  useEffect(() => {
    latest.current = state;
  });
  const { revision } = state;
  useEffect(() => {
    let dropped = false;
    const ask = async (input: CheckFlowInput): Promise<Check | null> => {
      const result = await client.query(checkQuery, { input }, { requestPolicy: "network-only" }).toPromise();
      if (dropped) return null;
      onFault(result.error ? toFault(result.error) : null);
      if (!result.data) return null;
      const { problems, spec, yaml, fires } = result.data.checkFlow;
      return {
        // The flow has its name beside the document.
        problems: readFragment(problemFragment, problems).filter((problem) => problem.path !== "name"),
        spec,
        yaml,
        fires: readFragment(fireFragment, fires),
      };
    };
    const run = async (): Promise<void> => {
      const { source, spec, yaml } = latest.current;
      if (source === "text") {
        const check = await ask({ teamId, yaml });
        if (check) dispatch({ kind: "checked", revision, check });
        return;
      }
      const check = await ask({ teamId, spec: tidy(spec) as unknown as Record<string, unknown> });
      if (!check) return;
      dispatch({ kind: "checked", revision, check });
      // Data has no lines: its document tells where the problems stand.
      if (check.problems.length === 0 || check.yaml === "") return;
      const placed = await ask({ teamId, yaml: check.yaml });
      if (!placed) return;
      const problems = check.problems.map((problem) => {
        const same = placed.problems.find(
          (each) => bare(each.path) === bare(problem.path) && each.text === problem.text,
        );
        return same ?? problem;
      });
      dispatch({ kind: "checked", revision, check: { ...check, problems } });
    };
    const timer = setTimeout(() => void run(), waitMs);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [client, teamId, revision, dispatch, onFault]);
}

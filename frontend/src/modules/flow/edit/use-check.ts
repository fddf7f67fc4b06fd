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

/** Asks the server about each edit, a moment after it; answers to older edits are dropped by the state. */
export function useCheck(
  teamId: string,
  name: string,
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
      const check = await ask({ teamId, name, spec: tidy(spec) as unknown as Record<string, unknown> });
      if (check) dispatch({ kind: "checked", revision, check });
    };
    const timer = setTimeout(() => void run(), waitMs);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [client, teamId, name, revision, dispatch, onFault]);
}

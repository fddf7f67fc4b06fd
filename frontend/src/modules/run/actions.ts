import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { graphql, readFragment } from "~/gql";
import { useAction } from "~/lib/live";
import { notifyFault } from "~/lib/notify";
import { runRowFragment } from "~/modules/run/run-row-fragment";

const stopMutation = graphql(`
  mutation StopRun($id: ID!) {
    stopRun(id: $id) {
      run {
        ...RunRow
      }
    }
  }
`);

const rerunMutation = graphql(`
  mutation Rerun($id: ID!) {
    rerun(id: $id) {
      run {
        ...RunRow
      }
    }
  }
`);

export interface RunActions {
  stop: () => Promise<void>;
  /** Runs it again and goes to the new run. */
  rerun: () => Promise<void>;
  busy: boolean;
}

/** What can be done with a run by one click; a refusal is told in a note. */
export function useRunActions(id: string): RunActions {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [stop, stopping] = useAction(stopMutation);
  const [rerun, rerunning] = useAction(rerunMutation);
  return useMemo(
    () => ({
      stop: async () => {
        const { fault } = await stop({ id });
        if (fault) notifyFault(fault, t);
      },
      rerun: async () => {
        const { data, fault } = await rerun({ id });
        if (fault) notifyFault(fault, t);
        else void navigate(`/runs/${readFragment(runRowFragment, data.rerun.run).id}`);
      },
      busy: stopping || rerunning,
    }),
    [id, t, navigate, stop, rerun, stopping, rerunning],
  );
}

import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import type { RerunScope, StepMark } from "~/gql/graphql";
import { useAction } from "~/lib/live";
import { notifyFault } from "~/lib/notify";
import type { Fault } from "~/lib/fault";

const stopMutation = graphql(`
  mutation StopFlowRun($id: ID!) {
    stopFlowRun(id: $id) {
      flowRun {
        ...FlowRunRow
        ...FlowRunHead
      }
    }
  }
`);

const rerunMutation = graphql(`
  mutation RerunFlowRun($input: RerunFlowRunInput!) {
    rerunFlowRun(input: $input) {
      flowRun {
        ...FlowRunRow
        ...FlowRunHead
      }
    }
  }
`);

const markMutation = graphql(`
  mutation MarkStep($flowRunId: ID!, $step: String!, $as: StepMark!) {
    markStep(flowRunId: $flowRunId, step: $step, as: $as) {
      flowRun {
        ...FlowRunRow
        ...FlowRunHead
      }
    }
  }
`);

export interface FlowRunActions {
  stop: () => Promise<void>;
  rerun: (scope: RerunScope) => Promise<void>;
  /** This step and what needs it. */
  rerunFrom: (step: string) => Promise<void>;
  mark: (step: string, as: StepMark) => Promise<void>;
  busy: boolean;
}

/** What can be done with a flow run by one click; a refusal is told in a note. */
export function useFlowRunActions(id: string): FlowRunActions {
  const { t } = useTranslation();
  const [stop, stopping] = useAction(stopMutation);
  const [rerun, rerunning] = useAction(rerunMutation);
  const [mark, marking] = useAction(markMutation);
  return useMemo(() => {
    const tell = ({ fault }: { fault?: Fault }): void => {
      if (fault) notifyFault(fault, t);
    };
    return {
      stop: async () => tell(await stop({ id })),
      rerun: async (scope) => tell(await rerun({ input: { id, scope } })),
      rerunFrom: async (step) => tell(await rerun({ input: { id, scope: "FAILED", steps: [step] } })),
      mark: async (step, as) => tell(await mark({ flowRunId: id, step, as })),
      busy: stopping || rerunning || marking,
    };
  }, [id, t, stop, rerun, mark, stopping, rerunning, marking]);
}

import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useCallback, useEffect, useRef } from "react";
import { useMutation, useQuery, type AnyVariables, type OperationContext, type UseQueryState } from "urql";
import { useConnection } from "~/lib/connection";
import { toFault, type Fault } from "~/lib/fault";

export interface Live<D> {
  data: D | undefined;
  fault: Fault | undefined;
  /** Nothing to show yet. */
  loading: boolean;
  reload: () => void;
}

interface LiveArgs<D, V extends AnyVariables> {
  query: TypedDocumentNode<D, V>;
  variables: V;
  pause?: boolean;
  context?: Partial<OperationContext>;
}

/**
 * A query that asks again when the page may have missed something (see Connection).
 * What was there stays on the screen meanwhile.
 */
export function useLive<D, V extends AnyVariables>(args: LiveArgs<D, V>): Live<D> {
  const { epoch } = useConnection();
  // urql's type of arguments depends on whether V is empty, which a generic cannot know.
  const [state, execute]: [UseQueryState<D, V>, (context?: Partial<OperationContext>) => void] = useQuery<
    D,
    V
  >({
    ...args,
    requestPolicy: "cache-and-network",
  } as Parameters<typeof useQuery<D, V>>[0]);
  const executeRef = useRef(execute);
  useEffect(() => {
    executeRef.current = execute;
  }, [execute]);
  const reload = useCallback(() => executeRef.current({ requestPolicy: "network-only" }), []);

  const known = useRef(epoch);
  const paused = args.pause ?? false;
  useEffect(() => {
    if (known.current === epoch) return;
    known.current = epoch;
    if (!paused) reload();
  }, [epoch, paused, reload]);

  return {
    data: state.data,
    fault: state.error ? toFault(state.error) : undefined,
    loading: state.data === undefined && !state.error,
    reload,
  };
}

/** A mutation that gives its data or a fault, never both. */
export function useAction<D, V extends AnyVariables>(
  document: TypedDocumentNode<D, V>,
): [(variables: V) => Promise<{ data: D; fault?: undefined } | { data?: undefined; fault: Fault }>, boolean] {
  const [state, execute] = useMutation(document);
  const run = useCallback(
    async (variables: V) => {
      const result = await execute(variables);
      if (result.error) return { fault: toFault(result.error) };
      if (!result.data) {
        return { fault: { code: "UNKNOWN" as const, message: "empty answer", fields: [], requestId: "" } };
      }
      return { data: result.data };
    },
    [execute],
  );
  return [run, state.fetching];
}

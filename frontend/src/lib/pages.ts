import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useClient, type AnyVariables } from "urql";
import { useConnection } from "~/lib/connection";
import { useLive, type Live } from "~/lib/live";

export const pageSize = 50;

export interface PagedVariables {
  first?: number | null;
  after?: string | null;
}

/** A connection that grows page by page; the cache joins the pages (relayPagination). */
export interface Paged<D> extends Live<D> {
  more: (endCursor: string | null | undefined) => void;
  /** Asks for the first page again, soon, once for many calls. */
  refresh: () => void;
}

export function usePages<D, V extends AnyVariables & PagedVariables>(
  query: TypedDocumentNode<D, V>,
  variables: V,
): Paged<D> {
  const client = useClient();
  const { epoch } = useConnection();
  const key = JSON.stringify(variables);
  const [page, setPage] = useState<{ key: string; after: string | null }>({ key, after: null });
  const after = page.key === key ? page.after : null;
  // Built from the key, so that a new object of the same content asks nothing.
  const first = useMemo((): V => ({ ...(JSON.parse(key) as V), first: pageSize, after: null }), [key]);
  const live = useLive<D, V>({ query, variables: useMemo(() => ({ ...first, after }), [first, after]) });

  const again = useCallback(() => {
    void client.query(query, first, { requestPolicy: "network-only" }).toPromise();
  }, [client, query, first]);

  // After a reconnect the first page is the one that may have changed.
  useEffect(() => {
    if (epoch > 0 && after !== null) again();
  }, [epoch, after, again]);

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const refresh = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(again, 400);
  }, [again]);

  const more = useCallback(
    (endCursor: string | null | undefined) => setPage({ key, after: endCursor ?? null }),
    [key],
  );
  return { ...live, reload: again, more, refresh };
}

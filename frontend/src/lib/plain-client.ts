import { createClient, fetchExchange, type Client } from "urql";
import { pageFetchOptions } from "~/lib/fetch-options";

/** A client without a cache: for logs, whose lines are held by number and never change. */
export const plainClient: Client = createClient({
  url: "/graphql",
  preferGetMethod: false,
  requestPolicy: "network-only",
  fetchOptions: pageFetchOptions,
  exchanges: [fetchExchange],
});

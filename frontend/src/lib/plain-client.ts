import { createClient, fetchExchange, type Client } from "urql";
import { currentLanguage } from "~/lib/language";

/** A client without a cache: for logs, whose lines are held by number and never change. */
export const plainClient: Client = createClient({
  url: "/graphql",
  preferGetMethod: false,
  requestPolicy: "network-only",
  fetchOptions: () => ({
    credentials: "same-origin",
    headers: { "Accept-Language": currentLanguage() },
  }),
  exchanges: [fetchExchange],
});

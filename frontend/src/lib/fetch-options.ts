import { currentLanguage } from "~/lib/language";

/**
 * How the page asks over HTTP: with its session, in the language that was chosen, for
 * plain JSON. urql would take an event stream as well, and cut it off after the answer.
 */
export function pageFetchOptions(): RequestInit {
  return {
    credentials: "same-origin",
    headers: {
      Accept: "application/graphql-response+json, application/json",
      "Accept-Language": currentLanguage(),
    },
  };
}

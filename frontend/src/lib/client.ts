import { cacheExchange, type UpdateResolver } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { createClient, fetchExchange, mapExchange, subscriptionExchange, type Client } from "urql";
import { toFault } from "~/lib/fault";
import { freshOnly } from "~/lib/fresh";
import { pageFetchOptions } from "~/lib/fetch-options";
import { socket } from "~/lib/socket";
import { createStore } from "~/lib/store";

/** True once the server said that nobody is signed in. */
export const signedOut = createStore(false);

const none = (): null => null;

/** Types that are parts of their parent. QuotaHolder, SecretUser and VolumeUse carry the id of something else. */
const embedded = [
  "App",
  "AppLog",
  "AppLogLine",
  "CarryNote",
  "Cluster",
  "Code",
  "EnvVar",
  "FrozenCode",
  "Estate",
  "EstateThing",
  "EstateVolume",
  "DeparturePreview",
  "InvitationOffer",
  "PasswordState",
  "Person",
  "PersonConnection",
  "PersonEdge",
  "EventConnection",
  "EventEdge",
  "Fit",
  "BackfillPreview",
  "FlowChange",
  "FlowCheck",
  "FlowConnection",
  "FlowDraft",
  "FlowEdge",
  "FlowFire",
  "FlowPermissions",
  "FlowProblem",
  "FlowRunConnection",
  "FlowRunEdge",
  "FlowRunPermissions",
  "FlowSchedule",
  "ImageConnection",
  "ImageEdge",
  "InstanceConnection",
  "InstanceEdge",
  "InstancePermissions",
  "InstancePreset",
  "LogInfo",
  "LogLine",
  "LogWindow",
  "Membership",
  "Mount",
  "NodeShape",
  "Overcommit",
  "PageInfo",
  "Phase",
  "Port",
  "Profile",
  "QuotaHolder",
  "QuotaItem",
  "QuotaPreview",
  "QuotaPreviewItem",
  "QuotaStatus",
  "Reason",
  "Resources",
  "RunConnection",
  "RunEdge",
  "RunPermissions",
  "SecretKey",
  "SecretPermissions",
  "SecretUse",
  "SecretUser",
  "SlotUse",
  "SshAccess",
  "TeamConnection",
  "TeamEdge",
  "TeamPermissions",
  "UserConnection",
  "UserEdge",
  "UserLimit",
  "Viewer",
  "VolumeConnection",
  "VolumeEdge",
  "PlatformVolumeSource",
  "ShareConnection",
  "ShareEdge",
  "ShareEndPreview",
  "SharePermissions",
  "SharePreview",
  "ShareUse",
  "StorageClass",
  "UnknownClaim",
  "UnpausePreview",
  "VolumeDeletion",
  "VolumePermissions",
  "VolumeTrash",
  "VolumeUsage",
  "VolumeUse",
  "DeletePayload",
] as const;

/** The lists of teams are asked for anew: that of the switcher, too. */
const forgetTeams: UpdateResolver = (_result, _args, cache) => {
  for (const field of cache.inspectFields("Query")) {
    if (field.fieldName === "teams") cache.invalidate("Query", field.fieldKey);
  }
};

export function createPageClient(): Client {
  return createClient({
    url: "/graphql",
    preferGetMethod: false,
    fetchOptions: pageFetchOptions,
    exchanges: [
      mapExchange({
        onError(error) {
          if (toFault(error).code === "UNAUTHENTICATED") signedOut.set(true);
        },
      }),
      cacheExchange({
        keys: {
          ...Object.fromEntries(embedded.map((name) => [name, none])),
          Setting: (setting) => String(setting.key),
        },
        updates: { Mutation: { createTeam: forgetTeams, deleteTeam: forgetTeams } },
        resolvers: {
          Query: {
            instances: relayPagination(),
            runs: relayPagination(),
            flows: relayPagination(),
            flowRuns: relayPagination(),
            volumes: relayPagination(),
            shares: relayPagination(),
            auditLog: relayPagination(),
            people: relayPagination(),
          },
        },
      }),
      freshOnly,
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: socket.subscribe({ query: query ?? "", variables: variables ?? {} }, sink),
          }),
        }),
      }),
    ],
  });
}

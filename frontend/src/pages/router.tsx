import { createBrowserRouter, redirect, type RouteObject } from "react-router";
import { SkeletonBlock } from "~/components/blank";
import { Frame } from "~/modules/frame/frame";
import { Broken } from "~/pages/broken";
import { NotFound } from "~/pages/not-found";

const routes: RouteObject[] = [
  {
    path: "/sign-in",
    hydrateFallbackElement: <SkeletonBlock height={480} />,
    errorElement: <Broken />,
    lazy: async () => ({ Component: (await import("~/pages/sign-in")).SignInPage }),
  },
  {
    // Outside of the frame: also for who is in no team.
    path: "/device",
    hydrateFallbackElement: <SkeletonBlock height={480} />,
    errorElement: <Broken />,
    lazy: async () => ({ Component: (await import("~/pages/device")).DevicePage }),
  },
  {
    // Outside of the frame: whoever opens it may be in no team, or be nobody yet.
    path: "/invitation",
    hydrateFallbackElement: <SkeletonBlock height={480} />,
    errorElement: <Broken />,
    lazy: async () => ({ Component: (await import("~/pages/invitation")).InvitationPage }),
  },
  {
    element: <Frame />,
    // The first route's code is on its way; the frame then shows its own skeleton.
    hydrateFallbackElement: <SkeletonBlock height={480} />,
    errorElement: <Broken />,
    children: [
      { index: true, lazy: async () => ({ Component: (await import("~/pages/overview")).OverviewPage }) },
      {
        path: "instances",
        lazy: async () => ({ Component: (await import("~/pages/instances")).InstancesPage }),
      },
      {
        path: "instances/new",
        lazy: async () => ({ Component: (await import("~/pages/instance-new")).InstanceNewPage }),
      },
      {
        path: "instances/:id",
        lazy: async () => ({ Component: (await import("~/pages/instance")).InstancePage }),
      },
      {
        path: "instances/:id/edit",
        lazy: async () => ({ Component: (await import("~/pages/instance-edit")).InstanceEditPage }),
      },
      { path: "flows", lazy: async () => ({ Component: (await import("~/pages/flows")).FlowsPage }) },
      {
        path: "flows/new",
        lazy: async () => ({ Component: (await import("~/pages/flow-new")).FlowNewPage }),
      },
      {
        path: "flows/:id/edit",
        lazy: async () => ({ Component: (await import("~/pages/flow-edit")).FlowEditPage }),
      },
      { path: "flows/:id", lazy: async () => ({ Component: (await import("~/pages/flow")).FlowPage }) },
      {
        path: "flow-runs/:id",
        lazy: async () => ({ Component: (await import("~/pages/flow-run")).FlowRunPage }),
      },
      {
        path: "flow-runs/:id/compare/:other",
        lazy: async () => ({ Component: (await import("~/pages/flow-run-compare")).FlowRunComparePage }),
      },
      { path: "runs", lazy: async () => ({ Component: (await import("~/pages/runs")).RunsPage }) },
      { path: "runs/new", lazy: async () => ({ Component: (await import("~/pages/run-new")).RunNewPage }) },
      { path: "runs/:id", lazy: async () => ({ Component: (await import("~/pages/run")).RunPage }) },
      { path: "volumes", lazy: async () => ({ Component: (await import("~/pages/volumes")).VolumesPage }) },
      {
        path: "volumes/:id",
        lazy: async () => ({ Component: (await import("~/pages/volume")).VolumePage }),
      },
      {
        path: "volumes/:id/files",
        lazy: async () => ({ Component: (await import("~/pages/volume-files")).VolumeFilesPage }),
      },
      {
        path: "shares/:id/files",
        lazy: async () => ({ Component: (await import("~/pages/share-files")).ShareFilesPage }),
      },
      { path: "secrets", lazy: async () => ({ Component: (await import("~/pages/secrets")).SecretsPage }) },
      { path: "images", lazy: async () => ({ Component: (await import("~/pages/images")).ImagesPage }) },
      { path: "team", lazy: async () => ({ Component: (await import("~/pages/team")).TeamPage }) },
      { path: "teams", lazy: async () => ({ Component: (await import("~/pages/teams")).TeamsPage }) },
      {
        path: "teams/new",
        lazy: async () => ({ Component: (await import("~/pages/team-new")).TeamNewPage }),
      },
      {
        path: "teams/:id",
        lazy: async () => ({ Component: (await import("~/pages/team-edit")).TeamEditPage }),
      },
      { path: "account", lazy: async () => ({ Component: (await import("~/pages/account")).AccountPage }) },
      {
        path: "settings",
        lazy: async () => ({ Component: (await import("~/pages/settings")).SettingsPage }),
      },
      { path: "people", lazy: async () => ({ Component: (await import("~/pages/people")).PeoplePage }) },
      {
        path: "people/:id/departure",
        lazy: async () => ({ Component: (await import("~/pages/departure")).DeparturePage }),
      },
      { path: "audit", lazy: async () => ({ Component: (await import("~/pages/audit")).AuditPage }) },
      // Where it was before, for those who kept the address.
      { path: "audit-log", loader: ({ request }) => redirect(`/audit${new URL(request.url).search}`) },
      { path: "*", element: <NotFound /> },
    ],
  },
];

export const router = createBrowserRouter(routes);

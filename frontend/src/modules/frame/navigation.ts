import {
  IconBox,
  IconBuildingCommunity,
  IconDatabase,
  IconHome,
  IconKey,
  IconPlayerPlay,
  IconSitemap,
  IconTerminal2,
  IconUsers,
  type Icon,
} from "@tabler/icons-react";

/** The places of the page, in the order of the navigation. */
export const places = [
  { to: "/", label: "frame.overview", icon: IconHome },
  { to: "/instances", label: "frame.instances", icon: IconTerminal2 },
  { to: "/flows", label: "frame.flows", icon: IconSitemap },
  { to: "/runs", label: "frame.runs", icon: IconPlayerPlay },
  { to: "/volumes", label: "frame.volumes", icon: IconDatabase },
  { to: "/secrets", label: "frame.secrets", icon: IconKey },
  { to: "/images", label: "frame.images", icon: IconBox },
  { to: "/team", label: "frame.team", icon: IconUsers },
] as const satisfies readonly { to: string; label: string; icon: Icon }[];

/** Those for who sees more than one team. */
export const acrossTeams = [
  { to: "/teams", label: "frame.teams", icon: IconBuildingCommunity },
] as const satisfies readonly { to: string; label: string; icon: Icon }[];

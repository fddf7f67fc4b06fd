import {
  IconAlertTriangle,
  IconArrowForwardUp,
  IconClock,
  IconCloudDownload,
  IconFlag,
  IconHandStop,
  IconInfoCircle,
  IconPlayerPlay,
  IconPlus,
  IconServer,
  IconUnlink,
  type Icon,
} from "@tabler/icons-react";
import { createElement } from "react";

const icons: Record<string, Icon> = {
  "run.created": IconPlus,
  "run.scheduled": IconServer,
  "run.pulling": IconCloudDownload,
  "run.pulled": IconCloudDownload,
  "run.started": IconPlayerPlay,
  "run.waiting": IconClock,
  "run.trouble": IconAlertTriangle,
  "run.why": IconAlertTriangle,
  "run.ended": IconFlag,
  "run.state": IconFlag,
  "run.next": IconArrowForwardUp,
  "run.no-retry-used": IconArrowForwardUp,
  truncated: IconUnlink,
  rotated: IconUnlink,
};

/** The icon of what a line of the platform is about. */
export function iconOf(code: string): Icon {
  if (code.startsWith("run.kill-")) return IconHandStop;
  if (code.startsWith("run.missing")) return IconUnlink;
  return icons[code] ?? IconInfoCircle;
}

/** Stands in the margin of a line that is not the program's. */
export function PlatformMark({ code, label }: { code: string; label: string }) {
  return createElement(iconOf(code), { size: 14, role: "img", "aria-label": label });
}

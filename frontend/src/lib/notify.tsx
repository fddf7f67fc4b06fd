import { notifications } from "@mantine/notifications";
import type { TFunction } from "i18next";
import { StateIcon } from "~/components/state-mark";
import { faultText, type Fault } from "~/lib/fault";

/** Says that something was refused, in the server's words. */
export function notifyFault(fault: Fault, t: TFunction): void {
  notifications.show({
    message: faultText(fault, t),
    icon: <StateIcon tone="failed" size={20} />,
    color: "transparent",
    autoClose: 10_000,
    role: "alert",
  });
}

export function notifyDone(message: string): void {
  notifications.show({
    message,
    icon: <StateIcon tone="good" size={20} />,
    color: "transparent",
    autoClose: 4_000,
  });
}

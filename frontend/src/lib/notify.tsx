import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import i18next, { type TFunction } from "i18next";
import { StateIcon } from "~/components/state-mark";
import { faultText, type Fault } from "~/lib/fault";

/** Says that something was refused, in the server's words, with what can be done instead. */
export function notifyFault(fault: Fault, t: TFunction, instead?: { label: string; run: () => void }): void {
  const id = notifications.show({
    message: instead ? (
      <>
        <p>{faultText(fault, t)}</p>
        <Button
          variant="default"
          size="xs"
          mt={8}
          onClick={() => {
            notifications.hide(id);
            instead.run();
          }}
        >
          {instead.label}
        </Button>
      </>
    ) : (
      faultText(fault, t)
    ),
    icon: <StateIcon tone="failed" size={20} />,
    color: "transparent",
    closeButtonProps: { "aria-label": i18next.t("action.close") },
    autoClose: instead ? 30_000 : 10_000,
    role: "alert",
  });
}

export function notifyDone(message: string): void {
  notifications.show({
    message,
    icon: <StateIcon tone="good" size={20} />,
    color: "transparent",
    closeButtonProps: { "aria-label": i18next.t("action.close") },
    autoClose: 4_000,
  });
}

import { Button, Group, Stack } from "@mantine/core";
import { useState, type FormEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { faultText, type Fault } from "~/lib/fault";
import { focusFirstError } from "~/lib/form-faults";

interface AskDialogProps {
  title: string;
  submit: string;
  danger?: boolean;
  disabled?: boolean;
  /** Nothing can be done but to close it. */
  closed?: boolean;
  onClose: () => void;
  /** Gives what was refused, or nothing. */
  ask: () => Promise<Fault | undefined>;
  children: ReactNode;
}

/** A question with one button; what is refused is said above it. */
export function AskDialog(props: AskDialogProps) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const refused = await props.ask();
    setBusy(false);
    setFault(refused ?? null);
    if (refused) focusFirstError();
  };
  const said = fault
    ? [...new Set(fault.fields.map((field) => field.message))].join(" ") || faultText(fault, t)
    : "";
  return (
    <Dialog opened onClose={props.onClose} title={props.title}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack gap="md">
          {props.children}
          {fault ? <Notice tone="failed" title={said} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              {t(props.closed ? "action.close" : "action.cancel")}
            </Button>
            {props.closed ? null : (
              <Button
                type="submit"
                loading={busy}
                disabled={props.disabled ?? false}
                {...(props.danger ? { color: "red.8" } : {})}
              >
                {props.submit}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

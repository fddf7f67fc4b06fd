import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import { faultText, type Fault } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";

const passwordQuery = graphql(`
  query Password {
    password {
      changedAt
      currentNeeded
      removable
    }
  }
`);

const setMutation = graphql(`
  mutation SetPassword($input: SetPasswordInput!) {
    setPassword(input: $input) {
      password {
        changedAt
      }
    }
  }
`);

const removeMutation = graphql(`
  mutation RemovePassword($current: String!) {
    removePassword(current: $current) {
      password {
        changedAt
      }
    }
  }
`);

/** The viewer's password: whether there is one, since when, and a change of it. */
export function PasswordPanel({ onChange }: { onChange: () => void }) {
  const { t } = useTranslation();
  const { data, reload } = useLive({ query: passwordQuery, variables: {} });
  const [asking, setAsking] = useState<"set" | "remove" | null>(null);
  const state = data?.password;
  const done = (message: string): void => {
    setAsking(null);
    notifyDone(message);
    reload();
    onChange();
  };
  if (!state) return null;
  const has = state.changedAt !== null && state.changedAt !== undefined;
  return (
    <Panel
      title={t("account.password.title")}
      aside={
        <Group gap="xs">
          {has && state.removable ? (
            <Button variant="default" size="xs" onClick={() => setAsking("remove")}>
              {t("account.password.remove")}
            </Button>
          ) : null}
          <Button variant="default" size="xs" onClick={() => setAsking("set")}>
            {has ? t("account.password.change") : t("account.password.set")}
          </Button>
        </Group>
      }
    >
      <p className="soft">
        {state.changedAt ? (
          <>
            {t("account.password.since")} <RelativeTime at={state.changedAt} />
          </>
        ) : (
          t("account.password.none")
        )}
      </p>
      {asking ? (
        <Ask
          removing={asking === "remove"}
          current={has && state.currentNeeded}
          onClose={() => setAsking(null)}
          onDone={() =>
            done(asking === "remove" ? t("account.password.removed") : t("account.password.changed"))
          }
        />
      ) : null}
    </Panel>
  );
}

interface AskProps {
  removing: boolean;
  /** The password of now must be given. */
  current: boolean;
  onClose: () => void;
  onDone: () => void;
}

interface AskValues extends Record<string, unknown> {
  current: string;
  password: string;
}

function Ask({ removing, current, onClose, onDone }: AskProps) {
  const { t } = useTranslation();
  const [set, setting] = useAction(setMutation);
  const [remove, busyRemoving] = useAction(removeMutation);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<AskValues>({
    initialValues: { current: "", password: "" },
    validate: {
      current: (value) => (current && value === "" ? t("form.required") : null),
      password: (value) => (!removing && value === "" ? t("form.required") : null),
    },
  });
  const refused = (fault: Fault): void => {
    const { errors, rest } = formFaults(fault, ["current", "password"]);
    form.setErrors(errors);
    setProblem(rest.join(" ") || (fault.fields.length === 0 ? faultText(fault, t) : null));
    focusFirstError();
  };
  const submit = async (values: AskValues): Promise<void> => {
    setProblem(null);
    const result = removing
      ? await remove({ current: values.current })
      : await set({ input: { current: values.current, password: values.password } });
    if (result.fault) refused(result.fault);
    else onDone();
  };
  const title = removing ? t("account.password.remove") : t("account.password.set");
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)} noValidate>
        <Stack gap="md">
          {current ? (
            <PasswordInput
              label={t("account.password.current")}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ "aria-label": t("signIn.show") }}
              data-autofocus
              {...form.getInputProps("current")}
            />
          ) : null}
          {removing ? null : (
            <PasswordInput
              label={t("account.password.new")}
              description={t("account.password.rules")}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ "aria-label": t("signIn.show") }}
              data-autofocus={current ? undefined : true}
              {...form.getInputProps("password")}
            />
          )}
          <p className="soft">{t("account.password.others")}</p>
          {problem ? <Notice tone="failed" title={problem} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={setting || busyRemoving} color={removing ? "red.8" : undefined}>
              {title}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

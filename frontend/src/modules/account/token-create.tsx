import { Button, Group, Radio, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Snippet } from "~/components/copy";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { TokenScope } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction } from "~/lib/live";

const createMutation = graphql(`
  mutation CreateAccessToken($input: CreateAccessTokenInput!) {
    createAccessToken(input: $input) {
      token
    }
  }
`);

interface TokenValues extends Record<string, unknown> {
  name: string;
  scope: TokenScope;
  days: string;
}

const paths = ["name", "scope", "days"] as const;
const lifetimes = ["7", "30", "90", "365"] as const;

interface CreateTokenProps {
  /** An administrator or auditor of the platform. */
  mayAdmin: boolean;
  onClose: () => void;
  onCreated: () => void;
}

/** Asks what a token is for, then shows it once. */
export function CreateToken({ mayAdmin, onClose, onCreated }: CreateTokenProps) {
  const { t } = useTranslation();
  const [create, creating] = useAction(createMutation);
  const [error, setError] = useState<string | null>(null);
  const [token, setToken] = useState<string | null>(null);
  const form = useForm<TokenValues>({
    initialValues: { name: "", scope: "READ", days: "30" },
    validate: { name: (value) => (value.trim() === "" ? t("form.required") : null) },
  });
  const submit = async (values: TokenValues): Promise<void> => {
    setError(null);
    const { data, fault } = await create({
      input: { name: values.name.trim(), scope: values.scope, days: Number(values.days) },
    });
    if (fault) {
      const { errors, rest } = formFaults(fault, paths);
      form.setErrors(errors);
      setError(rest.join(" ") || (fault.fields.length === 0 ? faultText(fault, t) : null));
      focusFirstError();
      return;
    }
    setToken(data.createAccessToken.token);
    onCreated();
  };
  if (token !== null) {
    return (
      <Dialog opened onClose={onClose} title={t("account.created")}>
        <Stack gap="md">
          <Notice tone="attention" title={t("account.once")} />
          <Snippet text={token} what={t("account.token")} />
          <p className="soft">{t("account.how")}</p>
          <Snippet
            text={`curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"query":"{ viewer { user { email } } }"}' ${location.origin}/graphql`}
            what={t("account.example")}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t("action.close")}</Button>
          </Group>
        </Stack>
      </Dialog>
    );
  }
  const scopes: readonly TokenScope[] = mayAdmin ? ["READ", "WRITE", "ADMIN"] : ["READ", "WRITE"];
  return (
    <Dialog opened onClose={onClose} title={t("account.create")}>
      <form onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)} noValidate>
        <Stack gap="md">
          <TextInput
            label={t("account.name")}
            placeholder="nightly-report"
            maxLength={63}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <Radio.Group label={t("account.scopeLabel")} {...form.getInputProps("scope")}>
            <Stack gap={8} mt={6}>
              {scopes.map((scope) => (
                <Radio
                  key={scope}
                  value={scope}
                  label={t(`account.scope.${scope}`)}
                  description={t(`account.scopeHint.${scope}`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Select
            label={t("account.days")}
            data={lifetimes.map((days) => ({
              value: days,
              label: t("account.daysText", { count: Number(days) }),
            }))}
            allowDeselect={false}
            {...form.getInputProps("days")}
          />
          {error ? <Notice tone="failed" title={error} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={creating}>
              {t("account.create")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

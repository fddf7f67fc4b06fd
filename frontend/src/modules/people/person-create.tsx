import { Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Snippet } from "~/components/copy";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { PlatformRole } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction } from "~/lib/live";

const createMutation = graphql(`
  mutation CreateUser($input: CreateUserInput!) {
    createUser(input: $input) {
      signInUrl
      user {
        id
      }
    }
  }
`);

interface PersonValues extends Record<string, unknown> {
  email: string;
  displayName: string;
  platformRole: PlatformRole;
}

const roles: readonly PlatformRole[] = ["USER", "AUDITOR", "ADMINISTRATOR"];

/** Makes a person, then shows their first link once. */
export function CreatePerson({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const { t } = useTranslation();
  const [create, creating] = useAction(createMutation);
  const [problem, setProblem] = useState<string | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const required = (value: string): string | null => (value.trim() === "" ? t("form.required") : null);
  const form = useForm<PersonValues>({
    initialValues: { email: "", displayName: "", platformRole: "USER" },
    validate: { email: required, displayName: required },
  });
  const submit = async (values: PersonValues): Promise<void> => {
    setProblem(null);
    const { data, fault } = await create({
      input: { ...values, email: values.email.trim(), displayName: values.displayName.trim() },
    });
    if (fault) {
      const { errors, rest } = formFaults(fault, ["email", "displayName", "platformRole"]);
      form.setErrors(errors);
      setProblem(rest.join(" ") || (fault.fields.length === 0 ? faultText(fault, t) : null));
      focusFirstError();
      return;
    }
    setLink(data.createUser.signInUrl);
    onCreated();
  };
  if (link !== null) {
    return (
      <Dialog opened onClose={onClose} title={t("people.linkFor", { name: form.values.displayName })}>
        <Stack gap="md">
          <Notice tone="attention" title={t("people.linkOnce")} />
          <Snippet text={link} what={t("people.link")} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t("action.close")}</Button>
          </Group>
        </Stack>
      </Dialog>
    );
  }
  return (
    <Dialog opened onClose={onClose} title={t("people.create")}>
      <form onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)} noValidate>
        <Stack gap="md">
          <TextInput type="email" label={t("signIn.email")} data-autofocus {...form.getInputProps("email")} />
          <TextInput label={t("invitation.name")} maxLength={63} {...form.getInputProps("displayName")} />
          <Select
            label={t("people.roleLabel")}
            data={roles.map((role) => ({ value: role, label: t(`people.role.${role}`) }))}
            allowDeselect={false}
            {...form.getInputProps("platformRole")}
          />
          {problem ? <Notice tone="failed" title={problem} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={creating}>
              {t("people.create")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

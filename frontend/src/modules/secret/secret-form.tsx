import { Button, Group, Select, Stack, Switch, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { SecretKind, SecretRowFragment } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { noSecret, secretPaths, toContent, type SecretValues } from "~/modules/secret/form-values";
import { GitFields, KeytabFields, RegistryFields, ValuesFields } from "~/modules/secret/kind-fields";
import { useSession } from "~/modules/session/session";

const createMutation = graphql(`
  mutation CreateSecret($input: CreateSecretInput!) {
    createSecret(input: $input) {
      secret {
        ...SecretRow
      }
    }
  }
`);

const replaceMutation = graphql(`
  mutation ReplaceSecret($input: ReplaceSecretInput!) {
    replaceSecret(input: $input) {
      secret {
        ...SecretRow
      }
    }
  }
`);

const kinds: readonly SecretKind[] = ["GENERIC", "GIT", "REGISTRY", "KEYTAB"];

interface SecretFormProps {
  /** Gets new values; nothing of the old ones is known here. */
  replacing?: SecretRowFragment;
  onClose: () => void;
  onDone: () => void;
}

/** Makes a secret, or gives one new values. */
export function SecretForm({ replacing, onClose, onDone }: SecretFormProps) {
  const { t } = useTranslation();
  const { team, administrator } = useSession();
  const [create, creating] = useAction(createMutation);
  const [replace, changing] = useAction(replaceMutation);
  const [error, setError] = useState<string | null>(null);
  const manager = administrator || team.viewerRole === "MAINTAINER" || team.viewerRole === "OWNER";
  // Not kept as a draft: what is typed here stays in this window.
  const form = useForm<SecretValues>({
    initialValues: replacing
      ? {
          ...noSecret,
          kind: replacing.kind,
          name: replacing.name,
          teamId: replacing.team?.id ?? "",
          teamWide: replacing.teamWide,
          values:
            replacing.kind === "GENERIC"
              ? replacing.keys.map((key) => ({ key: key.name, text: "", base64: "", file: "" }))
              : noSecret.values,
        }
      : noSecret,
    validate: { name: (value) => (value.trim() === "" ? t("form.required") : null) },
  });
  const { values } = form;
  const submit = async (): Promise<void> => {
    setError(null);
    const content = toContent(values);
    const { fault } = replacing
      ? await replace({ input: { id: replacing.id, ...content, teamWide: values.teamWide } })
      : await create({
          input: {
            name: values.name.trim(),
            ...(values.teamId === "" ? {} : { teamId: values.teamId }),
            ...content,
            teamWide: values.teamWide && values.teamId !== "" && values.kind === "REGISTRY",
          },
        });
    if (fault) {
      const { errors, rest } = formFaults(fault, secretPaths, { "values.base64": "values.text" });
      form.setErrors(errors);
      setError(rest.join(" ") || (fault.fields.length === 0 ? faultText(fault, t) : null));
      focusFirstError();
      return;
    }
    notifyDone(t(replacing ? "secrets.replaced" : "secrets.created", { name: values.name }));
    onDone();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={replacing ? t("secrets.replaceNamed", { name: replacing.name }) : t("secrets.create")}
    >
      <form onSubmit={form.onSubmit(() => void submit(), focusFirstError)} noValidate autoComplete="off">
        <Stack gap="md">
          {replacing ? (
            <p className="soft">{t("secrets.replaceHint")}</p>
          ) : (
            <Head form={form} manager={manager} teamId={team.id} teamName={team.name} />
          )}
          <KindFields form={form} />
          {values.kind === "REGISTRY" && values.teamId !== "" ? (
            <Switch label={t("secrets.teamWide")} {...form.getInputProps("teamWide", { type: "checkbox" })} />
          ) : null}
          {error ? <Notice tone="failed" title={error} live /> : null}
          <p className="soft">{t("secrets.onceHint")}</p>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={creating || changing}>
              {replacing ? t("secrets.replace") : t("secrets.create")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

interface HeadProps {
  form: UseFormReturnType<SecretValues>;
  manager: boolean;
  teamId: string;
  teamName: string;
}

/** What it is called, what it is for, whose it is. */
function Head({ form, manager, teamId, teamName }: HeadProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t("secrets.name")}
        placeholder="wandb"
        maxLength={100}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Select
        label={t("secrets.kindLabel")}
        description={t(`secrets.kindHint.${form.values.kind}`)}
        inputWrapperOrder={["label", "input", "description", "error"]}
        data={kinds.map((kind) => ({ value: kind, label: t(`secrets.kind.${kind}`) }))}
        allowDeselect={false}
        {...form.getInputProps("kind")}
      />
      {manager ? (
        <Select
          label={t("secrets.whose")}
          description={t(form.values.teamId === "" ? "secrets.mineHint" : "secrets.teamHint")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          data={[
            { value: "", label: t("secrets.mine") },
            { value: teamId, label: t("secrets.ofTeam", { name: teamName }) },
          ]}
          allowDeselect={false}
          {...form.getInputProps("teamId")}
        />
      ) : null}
    </>
  );
}

function KindFields({ form }: { form: UseFormReturnType<SecretValues> }) {
  switch (form.values.kind) {
    case "GIT":
      return <GitFields form={form} />;
    case "REGISTRY":
      return <RegistryFields form={form} />;
    case "KEYTAB":
      return <KeytabFields form={form} />;
    default:
      return <ValuesFields form={form} />;
  }
}

import { FileInput, PasswordInput, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { RowsField } from "~/components/rows-field";
import { noValue, readBase64, type SecretValues, type ValueRow } from "~/modules/secret/form-values";

interface FieldsProps {
  form: UseFormReturnType<SecretValues>;
}

// A password manager has no business with what goes into containers.
const secretInput = { autoComplete: "new-password", spellCheck: false } as const;

export function GitFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  const ssh = form.values.git.auth === "ssh";
  return (
    <>
      <TextInput label={t("secrets.git.host")} placeholder="github.com" {...form.getInputProps("git.host")} />
      <SegmentedControl
        aria-label={t("secrets.git.auth")}
        data={[
          { value: "token", label: t("secrets.git.token") },
          { value: "ssh", label: t("secrets.git.sshKey") },
        ]}
        {...form.getInputProps("git.auth")}
      />
      <TextInput
        label={t("secrets.git.user")}
        placeholder="git"
        autoComplete="off"
        {...form.getInputProps("git.user")}
      />
      {ssh ? (
        <>
          <Textarea
            label={t("secrets.git.sshKey")}
            description={t("secrets.git.sshKeyHint")}
            placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
            rows={5}
            classNames={{ input: "mono" }}
            {...secretInput}
            {...form.getInputProps("git.sshKey")}
          />
          <Textarea
            label={t("secrets.git.knownHosts")}
            description={t("secrets.git.knownHostsHint")}
            rows={3}
            classNames={{ input: "mono" }}
            {...form.getInputProps("git.knownHosts")}
          />
        </>
      ) : (
        <PasswordInput label={t("secrets.git.token")} {...secretInput} {...form.getInputProps("git.token")} />
      )}
    </>
  );
}

export function RegistryFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t("secrets.registry.server")}
        placeholder="registry.example.org"
        {...form.getInputProps("registry.server")}
      />
      <TextInput
        label={t("secrets.registry.user")}
        autoComplete="off"
        {...form.getInputProps("registry.user")}
      />
      <PasswordInput
        label={t("secrets.registry.password")}
        {...secretInput}
        {...form.getInputProps("registry.password")}
      />
    </>
  );
}

export function KeytabFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  const { file } = form.values.keytab;
  return (
    <>
      <TextInput
        label={t("secrets.keytab.principal")}
        placeholder="meng@EXAMPLE.ORG"
        autoComplete="off"
        {...form.getInputProps("keytab.principal")}
      />
      <FileInput
        label={t("secrets.keytab.file")}
        placeholder={file || t("secrets.chooseFile")}
        onChange={(chosen) => {
          if (!chosen) return;
          void readBase64(chosen).then((text) => {
            form.setFieldValue("keytab.keytab", text);
            form.setFieldValue("keytab.file", chosen.name);
          });
        }}
        error={form.errors["keytab.keytab"]}
      />
      <TextInput
        label={t("secrets.keytab.realm")}
        placeholder="EXAMPLE.ORG"
        {...form.getInputProps("keytab.realm")}
      />
      <Textarea
        label={t("secrets.keytab.krb5Conf")}
        rows={3}
        classNames={{ input: "mono" }}
        {...form.getInputProps("keytab.krb5Conf")}
      />
    </>
  );
}

export function ValuesFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  const { values, errors } = form;
  const set = (index: number, part: Partial<ValueRow>): void =>
    form.setFieldValue(
      "values",
      values.values.map((each, i) => (i === index ? { ...each, ...part } : each)),
    );
  return (
    <RowsField
      label={t("secrets.values.title")}
      hint={t("secrets.values.hint")}
      count={values.values.length}
      add={t("secrets.values.add")}
      onAdd={() => form.setFieldValue("values", [...values.values, noValue])}
      remove={(index) => t("secrets.values.remove", { n: index + 1 })}
      onRemove={(index) =>
        form.setFieldValue(
          "values",
          values.values.filter((_, i) => i !== index),
        )
      }
      row={(index) => {
        const row = values.values[index];
        if (!row) return null;
        return (
          <>
            <TextInput
              aria-label={t("secrets.values.key")}
              placeholder="API_KEY"
              value={row.key}
              onChange={(event) => set(index, { key: event.currentTarget.value })}
              error={errors[`values.${index}.key`]}
              classNames={{ input: "mono" }}
            />
            {row.file === "" ? (
              // Of several lines, which an input would put into one.
              <Textarea
                aria-label={t("secrets.values.value")}
                placeholder={t("secrets.values.value")}
                autosize
                minRows={1}
                maxRows={6}
                value={row.text}
                onChange={(event) => set(index, { text: event.currentTarget.value })}
                error={errors[`values.${index}.text`]}
                classNames={{ input: "hidden-text" }}
                {...secretInput}
              />
            ) : null}
            <FileInput
              aria-label={t("secrets.values.file")}
              placeholder={row.file || t("secrets.values.file")}
              clearable
              onChange={(chosen) => {
                if (!chosen) {
                  set(index, { base64: "", file: "" });
                  return;
                }
                void readBase64(chosen).then((base64) =>
                  set(index, { base64, file: chosen.name, key: row.key || chosen.name }),
                );
              }}
            />
          </>
        );
      }}
    />
  );
}

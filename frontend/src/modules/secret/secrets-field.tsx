import { Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RowsField } from "~/components/rows-field";
import type { SecretAs } from "~/gql/graphql";
import { useSecretChoices } from "~/modules/secret/choices";

/** A use of a secret as a form holds it. */
export interface SecretUseValue {
  secretId: string;
  as: SecretAs;
  at: string;
}

interface SecretsFieldProps {
  teamId: string;
  values: readonly SecretUseValue[];
  onChange: (values: SecretUseValue[]) => void;
  /** Messages by `0.secretId`, `1.at`. */
  errorAt: (path: string) => React.ReactNode;
}

const ways: readonly SecretAs[] = ["AUTO", "ENV", "FILE"];

/** Secrets and how they appear in the container. */
export function SecretsField({ teamId, values, onChange, errorAt }: SecretsFieldProps) {
  const { t } = useTranslation();
  const choices = useSecretChoices(teamId);
  const set = (index: number, part: Partial<SecretUseValue>): void =>
    onChange(values.map((each, i) => (i === index ? { ...each, ...part } : each)));
  return (
    <RowsField
      label={t("secrets.field.title")}
      hint={choices.length === 0 ? t("secrets.field.noneHint") : t("secrets.field.hint")}
      count={values.length}
      add={t("secrets.field.add")}
      onAdd={() => onChange([...values, { secretId: choices[0]?.id ?? "", as: "AUTO", at: "" }])}
      remove={(index) => t("secrets.field.remove", { n: index + 1 })}
      onRemove={(index) => onChange(values.filter((_, i) => i !== index))}
      row={(index) => {
        const use = values[index];
        if (!use) return null;
        const chosen = choices.find((each) => each.id === use.secretId);
        const known = choices.map((each) => ({
          value: each.id,
          label: each.team ? each.name : t("secrets.field.mine", { name: each.name }),
        }));
        return (
          <>
            <Select
              aria-label={t("secrets.field.secret")}
              placeholder={t("secrets.field.secret")}
              data={
                chosen || use.secretId === ""
                  ? known
                  : [...known, { value: use.secretId, label: t("secrets.field.others") }]
              }
              value={use.secretId || null}
              onChange={(id) => id && set(index, { secretId: id })}
              allowDeselect={false}
              error={errorAt(`${index}.secretId`)}
            />
            <Select
              aria-label={t("secrets.field.as")}
              data={ways.map((way) => ({
                value: way,
                label:
                  way === "AUTO" && chosen
                    ? t(`secrets.field.auto.${chosen.kind}`)
                    : t(`secrets.field.way.${way}`),
              }))}
              value={use.as}
              onChange={(way) =>
                set(index, {
                  as: (way ?? "AUTO") as SecretAs,
                  at: way === "FILE" ? `/secrets/${chosen?.name ?? ""}`.replaceAll(/[^\w./-]+/g, "-") : "",
                })
              }
              allowDeselect={false}
              error={errorAt(`${index}.as`)}
            />
            {use.as === "AUTO" ? null : (
              <TextInput
                aria-label={t(`secrets.field.at.${use.as}`)}
                placeholder={t(`secrets.field.at.${use.as}`)}
                value={use.at}
                onChange={(event) => set(index, { at: event.currentTarget.value })}
                error={errorAt(`${index}.at`)}
                classNames={{ input: "mono" }}
              />
            )}
          </>
        );
      }}
    />
  );
}

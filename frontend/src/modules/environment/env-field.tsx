import { Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RowsField } from "~/components/rows-field";

export interface EnvValue {
  name: string;
  value: string;
}

interface EnvFieldProps {
  values: readonly EnvValue[];
  onChange: (values: EnvValue[]) => void;
  errorAt: (path: string) => React.ReactNode;
}

interface ValueProps {
  long: boolean;
  "aria-label": string;
  placeholder: string;
  value: string;
  onChange: (event: { currentTarget: { value: string } }) => void;
  error: React.ReactNode;
  classNames: { input: string };
}

function Value({ long, ...rest }: ValueProps) {
  return long ? <Textarea autosize maxRows={8} {...rest} /> : <TextInput {...rest} />;
}

/** Variables of the environment. */
export function EnvField({ values, onChange, errorAt }: EnvFieldProps) {
  const { t } = useTranslation();
  const set = (index: number, part: Partial<EnvValue>): void =>
    onChange(values.map((each, i) => (i === index ? { ...each, ...part } : each)));
  return (
    <RowsField
      label={t("env.title")}
      hint={t("env.hint")}
      count={values.length}
      add={t("env.add")}
      onAdd={() => onChange([...values, { name: "", value: "" }])}
      remove={(index) => t("env.remove", { n: index + 1 })}
      onRemove={(index) => onChange(values.filter((_, i) => i !== index))}
      row={(index) => (
        <>
          <TextInput
            aria-label={t("env.name")}
            placeholder="NAME"
            value={values[index]?.name ?? ""}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
            error={errorAt(`${index}.name`)}
            classNames={{ input: "mono" }}
          />
          {/* A field of one line would drop the line breaks of a value that has some. */}
          <Value
            long={values[index]?.value.includes("\n") ?? false}
            aria-label={t("env.value")}
            placeholder={t("env.value")}
            value={values[index]?.value ?? ""}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
            error={errorAt(`${index}.value`)}
            classNames={{ input: "mono" }}
          />
        </>
      )}
    />
  );
}

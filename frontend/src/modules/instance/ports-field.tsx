import { NumberInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RowsField } from "~/components/rows-field";

export interface PortValue {
  name: string;
  number: number | string;
}

interface PortsFieldProps {
  values: readonly PortValue[];
  onChange: (values: PortValue[]) => void;
  errorAt: (path: string) => React.ReactNode;
}

/** Extra TCP ports of an instance. */
export function PortsField({ values, onChange, errorAt }: PortsFieldProps) {
  const { t } = useTranslation();
  const set = (index: number, part: Partial<PortValue>): void =>
    onChange(values.map((each, i) => (i === index ? { ...each, ...part } : each)));
  return (
    <RowsField
      label={t("port.title")}
      count={values.length}
      add={t("port.add")}
      onAdd={() => onChange([...values, { name: "", number: "" }])}
      remove={(index) => t("port.remove", { n: index + 1 })}
      onRemove={(index) => onChange(values.filter((_, i) => i !== index))}
      row={(index) => (
        <>
          <NumberInput
            aria-label={t("port.number")}
            placeholder="7860"
            min={1}
            max={65_535}
            allowDecimal={false}
            hideControls
            value={values[index]?.number ?? ""}
            onChange={(number) => set(index, { number })}
            error={errorAt(`${index}.number`)}
          />
          <TextInput
            aria-label={t("port.name")}
            placeholder={t("port.name")}
            value={values[index]?.name ?? ""}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
            error={errorAt(`${index}.name`)}
          />
        </>
      )}
    />
  );
}

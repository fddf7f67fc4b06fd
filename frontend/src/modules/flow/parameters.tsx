import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ParameterSpec } from "~/modules/flow/spec";

interface ParameterFieldsProps {
  parameters: readonly ParameterSpec[];
  values: Record<string, string>;
  onChange: (values: Record<string, string>) => void;
  errors?: Record<string, string>;
}

/** Values of a flow's parameters; what stays empty has its default. */
export function ParameterFields({ parameters, values, onChange, errors }: ParameterFieldsProps) {
  const { t } = useTranslation();
  return parameters.map((parameter) => (
    <TextInput
      key={parameter.name}
      label={parameter.name}
      description={parameter.description}
      placeholder={
        parameter.default ? t("flow.run.default", { value: parameter.default }) : t("flow.run.noDefault")
      }
      required={parameter.required === true && !parameter.default}
      value={values[parameter.name] ?? ""}
      onChange={(event) => onChange({ ...values, [parameter.name]: event.currentTarget.value })}
      error={errors?.[parameter.name]}
      classNames={{ input: "mono" }}
    />
  ));
}

/** Those that were given; the others have their defaults. */
export function givenParameters(
  parameters: readonly ParameterSpec[],
  values: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    parameters.flatMap(({ name }) => {
      const value = values[name] ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/** Needed ones that are still empty. */
export function missingParameters(
  parameters: readonly ParameterSpec[],
  values: Record<string, string>,
): string[] {
  return parameters
    .filter((each) => each.required === true && !each.default && (values[each.name] ?? "") === "")
    .map((each) => each.name);
}

/** Messages of a fault at its parameters: `parameters.day`, `input.parameters.day`. */
export function parameterFaults(
  fields: readonly { path: string; message: string }[],
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const name = /(?:^|\.)parameters\.([\w-]+)$/.exec(field.path)?.[1];
      return name ? [[name, field.message]] : [];
    }),
  );
}

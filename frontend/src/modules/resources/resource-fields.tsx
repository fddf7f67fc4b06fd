import { NumberInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import { formatBytes, formatCores } from "~/lib/format";
import { useLive } from "~/lib/live";
import { FitCheck } from "~/modules/resources/fit-check";
import { parseCores, parseSize, type ResourceValues } from "~/modules/resources/quantity";
import type { TaskClass } from "~/gql/graphql";
import classes from "./resource-fields.module.css";

const profilesQuery = graphql(`
  query Profiles {
    profiles {
      name
      cpu
      memory
      gpu
    }
  }
`);

const gib = 1024 ** 3;

interface ResourceFieldsProps {
  teamId: string;
  class?: TaskClass;
  values: ResourceValues;
  onChange: (values: ResourceValues) => void;
  errors: Partial<Record<keyof ResourceValues, string>>;
}

/** CPU, memory and GPU, with sizes to start from and a live check of what fits. */
export function ResourceFields({ teamId, class: taskClass, values, onChange, errors }: ResourceFieldsProps) {
  const { t, i18n } = useTranslation();
  const { data } = useLive({ query: profilesQuery, variables: {} });
  // What administrators named; a size that this page cannot read is left out.
  const presets = (data?.profiles ?? []).flatMap((each) => {
    const cpu = parseCores(each.cpu);
    const bytes = parseSize(each.memory);
    return cpu > 0 && bytes !== null
      ? [{ name: each.name, cpu, memoryGiB: Math.round((bytes / gib) * 1000) / 1000, gpu: each.gpu }]
      : [];
  });
  const set = (name: keyof ResourceValues) => (value: number | string) =>
    onChange({ ...values, [name]: value });
  return (
    <fieldset className={classes.fields}>
      <legend className={classes.legend}>{t("resources.title")}</legend>
      <div className={classes.presets} role="group" aria-label={t("resources.presets")}>
        {presets.map((preset) => {
          const on =
            Number(values.cpu) === preset.cpu &&
            Number(values.memoryGiB) === preset.memoryGiB &&
            Number(values.gpu) === preset.gpu;
          const parts = [
            preset.name,
            t("resources.cpu", { n: formatCores(preset.cpu * 1000, i18n.language) }),
            formatBytes(preset.memoryGiB * gib, i18n.language),
            ...(preset.gpu > 0 ? [t("resources.gpu", { n: preset.gpu })] : []),
          ];
          return (
            <button
              key={preset.name}
              type="button"
              className={classes.preset}
              aria-pressed={on}
              onClick={() => onChange({ cpu: preset.cpu, memoryGiB: preset.memoryGiB, gpu: preset.gpu })}
            >
              {parts.join(" · ")}
            </button>
          );
        })}
      </div>
      <div className={classes.numbers}>
        <NumberInput
          label={t("resources.cpuLabel")}
          min={0.1}
          max={512}
          step={1}
          decimalScale={3}
          value={values.cpu}
          onChange={set("cpu")}
          error={errors.cpu}
          data-path="resources.cpu"
        />
        <NumberInput
          label={t("resources.memoryLabel")}
          min={0.125}
          max={8192}
          step={1}
          decimalScale={3}
          value={values.memoryGiB}
          onChange={set("memoryGiB")}
          error={errors.memoryGiB}
          data-path="resources.memory"
        />
        <NumberInput
          label="GPU"
          min={0}
          max={64}
          allowDecimal={false}
          value={values.gpu}
          onChange={set("gpu")}
          error={errors.gpu}
          data-path="resources.gpu"
        />
      </div>
      <FitCheck teamId={teamId} class={taskClass} values={values} />
    </fieldset>
  );
}

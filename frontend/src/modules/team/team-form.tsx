import { Group, NumberInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Fold, FormShell } from "~/components/form-shell";
import { focusFirstError } from "~/lib/form-faults";
import type { QuotaValues } from "~/modules/team/quota-values";

interface TeamFormProps {
  form: UseFormReturnType<QuotaValues>;
  onSubmit: () => void;
  busy: boolean;
  error: string | null;
  submit: string;
  /** Beside the button; what the form does, if nothing else is said. */
  summary?: string | undefined;
  cancel?: ReactNode;
}

const ratios = { min: 1, max: 100, step: 0.5, decimalScale: 2, clampBehavior: "strict" } as const;

/** Name, quota and overcommit of a team; what the quota means stands beside it. */
export function TeamForm({ form, onSubmit, busy, error, submit, summary, cancel }: TeamFormProps) {
  const { t } = useTranslation();
  const none = t("quota.preview.noLimit");
  return (
    <FormShell
      onSubmit={form.onSubmit(onSubmit, focusFirstError)}
      submit={submit}
      busy={busy}
      error={error}
      cancel={cancel}
      summary={summary ?? t("team.form.summary")}
    >
      <TextInput label={t("team.form.name")} maxLength={100} data-autofocus {...form.getInputProps("name")} />
      <Group grow align="start" gap="md">
        <TextInput
          label={t("quota.resource.cpu")}
          inputMode="decimal"
          placeholder={none}
          {...form.getInputProps("cpu")}
        />
        <TextInput label={t("quota.resource.memory")} placeholder={none} {...form.getInputProps("memory")} />
        <TextInput
          label={t("quota.resource.gpu")}
          inputMode="numeric"
          placeholder={none}
          {...form.getInputProps("gpu")}
        />
      </Group>
      <Group grow align="start" gap="md">
        <TextInput
          label={t("quota.resource.storage")}
          placeholder={none}
          {...form.getInputProps("storage")}
        />
        <TextInput
          label={t("quota.resource.volumes")}
          inputMode="numeric"
          placeholder={none}
          {...form.getInputProps("volumes")}
        />
        <TextInput
          label={t("quota.resource.pods")}
          inputMode="numeric"
          placeholder={none}
          {...form.getInputProps("pods")}
        />
      </Group>
      <Fold
        title={t("team.overcommit")}
        hint={t("team.overcommitText", {
          cpu: form.values.overcommitCpu || 1,
          memory: form.values.overcommitMemory || 1,
        })}
        open={["Cpu", "Memory", "OnlineCpu", "OnlineMemory"].some((each) => form.errors[`overcommit${each}`])}
      >
        <p className="soft">{t("team.form.overcommitHint")}</p>
        <Group grow align="start" gap="md">
          <NumberInput label={t("quota.resource.cpu")} {...ratios} {...form.getInputProps("overcommitCpu")} />
          <NumberInput
            label={t("quota.resource.memory")}
            {...ratios}
            {...form.getInputProps("overcommitMemory")}
          />
        </Group>
        <Group grow align="start" gap="md">
          <NumberInput
            label={t("team.form.onlineCpu")}
            placeholder={t("team.form.same")}
            {...ratios}
            {...form.getInputProps("overcommitOnlineCpu")}
          />
          <NumberInput
            label={t("team.form.onlineMemory")}
            placeholder={t("team.form.same")}
            {...ratios}
            {...form.getInputProps("overcommitOnlineMemory")}
          />
        </Group>
      </Fold>
    </FormShell>
  );
}

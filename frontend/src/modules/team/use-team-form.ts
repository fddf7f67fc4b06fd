import { useForm, type UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { faultText, type Fault } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import {
  isCores,
  isCount,
  isSize,
  quotaPaths,
  quotaRenames,
  type QuotaValues,
} from "~/modules/team/quota-values";

/** The form of a team, with what can be told before the server is asked. */
export function useTeamForm(initialValues: QuotaValues): {
  form: UseFormReturnType<QuotaValues>;
  error: string | null;
  refuse: (fault: Fault | null) => void;
} {
  const { t } = useTranslation();
  const [error, setError] = useState<string | null>(null);
  const count = (value: string): string | null => (isCount(value) ? null : t("team.form.countWrong"));
  const size = (value: string): string | null => (isSize(value) ? null : t("volume.sizeWrong"));
  const form = useForm<QuotaValues>({
    initialValues,
    validate: {
      name: (value) => (value.trim() === "" ? t("form.required") : null),
      cpu: (value) => (isCores(value) ? null : t("team.form.coresWrong")),
      memory: size,
      storage: size,
      gpu: count,
      volumes: count,
      pods: count,
    },
  });
  const refuse = (fault: Fault | null): void => {
    if (!fault) {
      setError(null);
      return;
    }
    const { errors, rest } = formFaults(fault, quotaPaths, quotaRenames);
    form.setErrors(errors);
    setError(rest.join(" ") || (fault.fields.length === 0 ? faultText(fault, t) : null));
    focusFirstError();
  };
  return { form, error, refuse };
}

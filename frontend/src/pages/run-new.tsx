import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { Page } from "~/components/page";
import { graphql, readFragment } from "~/gql";
import { parseCommand } from "~/lib/command";
import { readDraft, useDraft } from "~/lib/draft";
import { faultText } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction } from "~/lib/live";
import { argumentsOf, runPaths, runRenames, toRunInput, type RunValues } from "~/modules/run/form-values";
import { RunForm } from "~/modules/run/run-form";
import { runRowFragment } from "~/modules/run/run-row-fragment";
import { useSession } from "~/modules/session/session";

const runNowMutation = graphql(`
  mutation RunNow($input: RunNowInput!) {
    runNow(input: $input) {
      run {
        ...RunRow
      }
    }
  }
`);

const empty: RunValues = {
  name: "",
  imageId: "",
  mode: "line",
  command: "",
  codeVolumeId: "",
  codeSubPath: "",
  codeWritable: false,
  resources: { cpu: 1, memoryGiB: 2, gpu: 0 },
  class: "TEST",
  workingDir: "",
  mounts: [],
  env: [],
  secrets: [],
  timeoutMinutes: 0,
  retries: 0,
};

export function RunNewPage() {
  const { team } = useSession();
  return <NewForm key={team.id} />;
}

function NewForm() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { team } = useSession();
  // A card of the catalogue links here with its image.
  const [search] = useSearchParams();
  const image = search.get("image");
  const [runNow, starting] = useAction(runNowMutation);
  const [error, setError] = useState<string | null>(null);
  const draft = `run:${team.id}`;
  const initial = useMemo(() => {
    const values = readDraft<RunValues>(draft, empty);
    return image ? { ...values, imageId: image } : values;
  }, [draft, image]);
  const form = useForm<RunValues>({
    initialValues: initial,
    validate: {
      command: (value, values) => {
        if (values.mode === "line") {
          const parsed = parseCommand(value);
          if (parsed.error) return t(`command.error.${parsed.error}`);
        }
        return argumentsOf(values).length === 0 ? t("command.required") : null;
      },
      imageId: (value) => (value === "" ? t("form.required") : null),
      resources: {
        cpu: (value) => (Number(value) > 0 ? null : t("form.required")),
        memoryGiB: (value) => (Number(value) > 0 ? null : t("form.required")),
      },
    },
  });
  const drop = useDraft(draft, form);

  const submit = async (): Promise<void> => {
    const input = toRunInput(form.values, team.id);
    if (!input) return;
    setError(null);
    const { data, fault } = await runNow({ input });
    if (fault) {
      const { errors, rest } = formFaults(fault, runPaths, runRenames);
      form.setErrors(errors);
      setError(rest.join(" ") || faultText(fault, t));
      focusFirstError();
      return;
    }
    drop();
    void navigate(`/runs/${readFragment(runRowFragment, data.runNow.run).id}`);
  };

  return (
    <Page
      title={t("run.create")}
      subtitle={t("run.createHint")}
      parent={{ to: "/runs", label: t("frame.runs") }}
      narrow
    >
      <RunForm
        teamId={team.id}
        form={form}
        onSubmit={() => void submit()}
        busy={starting}
        error={error}
        cancel={
          <Button variant="default" component={Link} to="/runs">
            {t("action.cancel")}
          </Button>
        }
      />
    </Page>
  );
}

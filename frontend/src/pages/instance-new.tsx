import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { Page } from "~/components/page";
import { graphql, readFragment } from "~/gql";
import { readDraft, useDraft } from "~/lib/draft";
import { faultText } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction } from "~/lib/live";
import { CarryNotes } from "~/modules/carry/carry-notes";
import {
  instancePaths,
  instanceRenames,
  toInstanceInput,
  type InstanceValues,
} from "~/modules/instance/form-values";
import { InstanceForm } from "~/modules/instance/instance-form";
import { presetValues, WithPreset, type InstancePreset } from "~/modules/instance/instance-preset";
import { instanceRowFragment } from "~/modules/instance/instance-row";
import { useSession } from "~/modules/session/session";

const createMutation = graphql(`
  mutation CreateInstance($input: CreateInstanceInput!) {
    createInstance(input: $input) {
      instance {
        ...InstanceRow
      }
    }
  }
`);

/** `mei.lin@example.com` makes `mei-lin-dev`. */
function suggestedName(email: string): string {
  const stem = (email.split("@")[0] ?? "").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return `${stem.replaceAll(/^-|-$/g, "") || "my"}-dev`;
}

export function InstanceNewPage() {
  const { team } = useSession();
  // A run links here to be looked into.
  const [search] = useSearchParams();
  const run = search.get("from");
  if (!run) return <NewForm key={team.id} teamId={team.id} />;
  return (
    <WithPreset key={run} runId={run}>
      {(preset) => <NewForm teamId={preset.teamId} runId={run} preset={preset} />}
    </WithPreset>
  );
}

interface NewFormProps {
  teamId: string;
  runId?: string;
  preset?: InstancePreset;
}

function NewForm({ teamId, runId, preset }: NewFormProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { user } = useSession();
  // A card of the catalogue links here with its image.
  const [search] = useSearchParams();
  const image = search.get("image");
  const [create, creating] = useAction(createMutation);
  const [error, setError] = useState<string | null>(null);
  const draft = `instance:${runId ?? teamId}`;
  const [begun] = useState(preset);
  const initial = useMemo((): InstanceValues => {
    const values = readDraft<InstanceValues>(
      draft,
      begun
        ? presetValues(begun)
        : {
            name: suggestedName(user.email),
            imageId: "",
            resources: { cpu: 1, memoryGiB: 2, gpu: 0 },
            mounts: [],
            ports: [],
            env: [],
            secrets: [],
            start: true,
            wait: false,
          },
    );
    return image ? { ...values, imageId: image } : values;
  }, [draft, user.email, image, begun]);
  const form = useForm<InstanceValues>({
    initialValues: initial,
    validate: {
      name: (value) => (value.trim() === "" ? t("form.required") : null),
      imageId: (value) => (value === "" ? t("form.required") : null),
      resources: {
        cpu: (value) => (Number(value) > 0 ? null : t("form.required")),
        memoryGiB: (value) => (Number(value) > 0 ? null : t("form.required")),
      },
    },
  });
  const drop = useDraft(draft, form);

  const submit = async (): Promise<void> => {
    const input = toInstanceInput(form.values);
    if (!input) return;
    setError(null);
    const { data, fault } = await create({
      input: { ...input, teamId, start: form.values.start, wait: form.values.wait },
    });
    if (fault) {
      const { errors, rest } = formFaults(fault, instancePaths, instanceRenames);
      form.setErrors(errors);
      setError(rest.join(" ") || faultText(fault, t));
      focusFirstError();
      return;
    }
    drop();
    void navigate(`/instances/${readFragment(instanceRowFragment, data.createInstance.instance).id}`);
  };

  return (
    <Page
      title={t("instance.create")}
      subtitle={begun ? t("instance.presetHint") : null}
      parent={
        runId
          ? { to: `/runs/${runId}`, label: t("run.one") }
          : { to: "/instances", label: t("frame.instances") }
      }
      narrow
    >
      {begun ? <CarryNotes notes={begun.notes} /> : null}
      <InstanceForm
        teamId={teamId}
        form={form}
        onSubmit={() => void submit()}
        busy={creating}
        error={error}
        creating
        submit={form.values.start ? t("instance.createAndStart") : t("instance.create")}
        cancel={
          <Button variant="default" component={Link} to={runId ? `/runs/${runId}` : "/instances"}>
            {t("action.cancel")}
          </Button>
        }
      />
    </Page>
  );
}

import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Page } from "~/components/page";
import { graphql, readFragment } from "~/gql";
import type { InstanceEditFragment } from "~/gql/graphql";
import { readDraft, useDraft } from "~/lib/draft";
import { faultText } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction, useLive } from "~/lib/live";
import {
  instancePaths,
  instanceRenames,
  toInstanceInput,
  type InstanceValues,
} from "~/modules/instance/form-values";
import { InstanceForm } from "~/modules/instance/instance-form";
import { mountFragment } from "~/modules/mount/mount-list";
import { toResourceValues } from "~/modules/resources/quantity";
import { resourcesFragment } from "~/modules/resources/resources-text";

const editFragment = graphql(`
  fragment InstanceEdit on Instance {
    id
    name
    version
    team {
      id
    }
    image {
      id
    }
    resources {
      ...ResourcesText
    }
    mounts {
      ...MountItem
    }
    ports {
      name
      number
    }
    env {
      name
      value
    }
    secrets {
      secretId
      as
      at
    }
  }
`);

const editQuery = graphql(`
  query InstanceEditForm($id: ID!) {
    instance(id: $id) {
      ...InstanceEdit
    }
  }
`);

const updateMutation = graphql(`
  mutation UpdateInstance($input: UpdateInstanceInput!) {
    updateInstance(input: $input) {
      instance {
        ...InstanceEdit
        ...InstanceHead
        ...InstanceStory
        ...InstanceFacts
      }
    }
  }
`);

/** The form of an instance that exists, once it is known. */
export function InstanceEdit({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: editQuery, variables: { id } });
  const parent = { to: `/instances/${id}`, label: t("instance.one") };
  if (loading) {
    return (
      <Page title={t("instance.edit")} parent={parent} narrow>
        <SkeletonBlock height={640} />
      </Page>
    );
  }
  if (!data?.instance) {
    return (
      <Page title={t("instance.edit")} parent={parent} narrow>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("instance.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  return <EditForm instance={readFragment(editFragment, data.instance)} />;
}

function EditForm({ instance }: { instance: InstanceEditFragment }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [update, updating] = useAction(updateMutation);
  const [error, setError] = useState<string | null>(null);
  // A draft belongs to the version that it was begun from.
  const draft = `edit:${instance.id}:${instance.version}`;
  const [initial] = useState((): InstanceValues =>
    readDraft<InstanceValues>(draft, {
      name: instance.name,
      imageId: instance.image?.id ?? "",
      resources: toResourceValues(readFragment(resourcesFragment, instance.resources)),
      mounts: readFragment(mountFragment, instance.mounts).map(({ volumeId, path, readOnly, subPath }) => ({
        volumeId,
        path,
        readOnly,
        subPath,
      })),
      ports: instance.ports.map(({ name, number }) => ({ name, number })),
      env: instance.env.map(({ name, value }) => ({ name, value })),
      secrets: instance.secrets.map(({ secretId, as, at }) => ({ secretId, as, at })),
      start: false,
      wait: false,
    }),
  );
  const form = useForm<InstanceValues>({
    initialValues: initial,
    validate: { name: (value) => (value.trim() === "" ? t("form.required") : null) },
  });
  const drop = useDraft(draft, form);

  const submit = async (): Promise<void> => {
    const input = toInstanceInput(form.values);
    if (!input) return;
    setError(null);
    const { fault } = await update({ input: { ...input, id: instance.id } });
    if (fault) {
      const { errors, rest } = formFaults(fault, instancePaths, instanceRenames);
      form.setErrors(errors);
      setError(rest.join(" ") || faultText(fault, t));
      focusFirstError();
      return;
    }
    drop();
    void navigate(`/instances/${instance.id}`);
  };

  return (
    <Page
      title={t("instance.edit")}
      subtitle={t("instance.editHint")}
      parent={{ to: `/instances/${instance.id}`, label: instance.name }}
      narrow
    >
      <InstanceForm
        teamId={instance.team.id}
        form={form}
        onSubmit={() => void submit()}
        busy={updating}
        error={error}
        creating={false}
        submit={t("action.save")}
        cancel={
          <Button variant="default" component={Link} to={`/instances/${instance.id}`}>
            {t("action.cancel")}
          </Button>
        }
      />
    </Page>
  );
}

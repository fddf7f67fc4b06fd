import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Page } from "~/components/page";
import { graphql, readFragment } from "~/gql";
import type { InstancePresetQuery } from "~/gql/graphql";
import { useLive } from "~/lib/live";
import type { InstanceValues } from "~/modules/instance/form-values";
import { toResourceValues } from "~/modules/resources/quantity";
import { resourcesFragment } from "~/modules/resources/resources-text";

const presetQuery = graphql(`
  query InstancePreset($runId: ID!) {
    instancePreset(runId: $runId) {
      teamId
      name
      imageId
      resources {
        ...ResourcesText
      }
      mounts {
        volumeId
        path
        readOnly
        subPath
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
      command
      notes {
        ...CarryNote
      }
    }
  }
`);

export type InstancePreset = InstancePresetQuery["instancePreset"];

/** What the form begins with. */
export function presetValues(preset: InstancePreset): InstanceValues {
  return {
    name: preset.name,
    imageId: preset.imageId ?? "",
    resources: toResourceValues(readFragment(resourcesFragment, preset.resources)),
    mounts: preset.mounts.map(({ volumeId, path, readOnly, subPath }) => ({
      volumeId,
      path,
      readOnly,
      subPath,
    })),
    ports: [],
    env: preset.env.map(({ name, value }) => ({ name, value })),
    secrets: preset.secrets.map(({ secretId, as, at }) => ({ secretId, as, at })),
    start: true,
    wait: false,
  };
}

interface WithPresetProps {
  runId: string;
  children: (preset: InstancePreset) => React.ReactNode;
}

/** What a run would be looked into with, once it is known. */
export function WithPreset({ runId, children }: WithPresetProps) {
  const { t } = useTranslation();
  const { data, fault, reload } = useLive({ query: presetQuery, variables: { runId } });
  if (data) return children(data.instancePreset);
  return (
    <Page title={t("instance.create")} parent={{ to: `/runs/${runId}`, label: t("run.one") }} narrow>
      {fault ? <Failed fault={fault} retry={reload} /> : <SkeletonBlock height={640} />}
    </Page>
  );
}

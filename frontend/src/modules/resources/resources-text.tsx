import { useTranslation } from "react-i18next";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { formatBytes, formatCores } from "~/lib/format";

export const resourcesFragment = graphql(`
  fragment ResourcesText on Resources {
    cpuMilli
    memoryBytes
    gpu
  }
`);

/** `4 CPU · 24 GiB · 1 GPU`; a GPU only where there is one. */
export function ResourcesText({ resources }: { resources: FragmentType<typeof resourcesFragment> }) {
  const { t, i18n } = useTranslation();
  const { cpuMilli, memoryBytes, gpu } = readFragment(resourcesFragment, resources);
  const parts = [
    t("resources.cpu", { n: formatCores(cpuMilli, i18n.language) }),
    formatBytes(memoryBytes, i18n.language),
    ...(gpu > 0 ? [t("resources.gpu", { n: gpu })] : []),
  ];
  return <span>{parts.join(" · ")}</span>;
}

import { useTranslation } from "react-i18next";
import { Facts, type Fact } from "~/components/facts";
import { Panel } from "~/components/panel";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { MountList } from "~/modules/mount/mount-list";
import { SecretUseList } from "~/modules/secret/use-list";
import { ResourcesText } from "~/modules/resources/resources-text";

export const instanceFactsFragment = graphql(`
  fragment InstanceFacts on Instance {
    id
    node
    objectName
    starts
    createdAt
    startedAt
    owner {
      id
      displayName
    }
    team {
      id
      name
      namespace
    }
    image {
      id
      name
      reference
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
      ...SecretUseItem
    }
  }
`);

/** What it is made of. */
export function InstanceFacts({ instance }: { instance: FragmentType<typeof instanceFactsFragment> }) {
  const { t } = useTranslation();
  const it = readFragment(instanceFactsFragment, instance);
  const facts: Fact[] = [
    { name: t("facts.owner"), value: it.owner.displayName },
    { name: t("facts.team"), value: it.team.name },
    { name: t("facts.resources"), value: <ResourcesText resources={it.resources} /> },
    {
      name: t("facts.image"),
      value: it.image ? (
        <>
          <div>{it.image.name}</div>
          <div className="mono soft">{it.image.reference}</div>
        </>
      ) : (
        <span className="soft">{t("facts.imageGone")}</span>
      ),
    },
    { name: t("facts.mounts"), value: <MountList mounts={it.mounts} /> },
    ...(it.ports.length > 0
      ? [
          {
            name: t("facts.ports"),
            value: it.ports.map((port) => `${port.number}${port.name ? ` (${port.name})` : ""}`).join(", "),
          },
        ]
      : []),
    ...(it.env.length > 0
      ? [
          {
            name: t("facts.env"),
            value: it.env.map((variable) => (
              <div key={variable.name} className="mono">
                {variable.name}={variable.value}
              </div>
            )),
          },
        ]
      : []),
    ...(it.secrets.length > 0
      ? [{ name: t("frame.secrets"), value: <SecretUseList uses={it.secrets} /> }]
      : []),
    ...(it.startedAt ? [{ name: t("facts.started"), value: <RelativeTime at={it.startedAt} /> }] : []),
    { name: t("facts.created"), value: <RelativeTime at={it.createdAt} /> },
    ...(it.node ? [{ name: t("facts.node"), value: <span className="mono">{it.node}</span> }] : []),
    { name: t("facts.namespace"), value: <span className="mono">{it.team.namespace}</span> },
    { name: "StatefulSet", value: <span className="mono">{it.objectName}</span> },
    { name: "ID", value: <span className="mono">{it.id}</span> },
  ];
  return (
    <Panel title={t("facts.title")}>
      <Facts facts={facts} />
    </Panel>
  );
}

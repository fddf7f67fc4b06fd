import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { Failed, SkeletonRows } from "~/components/blank";
import { Page } from "~/components/page";
import { graphql } from "~/gql";
import { useLive } from "~/lib/live";
import { FileBrowser } from "~/modules/files/browser";
import { useMountables } from "~/modules/volume/choices";

const volumeQuery = graphql(`
  query VolumeFiles($id: ID!) {
    volume(id: $id) {
      id
      name
      team {
        id
      }
    }
  }
`);

export function VolumeFilesPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams();
  const { data, fault, loading, reload } = useLive({ query: volumeQuery, variables: { id } });
  const parent = { to: "/volumes", label: t("frame.volumes") };
  if (loading) {
    return (
      <Page title={t("files.title")} parent={parent}>
        <SkeletonRows />
      </Page>
    );
  }
  if (!data?.volume) {
    return (
      <Page title={t("files.title")} parent={parent}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("volume.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  return <Files key={id} id={id} name={data.volume.name} teamId={data.volume.team.id} />;
}

function Files({ id, name, teamId }: { id: string; name: string; teamId: string }) {
  const { t } = useTranslation();
  const volumes = useMountables(teamId);
  return (
    <Page title={t("files.of", { name })} parent={{ to: `/volumes/${id}`, label: name }}>
      <FileBrowser volumeId={id} name={name} volumes={volumes} />
    </Page>
  );
}

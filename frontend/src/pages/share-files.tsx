import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { Failed, SkeletonRows } from "~/components/blank";
import { Page } from "~/components/page";
import { graphql, readFragment } from "~/gql";
import { useLive } from "~/lib/live";
import { FileBrowser } from "~/modules/files/browser";
import { shareFragment } from "~/modules/share/fragment";
import { useMountables } from "~/modules/volume/choices";

const shareQuery = graphql(`
  query ShareFiles($id: ID!) {
    share(id: $id) {
      ...ShareRow
    }
  }
`);

/** The files of what somebody else shares. */
export function ShareFilesPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams();
  const { data, fault, loading, reload } = useLive({ query: shareQuery, variables: { id } });
  const parent = { to: "/volumes?show=shared", label: t("share.incoming") };
  const share = readFragment(shareFragment, data?.share);
  if (loading) {
    return (
      <Page title={t("files.title")} parent={parent}>
        <SkeletonRows />
      </Page>
    );
  }
  if (!share) {
    return (
      <Page title={t("files.title")} parent={parent}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("share.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  return (
    <Files key={id} id={id} name={share.volumeName} teamId={share.team?.id ?? ""} owner={share.ownerName} />
  );
}

function Files({ id, name, teamId, owner }: { id: string; name: string; teamId: string; owner: string }) {
  const { t } = useTranslation();
  const volumes = useMountables(teamId);
  return (
    <Page
      title={t("files.of", { name })}
      subtitle={t("share.by", { name: owner })}
      parent={{ to: "/volumes?show=shared", label: t("share.incoming") }}
    >
      <FileBrowser volumeId={id} name={name} volumes={volumes} />
    </Page>
  );
}

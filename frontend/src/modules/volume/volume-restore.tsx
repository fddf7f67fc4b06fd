import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import type { VolumeRowFragment } from "~/gql/graphql";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { AskDialog } from "~/modules/volume/ask-dialog";

const restoreMutation = graphql(`
  mutation RestoreVolume($id: ID!) {
    restoreVolume(id: $id) {
      volume {
        ...VolumeRow
      }
    }
  }
`);

interface RestoreVolumeProps {
  volume: VolumeRowFragment;
  onClose: () => void;
  onDone: () => void;
}

/** Out of the trash, with everything in it. */
export function RestoreVolume({ volume, onClose, onDone }: RestoreVolumeProps) {
  const { t } = useTranslation();
  const [restore] = useAction(restoreMutation);
  return (
    <AskDialog
      title={t("volume.restore.title", { name: volume.name })}
      submit={t("volume.ask.restore")}
      onClose={onClose}
      ask={async () => {
        const { fault } = await restore({ id: volume.id });
        if (fault) return fault;
        notifyDone(t("volume.restore.done", { name: volume.name }));
        onDone();
        return undefined;
      }}
    >
      <p>{t("volume.restore.text")}</p>
    </AskDialog>
  );
}

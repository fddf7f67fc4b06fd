import { Button, Group, Stack } from "@mantine/core";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { faultText, type Fault } from "~/lib/fault";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { mountFragment } from "~/modules/mount/mount-list";

const deleteMutation = graphql(`
  mutation DeleteInstance($id: ID!) {
    deleteInstance(id: $id) {
      id
    }
  }
`);

interface DeleteInstanceProps {
  id: string;
  name: string;
  mounts: readonly FragmentType<typeof mountFragment>[];
  opened: boolean;
  onClose: () => void;
}

/** Says what goes and what stays, then deletes. No data is lost, so no name is typed. */
export function DeleteInstance({ id, name, mounts: refs, opened, onClose }: DeleteInstanceProps) {
  const { t } = useTranslation();
  const stays = useId();
  // One volume may be mounted at several places.
  const mounts = [
    ...new Map(readFragment(mountFragment, refs).map((mount) => [mount.volumeId, mount])).values(),
  ];
  const navigate = useNavigate();
  const [remove, removing] = useAction(deleteMutation);
  const [fault, setFault] = useState<Fault | null>(null);

  const confirm = async (): Promise<void> => {
    const result = await remove({ id });
    if (result.fault) {
      setFault(result.fault);
      return;
    }
    notifyDone(t("instance.delete.done", { name }));
    void navigate("/instances");
  };

  return (
    <Dialog opened={opened} onClose={onClose} title={t("instance.delete.title", { name })}>
      <Stack gap="md">
        <p>{t("instance.delete.text")}</p>
        <div>
          <p id={stays}>{t("instance.delete.stays")}</p>
          <ul aria-labelledby={stays}>
            <li>{t("instance.delete.home")}</li>
            {mounts.map((mount) => (
              <li key={mount.volumeId}>
                {mount.volume?.name ??
                  (mount.share
                    ? `${mount.share.volumeName} (${t("share.by", { name: mount.share.ownerName })})`
                    : mount.volumeId)}
              </li>
            ))}
          </ul>
        </div>
        {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t("action.cancel")}
          </Button>
          <Button color="red.8" loading={removing} onClick={() => void confirm()}>
            {t("instance.delete.confirm")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

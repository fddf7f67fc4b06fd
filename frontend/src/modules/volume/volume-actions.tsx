import { ActionIcon, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { VolumeRowFragment } from "~/gql/graphql";
import { DeleteVolume } from "~/modules/volume/volume-delete";
import { EditVolume } from "~/modules/volume/volume-edit";
import { ExpandVolume } from "~/modules/volume/volume-expand";
import { RestoreVolume } from "~/modules/volume/volume-restore";

export type VolumeQuestion = "edit" | "expand" | "delete" | "restore";

/** What the viewer may ask of a volume now. */
export function questionsOf(volume: VolumeRowFragment): VolumeQuestion[] {
  const { can } = volume;
  return [
    ...(can.edit ? (["edit"] as const) : []),
    ...(can.expand ? (["expand"] as const) : []),
    ...(can.restore ? (["restore"] as const) : []),
    ...(can.trash || can.delete ? (["delete"] as const) : []),
  ];
}

export function VolumeMenu({
  volume,
  onAsk,
}: {
  volume: VolumeRowFragment;
  onAsk: (what: VolumeQuestion) => void;
}) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon size={32} aria-label={t("volume.actions", { name: volume.name })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {volume.trash || volume.phase === "LOST" || volume.phase === "DELETING" ? null : (
          <Menu.Item component={Link} to={`/volumes/${volume.id}/files`}>
            {t("files.title")}
          </Menu.Item>
        )}
        {questionsOf(volume).map((what) => (
          <Menu.Item key={what} onClick={() => onAsk(what)}>
            {t(`volume.ask.${what}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface VolumeAskedProps {
  asking: { what: VolumeQuestion; volume: VolumeRowFragment } | null;
  onClose: () => void;
  /** `gone` when the volume is there no more. */
  onDone: (gone: boolean) => void;
}

/** The question that was chosen, above the page. */
export function VolumeAsked({ asking, onClose, onDone }: VolumeAskedProps) {
  if (!asking) return null;
  const { what, volume } = asking;
  if (what === "edit") return <EditVolume volume={volume} onClose={onClose} onDone={() => onDone(false)} />;
  if (what === "expand")
    return <ExpandVolume volume={volume} onClose={onClose} onDone={() => onDone(false)} />;
  if (what === "restore")
    return <RestoreVolume volume={volume} onClose={onClose} onDone={() => onDone(false)} />;
  return <DeleteVolume volume={volume} onClose={onClose} onDone={onDone} />;
}

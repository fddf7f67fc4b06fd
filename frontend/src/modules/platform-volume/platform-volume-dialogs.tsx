import { Radio, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import type { PlatformVolumeRowFragment } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { parseSize, sizeQuantity } from "~/modules/resources/quantity";
import { AskDialog } from "~/modules/volume/ask-dialog";

const createMutation = graphql(`
  mutation CreatePlatformVolume($input: CreatePlatformVolumeInput!) {
    createPlatformVolume(input: $input) {
      platformVolume {
        ...PlatformVolumeRow
      }
    }
  }
`);

const updateMutation = graphql(`
  mutation UpdatePlatformVolume($input: UpdatePlatformVolumeInput!) {
    updatePlatformVolume(input: $input) {
      platformVolume {
        ...PlatformVolumeRow
      }
    }
  }
`);

const deleteMutation = graphql(`
  mutation DeletePlatformVolume($id: ID!, $confirmName: String!) {
    deletePlatformVolume(id: $id, confirmName: $confirmName) {
      id
    }
  }
`);

interface FormProps {
  /** Null for a new one. */
  volume: PlatformVolumeRowFragment | null;
  onClose: () => void;
  onDone: () => void;
}

/** A new platform volume, or a change of one. */
export function PlatformVolumeForm({ volume, onClose, onDone }: FormProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(volume?.name ?? "");
  const [description, setDescription] = useState(volume?.description ?? "");
  const [path, setPath] = useState(volume?.path ?? "/");
  const [readOnly, setReadOnly] = useState(volume?.readOnly ?? true);
  const [from, setFrom] = useState<"size" | "claim">("size");
  const [size, setSize] = useState("100 GiB");
  const [namespace, setNamespace] = useState("");
  const [claim, setClaim] = useState("");
  const [create] = useAction(createMutation);
  const [update] = useAction(updateMutation);
  const bytes = parseSize(size);
  const incomplete =
    name.trim() === "" ||
    path.trim().length < 2 ||
    (!volume && (from === "size" ? bytes === null : namespace.trim() === "" || claim.trim() === ""));
  const common = { name: name.trim(), description: description.trim(), path: path.trim(), readOnly };
  return (
    <AskDialog
      title={volume ? t("volume.edit.title", { name: volume.name }) : t("platformVolume.create")}
      submit={volume ? t("action.save") : t("platformVolume.create")}
      disabled={incomplete}
      onClose={onClose}
      ask={async () => {
        const source =
          from === "size" && bytes !== null
            ? { size: sizeQuantity(bytes) }
            : { claim: { namespace: namespace.trim(), name: claim.trim() } };
        const { fault } = volume
          ? await update({ input: { id: volume.id, ...common } })
          : await create({ input: { ...common, ...source } });
        if (fault) return fault;
        notifyDone(t("platformVolume.saved", { name: common.name }));
        onDone();
        return undefined;
      }}
    >
      <p className="soft">{t("platformVolume.next")}</p>
      <TextInput
        label={t("volume.name")}
        value={name}
        maxLength={63}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label={t("volume.description")}
        value={description}
        maxLength={500}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <TextInput
        label={t("mount.path")}
        placeholder="/datasets"
        value={path}
        onChange={(event) => setPath(event.currentTarget.value)}
        classNames={{ input: "mono" }}
      />
      <Radio.Group
        label={t("mount.mode")}
        value={readOnly ? "ro" : "rw"}
        onChange={(mode) => setReadOnly(mode !== "rw")}
      >
        <Stack gap={8} mt={6}>
          <Radio value="ro" label={t("mount.readOnly")} />
          <Radio value="rw" label={t("mount.readWrite")} description={t("platformVolume.writeHint")} />
        </Stack>
      </Radio.Group>
      {volume ? null : (
        <>
          <SegmentedControl
            aria-label={t("platformVolume.from")}
            value={from}
            onChange={(value) => setFrom(value === "claim" ? "claim" : "size")}
            data={[
              { value: "size", label: t("platformVolume.newDisk") },
              { value: "claim", label: t("platformVolume.oldClaim") },
            ]}
          />
          {from === "size" ? (
            <TextInput
              label={t("volume.size")}
              value={size}
              onChange={(event) => setSize(event.currentTarget.value)}
              error={bytes === null ? t("volume.sizeWrong") : null}
            />
          ) : (
            <>
              <TextInput
                label={t("facts.namespace")}
                value={namespace}
                onChange={(event) => setNamespace(event.currentTarget.value)}
                classNames={{ input: "mono" }}
              />
              <TextInput
                label={t("volume.claim")}
                value={claim}
                onChange={(event) => setClaim(event.currentTarget.value)}
                classNames={{ input: "mono" }}
              />
            </>
          )}
        </>
      )}
    </AskDialog>
  );
}

interface DeleteProps {
  volume: PlatformVolumeRowFragment;
  onClose: () => void;
  onDone: () => void;
}

/** Says whether data goes with it, and asks for the name. */
export function DeletePlatformVolume({ volume, onClose, onDone }: DeleteProps) {
  const { t, i18n } = useTranslation();
  const [typed, setTyped] = useState("");
  const [remove] = useAction(deleteMutation);
  const size = formatBytes(volume.source?.sizeBytes ?? 0, i18n.language);
  return (
    <AskDialog
      title={t("volume.delete.title", { name: volume.name })}
      submit={t("volume.ask.delete")}
      danger
      disabled={typed !== volume.name}
      onClose={onClose}
      ask={async () => {
        const { fault } = await remove({ id: volume.id, confirmName: typed });
        if (fault) return fault;
        notifyDone(t("volume.delete.done", { name: volume.name }));
        onDone();
        return undefined;
      }}
    >
      <p>
        {volume.source?.made
          ? t("volume.delete.text", { name: volume.name, size })
          : t("platformVolume.deleteKeeps", { name: volume.name })}
      </p>
      <TextInput
        label={t("volume.delete.type", { name: volume.name })}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
    </AskDialog>
  );
}

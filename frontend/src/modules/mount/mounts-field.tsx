import { Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RowsField } from "~/components/rows-field";
import { useMountables } from "~/modules/volume/choices";

/** A mount as a form holds it. */
export interface MountValue {
  volumeId: string;
  path: string;
  readOnly: boolean;
  subPath: string;
}

interface MountsFieldProps {
  teamId: string;
  values: readonly MountValue[];
  onChange: (values: MountValue[]) => void;
  /** Messages by `0.path`, `1.volumeId`. */
  errorAt: (path: string) => React.ReactNode;
}

/** Volumes and where they appear in the container. */
export function MountsField({ teamId, values, onChange, errorAt }: MountsFieldProps) {
  const { t } = useTranslation();
  const volumes = useMountables(teamId);
  const set = (index: number, part: Partial<MountValue>): void =>
    onChange(values.map((each, i) => (i === index ? { ...each, ...part } : each)));
  return (
    <RowsField
      label={t("mount.title")}
      hint={t("mount.homeHint")}
      count={values.length}
      add={t("mount.add")}
      onAdd={() => {
        const volume = volumes.find((each) => each.kind === "DATA") ?? volumes[0];
        onChange([
          ...values,
          { volumeId: volume?.id ?? "", path: volume ? `/${volume.name}` : "", readOnly: true, subPath: "" },
        ]);
      }}
      remove={(index) => t("mount.remove", { n: index + 1 })}
      onRemove={(index) => onChange(values.filter((_, i) => i !== index))}
      row={(index) => {
        const mount = values[index];
        if (!mount) return null;
        const onlyRead = volumes.find((each) => each.id === mount.volumeId)?.writable === false;
        return (
          <>
            <Select
              aria-label={t("mount.volume")}
              placeholder={t("mount.volume")}
              data={volumes.map((volume) => ({ value: volume.id, label: volume.label }))}
              value={mount.volumeId || null}
              // What may only be read is mounted so; the other way round stays a choice.
              onChange={(id) =>
                id &&
                set(index, {
                  volumeId: id,
                  ...(volumes.find((each) => each.id === id)?.writable === false ? { readOnly: true } : {}),
                })
              }
              allowDeselect={false}
              error={errorAt(`${index}.volumeId`)}
            />
            <TextInput
              aria-label={t("mount.path")}
              placeholder="/data"
              value={mount.path}
              onChange={(event) => set(index, { path: event.currentTarget.value })}
              error={errorAt(`${index}.path`)}
              classNames={{ input: "mono" }}
            />
            <TextInput
              aria-label={t("mount.subPath")}
              placeholder={t("mount.subPathHint")}
              value={mount.subPath}
              onChange={(event) => set(index, { subPath: event.currentTarget.value })}
              error={errorAt(`${index}.subPath`)}
              classNames={{ input: "mono" }}
            />
            <Select
              aria-label={t("mount.mode")}
              data={[
                { value: "ro", label: t("mount.readOnly") },
                { value: "rw", label: t("mount.readWrite"), disabled: onlyRead },
              ]}
              value={mount.readOnly ? "ro" : "rw"}
              onChange={(mode) => set(index, { readOnly: mode !== "rw" })}
              allowDeselect={false}
              error={errorAt(`${index}.readOnly`)}
            />
          </>
        );
      }}
    />
  );
}

import { NumberInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RowsField } from "~/components/rows-field";
import type { SettingFieldFragment } from "~/gql/graphql";
import { readProfiles, type ProfileValue } from "~/modules/setting/draft";

interface ProfilesFieldProps {
  setting: SettingFieldFragment;
  value: string;
  onChange: (value: string) => void;
  errors: Readonly<Record<string, string>>;
}

/** Sizes of instances, a row each. */
export function ProfilesField({ setting, value, onChange, errors }: ProfilesFieldProps) {
  const { t } = useTranslation();
  const list = readProfiles(value);
  const write = (next: ProfileValue[]): void => onChange(JSON.stringify(next));
  const edit = (index: number, part: Partial<ProfileValue>): void =>
    write(list.map((each, at) => (at === index ? { ...each, ...part } : each)));
  const error = (index: number, name: string): string | undefined =>
    errors[`${setting.key}[${index}].${name}`];
  return (
    <RowsField
      label={setting.name}
      hint={errors[setting.key] ?? setting.description}
      count={list.length}
      row={(index) => (
        <>
          <TextInput
            label={t("settings.profile.name")}
            maxLength={63}
            disabled={!setting.editable}
            value={list[index]?.name ?? ""}
            onChange={(event) => edit(index, { name: event.currentTarget.value })}
            error={error(index, "name")}
          />
          <TextInput
            label={t("settings.profile.cpu")}
            placeholder="4"
            disabled={!setting.editable}
            value={list[index]?.cpu ?? ""}
            onChange={(event) => edit(index, { cpu: event.currentTarget.value })}
            error={error(index, "cpu")}
          />
          <TextInput
            label={t("settings.profile.memory")}
            placeholder="16Gi"
            disabled={!setting.editable}
            value={list[index]?.memory ?? ""}
            onChange={(event) => edit(index, { memory: event.currentTarget.value })}
            error={error(index, "memory")}
          />
          <NumberInput
            label="GPU"
            min={0}
            allowDecimal={false}
            disabled={!setting.editable}
            value={list[index]?.gpu ?? 0}
            onChange={(gpu) => edit(index, { gpu: Number(gpu) })}
            error={error(index, "gpu")}
          />
        </>
      )}
      add={t("settings.profile.add")}
      onAdd={() => write([...list, { name: "", cpu: "1", memory: "2Gi", gpu: 0 }])}
      remove={(index) => t("settings.profile.remove", { name: list[index]?.name ?? "" })}
      onRemove={(index) => write(list.filter((_, at) => at !== index))}
    />
  );
}

import { Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMountables } from "~/modules/volume/choices";
import classes from "./code-field.module.css";

interface CodeFieldProps {
  teamId: string;
  volumeId: string;
  subPath: string;
  onVolume: (id: string) => void;
  onSubPath: (path: string) => void;
  errors: { volume?: React.ReactNode; subPath?: React.ReactNode };
}

/** The folder that holds the script; it appears at /code. */
export function CodeField({ teamId, volumeId, subPath, onVolume, onSubPath, errors }: CodeFieldProps) {
  const { t } = useTranslation();
  const volumes = useMountables(teamId);
  return (
    <div>
      <div className={classes.row}>
        <Select
          label={t("code.volume")}
          placeholder={t("code.none")}
          data={volumes.map((volume) => ({ value: volume.id, label: volume.label }))}
          value={volumeId || null}
          onChange={(id) => onVolume(id ?? "")}
          clearable
          error={errors.volume}
          data-path="codeVolumeId"
        />
        <TextInput
          label={t("code.folder")}
          placeholder="projects/demo"
          value={subPath}
          onChange={(event) => onSubPath(event.currentTarget.value)}
          disabled={volumeId === ""}
          error={errors.subPath}
          classNames={{ input: "mono" }}
          data-path="codeSubPath"
        />
      </div>
      <p className={classes.hint}>{volumeId === "" ? t("code.hintNone") : t("code.hint")}</p>
    </div>
  );
}

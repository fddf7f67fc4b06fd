import { NumberInput, PasswordInput, Select, TextInput, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import type { SettingFieldFragment } from "~/gql/graphql";
import { ProfilesField } from "~/modules/setting/profiles-field";
import classes from "./setting.module.css";

export const settingFragment = graphql(`
  fragment SettingField on Setting {
    key
    group
    name
    description
    kind
    value
    isSet
    default
    min
    max
    options
    optional
    source
    effect
    editable
    version
    changedAt
    changedBy {
      id
      displayName
    }
  }
`);

interface SettingFieldProps {
  setting: SettingFieldFragment;
  /** What the form holds. */
  value: string;
  onChange: (value: string) => void;
  /** Goes back to the default once it is saved. */
  onReset: () => void;
  errors: Readonly<Record<string, string>>;
}

const order: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

/** One setting as a field of its kind, with what it does and where its value comes from. */
export function SettingField({ setting, value, onChange, onReset, errors }: SettingFieldProps) {
  const { t } = useTranslation();
  if (setting.kind === "PROFILES") {
    return (
      <div>
        <ProfilesField setting={setting} value={value} onChange={onChange} errors={errors} />
        <div className={classes.below}>
          <Origin setting={setting} onReset={onReset} />
        </div>
      </div>
    );
  }
  const common = {
    label: setting.name,
    description: (
      <>
        {setting.description} <Origin setting={setting} onReset={onReset} />
      </>
    ),
    inputWrapperOrder: order,
    error: errors[setting.key],
    disabled: !setting.editable,
    value,
    "data-path": setting.key,
  };
  switch (setting.kind) {
    case "COUNT":
      return (
        <NumberInput
          {...common}
          min={Number(setting.min)}
          max={Number(setting.max)}
          allowDecimal={false}
          clampBehavior="none"
          onChange={(next) => onChange(String(next))}
        />
      );
    case "CHOICE":
      return (
        <Select
          {...common}
          data={setting.options.map((option) => ({
            value: option,
            label: t(`settings.option.${option}` as "settings.option.tls", { defaultValue: option }),
          }))}
          allowDeselect={false}
          onChange={(next) => onChange(next ?? "")}
        />
      );
    case "SECRET":
      return (
        <PasswordInput
          {...common}
          autoComplete="off"
          placeholder={setting.isSet ? t("settings.secretSet") : ""}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextInput
          {...common}
          placeholder={setting.optional ? t("settings.empty") : ""}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

const fixed = ["FILE", "ENVIRONMENT", "FLAG"] as const;

/** Where a value comes from, how far it may go, and the way back. */
function Origin({ setting, onReset }: { setting: SettingFieldFragment; onReset: () => void }) {
  const { t } = useTranslation();
  const by = fixed.find((each) => each === setting.source);
  const bounded = setting.kind === "COUNT" || setting.kind === "CPU" || setting.kind === "BYTES";
  return (
    <span className={classes.origin}>
      {bounded || setting.kind === "DURATION"
        ? `${t("settings.bounds", { min: setting.min, max: setting.max })} `
        : null}
      {setting.effect === "AT_ONCE" ? null : `${t(`settings.effect.${setting.effect}`)} `}
      {by ? (
        <strong>
          {t(`settings.fixed.${by}`, {
            flag: `--${setting.key}`,
            variable: `GOBLINLAB_${setting.key.toUpperCase().replaceAll(".", "_")}`,
          })}
        </strong>
      ) : null}
      {setting.source === "PAGE" ? (
        <>
          {setting.changedBy
            ? t("settings.changedBy", { name: setting.changedBy.displayName })
            : t("settings.changed")}{" "}
          {setting.changedAt ? <RelativeTime at={setting.changedAt} /> : null}
          {setting.editable ? (
            <>
              {" · "}
              <UnstyledButton
                className={classes.reset}
                onClick={onReset}
                aria-label={t("settings.resetOne", { name: setting.name })}
              >
                {setting.kind === "SECRET" ? t("settings.forget") : t("settings.reset")}
              </UnstyledButton>
            </>
          ) : null}
        </>
      ) : null}
    </span>
  );
}

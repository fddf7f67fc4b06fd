import { Button } from "@mantine/core";
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { Panel } from "~/components/panel";
import { graphql } from "~/gql";
import type { SettingFieldFragment } from "~/gql/graphql";
import { keepJson, readKeptJson } from "~/lib/draft";
import { faultText } from "~/lib/fault";
import { focusFirstError } from "~/lib/form-faults";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { changesOf, keptDraft, readKept, shownValue, type Draft } from "~/modules/setting/draft";
import { LeaveWarning } from "~/modules/setting/leave-warning";
import { SettingField } from "~/modules/setting/setting-field";
import classes from "./setting.module.css";

const updateMutation = graphql(`
  mutation UpdateSettings($input: UpdateSettingsInput!) {
    updateSettings(input: $input) {
      settings {
        ...SettingField
      }
    }
  }
`);

const known = ["limits", "defaults", "profiles", "pools", "ssh", "mail", "api"] as const;

interface SettingsGroupProps {
  group: string;
  settings: readonly SettingFieldFragment[];
  reload: () => void;
  children?: ReactNode;
}

/** Settings that stand together, saved together. */
export function SettingsGroup({ group, settings, reload, children }: SettingsGroupProps) {
  const { t } = useTranslation();
  // Kept for as long as the tab lives, so that leaving the page loses nothing but secrets.
  const kept = `settings:${group}`;
  const [draft, setDraft] = useState<Draft>(() => readKept(readKeptJson(kept)));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [update, saving] = useAction(updateMutation);
  const changes = changesOf(settings, draft);
  const name = known.find((each) => each === group);
  const editable = settings.some((each) => each.editable);
  const secret = settings.find(
    (each) =>
      each.kind === "SECRET" && changes.some((change) => change.key === each.key && change.value !== null),
  );
  const keep = JSON.stringify(keptDraft(settings, draft));
  useEffect(() => {
    keepJson(kept, keep === "{}" ? null : (JSON.parse(keep) as object));
  }, [kept, keep]);

  const clear = (): void => {
    setDraft({});
    setErrors({});
    setProblem(null);
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (changes.length === 0) return;
    const { fault } = await update({ input: { changes } });
    if (fault) {
      setErrors(Object.fromEntries(fault.fields.map((field) => [field.path, field.message])));
      setProblem(fault.fields.length > 0 ? null : faultText(fault, t));
      focusFirstError();
      return;
    }
    clear();
    notifyDone(t("settings.saved"));
  };
  const set = (key: string, value: string | null): void => {
    const now = settings.find((each) => each.key === key)?.version ?? 0;
    setDraft((before) => ({ ...before, [key]: { value, version: before[key]?.version ?? now } }));
    setErrors((before) =>
      Object.fromEntries(
        Object.entries(before).filter(([path]) => path !== key && !path.startsWith(`${key}[`)),
      ),
    );
  };
  return (
    <div className={classes.panels}>
      <Panel title={name ? t(`settings.group.${name}`) : group}>
        <form onSubmit={(event) => void submit(event)} noValidate>
          <div className={classes.fields}>
            {settings.map((setting) => (
              <SettingField
                key={setting.key}
                setting={setting}
                value={shownValue(setting, draft)}
                onChange={(value) => set(setting.key, value)}
                onReset={() => set(setting.key, null)}
                errors={errors}
              />
            ))}
          </div>
          {problem ? (
            <div className={classes.end}>
              <Notice
                tone="failed"
                title={problem}
                live
                action={
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => {
                      clear();
                      reload();
                    }}
                  >
                    {t("settings.reload")}
                  </Button>
                }
              />
            </div>
          ) : null}
          {editable ? (
            <div className={classes.end}>
              <Button type="submit" loading={saving} disabled={changes.length === 0}>
                {t("action.save")}
              </Button>
              {changes.length > 0 ? (
                <Button variant="default" onClick={clear}>
                  {t("action.cancel")}
                </Button>
              ) : null}
              {changes.length > 0 ? (
                <span className="soft">{t("settings.pending", { count: changes.length })}</span>
              ) : null}
            </div>
          ) : null}
        </form>
        {children}
        {secret ? <LeaveWarning name={secret.name} /> : null}
      </Panel>
    </div>
  );
}

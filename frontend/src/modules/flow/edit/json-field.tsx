import { Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isRecord } from "~/modules/flow/spec";

interface JsonFieldProps {
  label: string;
  hint?: string;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  error: string | undefined;
}

/** What has no fields of its own, as JSON; what is no object yet changes nothing. */
export function JsonField({ label, hint, value, onChange, error }: JsonFieldProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const parsed = parse(text);
  return (
    <Textarea
      label={label}
      description={hint}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        const next = parse(event.currentTarget.value);
        if (next) onChange(next);
      }}
      autosize
      minRows={4}
      maxRows={20}
      error={parsed ? error : t("flow.task.jsonWrong")}
      classNames={{ input: "mono" }}
      spellCheck={false}
    />
  );
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

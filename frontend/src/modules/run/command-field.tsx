import { Button, SegmentedControl, Textarea } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { parseArgumentLines, parseCommand } from "~/lib/command";
import type { RunValues } from "~/modules/run/form-values";
import classes from "./command-field.module.css";

interface CommandFieldProps {
  mode: RunValues["mode"];
  text: string;
  onChange: (mode: RunValues["mode"], text: string) => void;
  error?: React.ReactNode;
}

/** The command as people type it, and below it the arguments that will really be run. */
export function CommandField({ mode, text, onChange, error }: CommandFieldProps) {
  const { t } = useTranslation();
  const parsed =
    mode === "line" ? parseCommand(text) : { args: parseArgumentLines(text), error: null, shellSyntax: [] };

  const switchTo = (next: string): void => {
    if (next === "lines" && mode === "line") onChange("lines", parsed.error ? text : parsed.args.join("\n"));
    if (next === "line" && mode === "lines") {
      onChange(
        "line",
        parsed.args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(" "),
      );
    }
  };

  return (
    <div className={classes.field}>
      <div className={classes.head}>
        <span className={classes.label} id="command-label">
          {t("command.label")}
        </span>
        <SegmentedControl
          size="xs"
          aria-label={t("command.mode")}
          value={mode}
          onChange={switchTo}
          data={[
            { value: "line", label: t("command.line") },
            { value: "lines", label: t("command.lines") },
          ]}
        />
      </div>
      <Textarea
        aria-labelledby="command-label"
        placeholder={mode === "line" ? "python train.py --epochs 3" : "python\ntrain.py\n--epochs\n3"}
        autosize
        minRows={mode === "line" ? 2 : 4}
        maxRows={14}
        value={text}
        onChange={(event) => onChange(mode, event.currentTarget.value)}
        error={parsed.error && text !== "" ? t(`command.error.${parsed.error}`) : error}
        classNames={{ input: "mono" }}
        spellCheck={false}
        autoCapitalize="off"
        data-path="command"
      />
      {parsed.args.length > 0 && !parsed.error ? (
        <div className={classes.result}>
          <span className={classes.hint}>{t("command.runs", { count: parsed.args.length })}</span>
          <ol className={classes.chips} aria-label={t("command.arguments")}>
            {parsed.args.map((arg, i) => (
              // The same argument may come twice; its place tells which.
              <li key={i} className={classes.chip}>
                {arg === "" ? <span className="soft">{t("command.empty")}</span> : arg}
              </li>
            ))}
          </ol>
        </div>
      ) : (
        <p className={classes.hint}>{t("command.hint")}</p>
      )}
      {parsed.shellSyntax.length > 0 && !parsed.error ? (
        <Notice
          tone="attention"
          title={t("command.noShell", { what: parsed.shellSyntax.slice(0, 3).join("  ") })}
          action={
            <Button
              size="xs"
              variant="default"
              onClick={() => onChange("line", `bash -c ${quote(text.trim())}`)}
            >
              {t("command.useShell")}
            </Button>
          }
        >
          {t("command.noShellHint")}
        </Notice>
      ) : null}
    </div>
  );
}

function quote(line: string): string {
  return `'${line.replaceAll("'", `'\\''`)}'`;
}

import { useImperativeHandle, useRef, type Ref } from "react";
import { useTranslation } from "react-i18next";
import { StateIcon } from "~/components/state-mark";
import type { Problem } from "~/modules/flow/edit/sync";
import classes from "./edit.module.css";

export interface YamlHandle {
  /** Puts the cursor where a problem is. */
  show: (line: number, column: number) => void;
}

interface YamlPaneProps {
  yaml: string;
  problems: readonly Problem[];
  onChange: (yaml: string) => void;
  handle: Ref<YamlHandle>;
}

/** Where a place of a text is, counted in characters. */
export function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  const end = text.indexOf("\n", at);
  return Math.min(at + Math.max(0, column - 1), end < 0 ? text.length : end);
}

/** The definition as a document, with its problems beside their lines. */
export function YamlPane({ yaml, problems, onChange, handle }: YamlPaneProps) {
  const { t } = useTranslation();
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  useImperativeHandle(handle, () => ({
    show(line, column) {
      const element = area.current;
      if (!element || line < 1) return;
      const at = offsetOf(element.value, line, column);
      element.focus();
      element.setSelectionRange(at, at);
      element.scrollTop = Math.max(0, (line - 6) * 20);
    },
  }));
  const wrong = new Map<number, string>();
  for (const problem of problems) {
    const before = wrong.get(problem.line);
    wrong.set(problem.line, before ? `${before}\n${problem.text}` : problem.text);
  }
  const lines = yaml.split("\n").length;
  return (
    <div className={classes.yaml}>
      <div ref={gutter} className={classes.gutter} aria-hidden>
        {Array.from({ length: lines }, (_, i) => {
          const text = wrong.get(i + 1);
          return (
            <div
              key={i}
              className={classes.number}
              data-wrong={text === undefined ? undefined : true}
              title={text}
            >
              {text === undefined ? null : <StateIcon tone="failed" size={12} />}
              {i + 1}
            </div>
          );
        })}
      </div>
      <textarea
        ref={area}
        className={classes.text}
        aria-label={t("flow.editor.document")}
        value={yaml}
        onChange={(event) => onChange(event.currentTarget.value)}
        onScroll={(event) => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
        aria-invalid={problems.some((problem) => problem.line > 0)}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
      />
    </div>
  );
}

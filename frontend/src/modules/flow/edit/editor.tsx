import { Button, Menu, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  type ReactNode,
} from "react";
import { useTranslation } from "react-i18next";
import { SkeletonBlock } from "~/components/blank";
import { Notice } from "~/components/notice";
import { Panel } from "~/components/panel";
import { keepJson } from "~/lib/draft";
import { faultText, type Fault } from "~/lib/fault";
import { addTask, connect, disconnect, removeTask, renameTask } from "~/modules/flow/edit/change";
import { FlowForm } from "~/modules/flow/edit/flow-form";
import { begin, edit, problemsAt, taskOf, type Problem, type Sync } from "~/modules/flow/edit/sync";
import { TaskForm } from "~/modules/flow/edit/task-form";
import { useCheck } from "~/modules/flow/edit/use-check";
import { YamlPane, type YamlHandle } from "~/modules/flow/edit/yaml-pane";
import type { Point } from "~/modules/flow/graph/layout";
import { ProblemLines } from "~/modules/flow/problem-list";
import { tidy, type FlowSpec } from "~/modules/flow/spec";
import classes from "./edit.module.css";

const EditGraph = lazy(() => import("~/modules/flow/edit/edit-graph"));

/** What is kept while the tab lives, so that leaving loses nothing. */
export interface EditorDraft {
  name: string;
  comment: string;
  spec: FlowSpec;
  yaml: string;
  source: Sync["source"];
  places: Record<string, Point>;
}

export interface EditorResult {
  name: string;
  comment: string;
  spec: FlowSpec;
}

interface EditorProps {
  teamId: string;
  /** Under which the draft is kept. */
  draftKey: string;
  initial: EditorDraft;
  /** The task that is open at first. */
  task?: string;
  /** A new flow has its name here; that of another is changed elsewhere. */
  withName: boolean;
  /** Gives what was refused, or nothing. */
  onSave: (result: EditorResult) => Promise<Fault | undefined>;
  cancel: ReactNode;
  /** Above everything: that somebody else saved meanwhile. */
  notice?: ReactNode;
}

const kinds = ["container", "check", "http", "jar", "spark"] as const;

function start(initial: EditorDraft): Sync {
  const state = begin(initial.spec);
  return initial.source === "text" ? edit(state, { kind: "text", yaml: initial.yaml }) : state;
}

/** A flow as a graph, a form and a document that say the same. */
export function Editor(props: EditorProps) {
  const { teamId, draftKey, initial, withName, onSave, cancel, notice } = props;
  const { t } = useTranslation();
  const [state, dispatch] = useReducer(edit, initial, start);
  const [name, setName] = useState(initial.name);
  const [comment, setComment] = useState(initial.comment);
  const [places, setPlaces] = useState(initial.places);
  const [selected, setSelected] = useState<string | null>(props.task ?? null);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Fault | null>(null);
  const [unchecked, setUnchecked] = useState<Fault | null>(null);
  const yaml = useRef<YamlHandle>(null);
  useCheck(teamId, name, state, dispatch, setUnchecked);

  const saved = useRef(false);
  const begun = useRef(JSON.stringify(initial));
  useEffect(() => {
    const draft: EditorDraft = {
      name,
      comment,
      spec: state.spec,
      yaml: state.source === "text" ? state.yaml : "",
      source: state.source,
      places,
    };
    if (!saved.current && JSON.stringify(draft) !== begun.current) keepJson(draftKey, draft);
  }, [draftKey, name, comment, state.spec, state.yaml, state.source, places]);

  const change = useCallback(
    (how: (spec: FlowSpec) => FlowSpec) => dispatch({ kind: "form", change: how }),
    [],
  );
  const problems = useMemo(
    () => [...state.problems, ...refusals(refused, state.problems)],
    [state.problems, refused],
  );
  const wrong = useMemo(() => {
    const out = new Map<string, string>();
    for (const problem of problems) {
      const task = state.spec.tasks[taskOf(problem.path)]?.name;
      if (task === undefined) continue;
      out.set(task, [out.get(task), problem.text].filter(Boolean).join(" "));
    }
    return out;
  }, [problems, state.spec.tasks]);
  const index = state.spec.tasks.findIndex((task) => task.name === selected);
  const task = state.spec.tasks[index];

  const add = (executor: string): void => {
    const added = addTask(state.spec, executor, task?.name);
    change(() => added.spec);
    setSelected(added.name);
  };
  const rename = (from: string, to: string): void => {
    change((spec) => renameTask(spec, from, to));
    setPlaces(({ [from]: place, ...rest }) => (place ? { ...rest, [to]: place } : rest));
    setSelected(to);
  };
  const remove = (gone: string): void => {
    change((spec) => removeTask(spec, gone));
    setSelected(null);
  };
  const show = (problem: { path: string; line: number; column: number }): void => {
    const about = state.spec.tasks[taskOf(problem.path)];
    setSelected(about?.name ?? null);
    yaml.current?.show(problem.line, problem.column);
  };
  const ready = state.readable && !busy && (!withName || name.trim() !== "");
  const save = async (): Promise<void> => {
    if (!ready) return;
    setBusy(true);
    const fault = await onSave({ name: name.trim(), comment: comment.trim(), spec: tidy(state.spec) });
    setBusy(false);
    setRefused(fault ?? null);
    if (fault) return;
    saved.current = true;
    keepJson(draftKey, null);
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a short cut for the button below
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        if (event.ctrlKey || event.metaKey) {
          // A field that counts when it is left is left first.
          if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
          const form = event.currentTarget;
          setTimeout(() => form.requestSubmit());
        } else if (!(event.target instanceof HTMLInputElement)) return;
        // Enter in a field must not save half a flow.
        event.preventDefault();
      }}
    >
      {notice}
      <div className={classes.bar}>
        {withName ? (
          <TextInput
            className={classes.name}
            label={t("flow.name")}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={100}
            error={refused?.fields.find((field) => /^(?:input\.)?name$/.test(field.path))?.message}
            required
          />
        ) : null}
        <TextInput
          className={classes.comment}
          label={t("flow.editor.comment")}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
          maxLength={200}
        />
        {cancel}
        <Button type="submit" loading={busy} disabled={!ready}>
          {t("action.save")}
        </Button>
      </div>
      {refused && refused.fields.length === 0 && !notice ? (
        <Notice tone="failed" title={faultText(refused, t)} live />
      ) : null}
      {unchecked ? <Notice tone="attention" title={faultText(unchecked, t)} live /> : null}
      {state.readable ? null : <Notice tone="attention" title={t("flow.editor.unreadable")} live />}
      <div className={classes.columns}>
        <div className={classes.left}>
          <Panel
            title={t("flow.editor.tasks")}
            flush
            aside={<AddTask add={add} disabled={!state.readable} />}
          >
            <div style={{ position: "relative" }}>
              {state.spec.tasks.length === 0 ? (
                <p className={classes.empty}>{t("flow.editor.empty")}</p>
              ) : null}
              <Suspense fallback={<SkeletonBlock height={460} />}>
                <EditGraph
                  spec={state.spec}
                  wrong={wrong}
                  selected={selected}
                  places={places}
                  onPlaces={setPlaces}
                  onSelect={setSelected}
                  onConnect={(from, to) => change((spec) => connect(spec, from, to))}
                  onDisconnect={(from, to) => change((spec) => disconnect(spec, from, to))}
                  onRemove={remove}
                />
              </Suspense>
            </div>
            {problems.length > 0 ? (
              <div className={classes.problems}>
                <ProblemLines problems={problems} onShow={show} />
              </div>
            ) : null}
          </Panel>
          <Panel title="YAML" flush>
            <YamlPane
              yaml={state.yaml}
              problems={problems}
              onChange={(text) => dispatch({ kind: "text", yaml: text })}
              handle={yaml}
            />
          </Panel>
        </div>
        <fieldset disabled={!state.readable} style={{ minWidth: 0, margin: 0, padding: 0, border: 0 }}>
          {task ? (
            <TaskForm
              // Fields that hold what was typed begin anew for another task, or when the document changed.
              key={`${state.epoch} ${task.name} ${task.executor}`}
              teamId={teamId}
              spec={state.spec}
              task={task}
              errors={problemsAt(problems, index)}
              onChange={change}
              onRename={rename}
              onRemove={() => remove(task.name)}
              onClose={() => setSelected(null)}
            />
          ) : (
            <FlowForm
              key={state.epoch}
              teamId={teamId}
              spec={state.spec}
              fires={state.fires}
              errors={problemsAt(problems, -1)}
              onChange={change}
            />
          )}
        </fieldset>
      </div>
    </form>
  );
}

/** What saving was refused for and the check has not told already. */
function refusals(fault: Fault | null, told: readonly Problem[]): Problem[] {
  return (fault?.fields ?? [])
    .map((field) => ({
      path: field.path.replace(/^input\./, "").replace(/^spec\./, ""),
      line: 0,
      column: 0,
      text: field.message,
    }))
    .filter(
      (field) =>
        field.path !== "name" && !told.some((each) => each.path === field.path && each.text === field.text),
    );
}

function AddTask({ add, disabled }: { add: (executor: string) => void; disabled: boolean }) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={disabled}
        >
          {t("flow.editor.add")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind} onClick={() => add(kind)}>
            {t(`flow.executor.${kind}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

import "@xyflow/react/dist/base.css";
import { Handle, Position, ReactFlow, ReactFlowProvider, type Node, type NodeProps } from "@xyflow/react";
import { memo, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { StateIcon } from "~/components/state-mark";
import { Elapsed } from "~/components/time";
import { toneColor, toneSoft } from "~/components/tone";
import type { StepState } from "~/gql/graphql";
import classes from "~/modules/flow/graph/graph.module.css";
import { layout, layoutKey, type GraphTask } from "~/modules/flow/graph/layout";
import { edgesFor, nodeAt } from "~/modules/flow/graph/nodes";
import { GraphFrame } from "~/modules/flow/graph/tools";
import { stepTones } from "~/modules/flowrun/state";

export interface GraphStep {
  name: string;
  state: StepState;
  startedAt?: string | null;
  endedAt?: string | null;
}

interface StepData extends Record<string, unknown> {
  name: string;
  executor: string;
  state: StepState | null;
  startedAt: string | null;
  endedAt: string | null;
  selected: boolean;
}

interface RunGraphProps {
  tasks: readonly (GraphTask & { executor: string })[];
  steps: readonly GraphStep[];
  selected: string | null;
  onSelect: (name: string) => void;
}

const types = { step: memo(StepNode) };

/** The tasks of a run from left to right, each with its state and how long it took. */
export default function RunGraph(props: RunGraphProps) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

function Graph({ tasks, steps, selected, onSelect }: RunGraphProps) {
  const { t } = useTranslation();
  // A state that changes moves nothing.
  const key = layoutKey(tasks);
  // oxlint-disable-next-line react/exhaustive-deps -- the key says whether the tasks differ
  const shape = useMemo(() => ({ places: layout(tasks), edges: edgesFor(tasks) }), [key]);
  const kept = useRef(new Map<string, { sign: string; node: Node<StepData> }>());
  const nodes = useMemo(() => {
    const byName = new Map(steps.map((step) => [step.name, step]));
    return tasks.map((task) => {
      const step = byName.get(task.name);
      const data: StepData = {
        name: task.name,
        executor: task.executor,
        state: step?.state ?? null,
        startedAt: step?.startedAt ?? null,
        endedAt: step?.endedAt ?? null,
        selected: task.name === selected,
      };
      const place = shape.places.get(task.name) ?? { x: 0, y: 0 };
      // Of 500 nodes only those that changed are made and drawn anew.
      const sign = JSON.stringify([data, place]);
      const before = kept.current.get(task.name);
      if (before?.sign === sign) return before.node;
      const node = nodeAt(task.name, "step", place, data);
      kept.current.set(task.name, { sign, node });
      return node;
    });
  }, [tasks, steps, selected, shape]);
  return (
    <GraphFrame label={t("flow.graph.label")}>
      <ReactFlow
        attributionPosition="bottom-left"
        nodes={nodes}
        edges={shape.edges}
        nodeTypes={types}
        onNodeClick={(_, node) => onSelect(node.id)}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        minZoom={0.05}
        maxZoom={1.5}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
      />
    </GraphFrame>
  );
}

function StepNode({ data }: NodeProps<Node<StepData>>) {
  const { t } = useTranslation();
  const tone = data.state ? stepTones[data.state] : "waiting";
  const word = data.state ? t(`flowRun.step.${data.state}`) : "–";
  return (
    <>
      <Handle type="target" position={Position.Left} className={classes.handle} isConnectable={false} />
      <button
        type="button"
        className={classes.node}
        data-selected={data.selected || undefined}
        data-step={data.name}
        data-state={data.state ?? ""}
        aria-pressed={data.selected}
        style={{
          background: toneSoft(tone),
          borderColor: data.selected ? undefined : `color-mix(in srgb, ${toneColor(tone)} 45%, transparent)`,
        }}
      >
        <span className={classes.line}>
          <StateIcon tone={tone} size={16} />
          <span className={classes.name} title={data.name}>
            {data.name}
          </span>
        </span>
        <span className={classes.under}>
          <span>{word}</span>
          {data.startedAt ? (
            <Elapsed from={data.startedAt} to={data.endedAt} />
          ) : (
            <span>{data.executor}</span>
          )}
        </span>
      </button>
      <Handle type="source" position={Position.Right} className={classes.handle} isConnectable={false} />
    </>
  );
}

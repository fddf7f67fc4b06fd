import "@xyflow/react/dist/base.css";
import {
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  type Connection,
  type Edge,
  type Node,
  type NodeChange,
  type NodeProps,
} from "@xyflow/react";
import { IconLayoutDashboard, IconTrash } from "@tabler/icons-react";
import { memo, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { StateIcon } from "~/components/state-mark";
import classes from "~/modules/flow/graph/graph.module.css";
import { layout, layoutKey, type Point } from "~/modules/flow/graph/layout";
import { edgesFor, nodeAt } from "~/modules/flow/graph/nodes";
import { GraphFrame, Tool } from "~/modules/flow/graph/tools";
import { mayConnect } from "~/modules/flow/edit/change";
import type { FlowSpec } from "~/modules/flow/spec";

interface TaskData extends Record<string, unknown> {
  name: string;
  executor: string;
  /** What is wrong with it; empty for nothing. */
  wrong: string;
  selected: boolean;
}

export interface EditGraphProps {
  spec: FlowSpec;
  /** Messages by the names of tasks. */
  wrong: ReadonlyMap<string, string>;
  selected: string | null;
  /** Where tasks were dragged to; the others are laid out. */
  places: Record<string, Point>;
  onPlaces: (places: Record<string, Point>) => void;
  onSelect: (name: string | null) => void;
  onConnect: (from: string, to: string) => void;
  onDisconnect: (from: string, to: string) => void;
  onRemove: (name: string) => void;
}

const types = { task: memo(TaskNode) };

/** The tasks as a graph that is built by hand: drag between two to connect them. */
export default function EditGraph(props: EditGraphProps) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

function Graph(props: EditGraphProps) {
  const { t } = useTranslation();
  const { spec, wrong, selected, places, onPlaces, onSelect } = props;
  const [edge, setEdge] = useState<string | null>(null);
  // Two of one name are a problem that is told; a graph holds one of them.
  const tasks = useMemo(() => {
    const byName = new Map(spec.tasks.map((task) => [task.name, task]));
    return [...byName.values()].map((task) => ({
      name: task.name,
      needs: task.needs ?? [],
      executor: task.executor,
    }));
  }, [spec.tasks]);
  const key = layoutKey(tasks);
  // oxlint-disable-next-line react/exhaustive-deps -- the key says whether the tasks differ
  const shape = useMemo(() => ({ places: layout(tasks), edges: edgesFor(tasks) }), [key]);
  const nodes = tasks.map((task) =>
    nodeAt<TaskData>(task.name, "task", places[task.name] ?? shape.places.get(task.name) ?? { x: 0, y: 0 }, {
      name: task.name,
      executor: task.executor,
      wrong: wrong.get(task.name) ?? "",
      selected: task.name === selected,
    }),
  );
  const edges = shape.edges.map((each) => Object.assign({}, each, { selected: each.id === edge }));
  const chosen = edges.find((each) => each.selected);

  const moved = (changes: NodeChange<Node<TaskData>>[]): void => {
    const next = { ...places };
    let any = false;
    for (const change of changes) {
      if (change.type !== "position" || !change.position) continue;
      next[change.id] = { x: Math.round(change.position.x), y: Math.round(change.position.y) };
      any = true;
    }
    if (any) onPlaces(next);
  };
  const cut = (gone: readonly Edge[]): void => {
    for (const each of gone) props.onDisconnect(each.source, each.target);
    setEdge(null);
  };
  return (
    <GraphFrame
      label={t("flow.graph.label")}
      tools={
        <>
          {chosen ? (
            <Tool label={t("flow.editor.cut")} run={() => cut([chosen])}>
              <IconTrash size={16} />
            </Tool>
          ) : null}
          <Tool label={t("flow.editor.arrange")} run={() => onPlaces({})}>
            <IconLayoutDashboard size={16} />
          </Tool>
        </>
      }
    >
      <ReactFlow
        attributionPosition="bottom-left"
        nodes={nodes}
        edges={edges}
        nodeTypes={types}
        onNodesChange={moved}
        onNodeClick={(_, node) => {
          setEdge(null);
          onSelect(node.id);
        }}
        onPaneClick={() => {
          setEdge(null);
          onSelect(null);
        }}
        onEdgeClick={(_, each) => setEdge(each.id)}
        onEdgesDelete={cut}
        onConnect={(connection: Connection) => props.onConnect(connection.source, connection.target)}
        isValidConnection={(connection) => mayConnect(spec, connection.source, connection.target)}
        onlyRenderVisibleElements
        nodesFocusable={false}
        edgesFocusable={false}
        deleteKeyCode={["Delete", "Backspace"]}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        minZoom={0.05}
        maxZoom={1.5}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
      />
    </GraphFrame>
  );
}

function TaskNode({ data }: NodeProps<Node<TaskData>>) {
  const { t } = useTranslation();
  const known = ["container", "check", "http", "jar", "spark"] as const;
  const executor = known.find((each) => each === data.executor);
  return (
    <>
      <Handle type="target" position={Position.Left} className={classes.handle} data-open />
      <button
        type="button"
        className={classes.node}
        data-selected={data.selected || undefined}
        data-task={data.name}
        aria-pressed={data.selected}
        title={data.wrong || undefined}
      >
        <span className={classes.line}>
          {data.wrong === "" ? null : <StateIcon tone="failed" size={16} />}
          <span className={classes.name}>{data.name || "–"}</span>
        </span>
        <span className={classes.under}>{executor ? t(`flow.executor.${executor}`) : data.executor}</span>
      </button>
      <Handle type="source" position={Position.Right} className={classes.handle} data-open />
    </>
  );
}

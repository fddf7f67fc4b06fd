import dagre from "@dagrejs/dagre";

export interface GraphTask {
  name: string;
  needs: readonly string[];
}

export interface Point {
  x: number;
  y: number;
}

export const nodeWidth = 208;
export const nodeHeight = 56;

// Above this, the exact ranker takes longer than a person waits.
const exactUpTo = 150;

/** Edges between tasks that are there; a need for itself or for nothing is no edge. */
export function edgesOf(tasks: readonly GraphTask[]): { from: string; to: string }[] {
  const names = new Set(tasks.map((task) => task.name));
  return tasks.flatMap((task) =>
    [...new Set(task.needs)]
      .filter((need) => need !== task.name && names.has(need))
      .map((need) => ({ from: need, to: task.name })),
  );
}

/** Places for tasks from left to right, by their names; the upper left corners. */
export function layout(tasks: readonly GraphTask[]): Map<string, Point> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({
    rankdir: "LR",
    nodesep: 20,
    ranksep: 64,
    marginx: 16,
    marginy: 16,
    ranker: tasks.length > exactUpTo ? "longest-path" : "network-simplex",
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const task of tasks) graph.setNode(task.name, { width: nodeWidth, height: nodeHeight });
  for (const edge of edgesOf(tasks)) graph.setEdge(edge.from, edge.to);
  dagre.layout(graph);
  const places = new Map<string, Point>();
  for (const task of tasks) {
    const node = graph.node(task.name) as { x: number; y: number };
    places.set(task.name, { x: Math.round(node.x - nodeWidth / 2), y: Math.round(node.y - nodeHeight / 2) });
  }
  return places;
}

/** What a layout depends on: the same text, the same places. */
export function layoutKey(tasks: readonly GraphTask[]): string {
  return JSON.stringify(tasks.map((task) => [task.name, task.needs]));
}

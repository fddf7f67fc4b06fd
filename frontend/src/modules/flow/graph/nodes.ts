import { Position, type Edge, type Node } from "@xyflow/react";
import { edgesOf, nodeHeight, nodeWidth, type GraphTask, type Point } from "~/modules/flow/graph/layout";

/** A node without a DOM measurement: its size and the places of its handles are known. */
export function nodeAt<D extends Record<string, unknown>>(
  name: string,
  type: string,
  position: Point,
  data: D,
): Node<D> {
  const handle = { width: 1, height: 1, y: nodeHeight / 2 };
  return {
    id: name,
    type,
    position,
    data,
    width: nodeWidth,
    height: nodeHeight,
    measured: { width: nodeWidth, height: nodeHeight },
    handles: [
      { ...handle, type: "target", position: Position.Left, x: 0 },
      { ...handle, type: "source", position: Position.Right, x: nodeWidth },
    ],
  };
}

export function edgesFor(tasks: readonly GraphTask[]): Edge[] {
  return edgesOf(tasks).map(({ from, to }) => ({ id: edgeId(from, to), source: from, target: to }));
}

/** Names hold no blank, so this cannot be read in two ways. */
export function edgeId(from: string, to: string): string {
  return `${from} ${to}`;
}

/** What became of a terminal's connection. */
export type TerminalEnd =
  { kind: "exit"; code: number } | { kind: "error"; message: string } | { kind: "dropped" };

export interface TerminalSocket {
  send(input: string): void;
  resize(cols: number, rows: number): void;
  close(): void;
}

interface Handlers {
  onOutput: (bytes: Uint8Array) => void;
  onOpen: () => void;
  onEnd: (end: TerminalEnd) => void;
}

interface Address {
  instanceId: string;
  tab: string;
  cols: number;
  rows: number;
}

function readEnd(text: string): TerminalEnd | null {
  try {
    const frame: unknown = JSON.parse(text);
    if (typeof frame !== "object" || frame === null || !("type" in frame)) return null;
    if (frame.type === "exit") {
      return { kind: "exit", code: "code" in frame && typeof frame.code === "number" ? frame.code : 0 };
    }
    if (frame.type === "error") {
      return {
        kind: "error",
        message: "message" in frame && typeof frame.message === "string" ? frame.message : "",
      };
    }
  } catch {
    // Not a frame that this page knows.
  }
  return null;
}

/**
 * Opens /terminal/<instance>. Binary frames are bytes in both directions; text frames
 * are JSON: `resize` to the server, `exit` and `error` from it.
 */
export function openTerminal({ instanceId, tab, cols, rows }: Address, handlers: Handlers): TerminalSocket {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const query = new URLSearchParams({ cols: String(cols), rows: String(rows), tab });
  const socket = new WebSocket(
    `${scheme}://${location.host}/terminal/${encodeURIComponent(instanceId)}?${query.toString()}`,
  );
  socket.binaryType = "arraybuffer";
  const encoder = new TextEncoder();
  let end: TerminalEnd = { kind: "dropped" };
  let wanted = true;

  socket.addEventListener("open", handlers.onOpen);
  socket.addEventListener("message", (event: MessageEvent<ArrayBuffer | string>) => {
    if (typeof event.data === "string") end = readEnd(event.data) ?? end;
    else handlers.onOutput(new Uint8Array(event.data));
  });
  socket.addEventListener("close", () => {
    if (wanted) handlers.onEnd(end);
  });

  return {
    send(input) {
      if (socket.readyState === WebSocket.OPEN) socket.send(encoder.encode(input));
    },
    resize(nextCols, nextRows) {
      if (socket.readyState === WebSocket.OPEN) {
        socket.send(JSON.stringify({ type: "resize", cols: nextCols, rows: nextRows }));
      }
    },
    close() {
      wanted = false;
      socket.close(1000);
    },
  };
}

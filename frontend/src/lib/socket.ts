import { createClient } from "graphql-ws";
import { markConnected, markLost } from "~/lib/connection";
import { currentLanguage } from "~/lib/language";

const pongTimeoutMs = 5_000;
const longestWaitMs = 8_000;

let pongTimer: ReturnType<typeof setTimeout> | undefined;
let active: WebSocket | undefined;

function isWebSocket(value: unknown): value is WebSocket {
  return typeof WebSocket !== "undefined" && value instanceof WebSocket;
}

/**
 * The one live connection of the page. It opens with the first subscription, tries
 * for ever when it drops, and re-subscribes what is still wanted.
 */
export const socket = createClient({
  url: () => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/graphql`,
  connectionParams: () => ({ language: currentLanguage() }),
  lazy: true,
  lazyCloseTimeout: 3_000,
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
  retryWait: async (retries) => {
    const wait = Math.min(300 * 2 ** retries, longestWaitMs);
    await new Promise((resolve) => {
      setTimeout(resolve, wait * (0.75 + Math.random() / 2));
    });
  },
  // A half-open connection looks alive until somebody asks: ping, and close when no pong comes.
  keepAlive: 10_000,
  on: {
    connected: (opened) => {
      active = isWebSocket(opened) ? opened : undefined;
      markConnected();
    },
    ping: (received) => {
      if (received) return;
      const asked = active;
      pongTimer = setTimeout(() => {
        markLost(); // the close of a dead link may take long to be told
        asked?.close(4408, "no pong");
      }, pongTimeoutMs);
    },
    pong: (received) => {
      if (received) clearTimeout(pongTimer);
    },
    closed: (event) => {
      clearTimeout(pongTimer);
      const normal = event instanceof CloseEvent && event.code === 1000;
      if (!normal) markLost();
    },
  },
});

/** Reconnects, so that the server hears the language that was chosen since. */
export function restartSocket(): void {
  socket.terminate();
}

// A browser that knows that it is offline says so long before a ping goes unanswered.
window.addEventListener("offline", markLost);
window.addEventListener("online", () => {
  if (active?.readyState === WebSocket.OPEN) socket.terminate();
  else markConnected();
});

import { createStore, useStore } from "~/lib/store";

/**
 * How the live connection stands. `epoch` grows whenever what is on the screen may
 * have missed something: after a reconnect and after a change of language. Queries
 * ask again when it grows.
 */
export interface Connection {
  reconnecting: boolean;
  epoch: number;
}

const connection = createStore<Connection>({ reconnecting: false, epoch: 0 });

export function useConnection(): Connection {
  return useStore(connection);
}

export function markLost(): void {
  connection.set({ ...connection.get(), reconnecting: true });
}

export function markConnected(): void {
  const { reconnecting, epoch } = connection.get();
  connection.set({ reconnecting: false, epoch: reconnecting ? epoch + 1 : epoch });
}

/** Makes every query on the screen ask again. */
export function askAgain(): void {
  const current = connection.get();
  connection.set({ ...current, epoch: current.epoch + 1 });
}

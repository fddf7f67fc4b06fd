import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { graphql } from "~/gql";
import { useAction } from "~/lib/live";
import { notifyFault } from "~/lib/notify";

const startMutation = graphql(`
  mutation StartInstance($id: ID!, $wait: Boolean! = false) {
    startInstance(id: $id, wait: $wait) {
      instance {
        ...InstanceRow
      }
    }
  }
`);

const stopMutation = graphql(`
  mutation StopInstance($id: ID!) {
    stopInstance(id: $id) {
      instance {
        ...InstanceRow
      }
    }
  }
`);

const restartMutation = graphql(`
  mutation RestartInstance($id: ID!) {
    restartInstance(id: $id) {
      instance {
        ...InstanceRow
      }
    }
  }
`);

const openMutation = graphql(`
  mutation OpenInstanceApp($id: ID!, $app: String!) {
    openInstanceApp(id: $id, app: $app) {
      url
    }
  }
`);

export interface InstanceActions {
  start: () => Promise<void>;
  stop: () => Promise<void>;
  restart: () => Promise<void>;
  open: (app: string) => Promise<void>;
  busy: boolean;
}

/** What can be done with an instance by one click; a refusal is told in a note. */
export function useInstanceActions(id: string): InstanceActions {
  const { t } = useTranslation();
  const [start, starting] = useAction(startMutation);
  const [stop, stopping] = useAction(stopMutation);
  const [restart, restarting] = useAction(restartMutation);
  const [openApp, opening] = useAction(openMutation);

  const open = useCallback(
    async (app: string) => {
      // The window must open within the click, or the browser takes it for a pop-up.
      const opened = window.open("about:blank", "_blank");
      const { data, fault } = await openApp({ id, app });
      if (fault) {
        opened?.close();
        notifyFault(fault, t);
        return;
      }
      const { url } = data.openInstanceApp;
      if (!opened) {
        location.assign(url);
        return;
      }
      // What runs in an instance must not reach back into this page.
      opened.opener = null;
      opened.location.replace(url);
    },
    [id, openApp, t],
  );

  return useMemo(() => {
    const tell =
      (act: (variables: { id: string }) => Promise<{ fault?: Parameters<typeof notifyFault>[0] }>) =>
      async () => {
        const { fault } = await act({ id });
        if (fault) notifyFault(fault, t);
      };
    // A refusal for want of quota or GPUs offers to wait instead.
    const startOrWait = async (wait: boolean): Promise<void> => {
      const { fault } = await start({ id, wait });
      if (!fault) return;
      const waits = fault.code === "RESOURCE_EXHAUSTED" && !wait;
      notifyFault(
        fault,
        t,
        waits ? { label: t("instance.waitForTurn"), run: () => void startOrWait(true) } : undefined,
      );
    };
    return {
      start: () => startOrWait(false),
      stop: tell(stop),
      restart: tell(restart),
      open,
      busy: starting || stopping || restarting || opening,
    };
  }, [id, t, start, stop, restart, open, starting, stopping, restarting, opening]);
}

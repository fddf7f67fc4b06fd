import { ActionIcon, Button, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconArrowsExchange,
  IconDots,
  IconExternalLink,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconSchema,
  IconTrash,
} from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useSubscription } from "urql";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Columns } from "~/components/columns";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import { Elapsed, RelativeTime } from "~/components/time";
import { graphql, readFragment } from "~/gql";
import type { InstanceHeadFragment } from "~/gql/graphql";
import { useLive } from "~/lib/live";
import { EventList } from "~/modules/event/event-list";
import { useInstanceActions, type InstanceActions } from "~/modules/instance/actions";
import { appTitle, isEditor } from "~/modules/instance/apps";
import { InstanceCommand } from "~/modules/instance/instance-command";
import { InstanceConnect } from "~/modules/instance/instance-connect";
import { DeleteInstance } from "~/modules/instance/instance-delete";
import { InstanceFacts } from "~/modules/instance/instance-facts";
import { MoveInstance } from "~/modules/instance/instance-move";
import { InstanceStory } from "~/modules/instance/instance-story";
import { instanceTones } from "~/modules/instance/state";
import { useSession } from "~/modules/session/session";

const TerminalPanel = lazy(() => import("~/modules/terminal/terminal-panel"));

const headFragment = graphql(`
  fragment InstanceHead on Instance {
    id
    name
    state
    version
    createdAt
    startedAt
    readyAt
    updatedAt
    apps {
      name
      state
    }
    mounts {
      ...MountItem
    }
    can {
      start
      stop
      restart
      move
      edit
      delete
      connect
    }
  }
`);

const instanceQuery = graphql(`
  query Instance($id: ID!) {
    instance(id: $id) {
      ...InstanceRow
      ...InstanceHead
      ...InstanceStory
      ...InstanceConnect
      ...InstanceCommand
      ...InstanceFacts
      events(first: 50) {
        nodes {
          ...EventItem
        }
      }
    }
  }
`);

const instanceChanged = graphql(`
  subscription InstanceChanged($id: ID!) {
    instanceChanged(id: $id) {
      ...InstanceRow
      ...InstanceHead
      ...InstanceStory
      ...InstanceConnect
      ...InstanceCommand
      ...InstanceFacts
    }
  }
`);

export function InstanceView({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: instanceQuery, variables: { id } });
  useSubscription({ query: instanceChanged, variables: { id }, pause: !data?.instance });
  const actions = useInstanceActions(id);
  const parent = { to: "/instances", label: t("frame.instances") };

  if (loading) {
    return (
      <Page title={t("state.loading")} parent={parent}>
        <Columns main={<SkeletonBlock height={360} />} side={<SkeletonBlock height={360} />} />
      </Page>
    );
  }
  const instance = data?.instance;
  if (!instance) {
    return (
      <Page title={t("instance.one")} parent={parent}>
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("instance.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      </Page>
    );
  }
  const head = readFragment(headFragment, instance);
  return (
    <Page
      title={head.name}
      parent={parent}
      subtitle={<StateSentence head={head} />}
      actions={<HeadActions head={head} actions={actions} />}
    >
      <Columns
        main={
          <>
            <InstanceStory instance={instance} actions={actions} />
            <InstanceConnect instance={instance} actions={actions} />
            <InstanceCommand instance={instance} />
            {head.can.connect && (head.state === "RUNNING" || head.state === "UNHEALTHY") ? (
              <Suspense fallback={<SkeletonBlock height={420} />}>
                <TerminalPanel instanceId={id} />
              </Suspense>
            ) : null}
            <Panel title={t("event.title")}>
              <EventList subjectId={id} events={instance.events.nodes} />
            </Panel>
          </>
        }
        side={<InstanceFacts instance={instance} />}
      />
    </Page>
  );
}

/** One sentence: what it does, and since when. */
function StateSentence({ head }: { head: InstanceHeadFragment }) {
  const { t } = useTranslation();
  const { state } = head;
  return (
    <>
      <StateMark large tone={instanceTones[state]} label={t(`instance.state.${state}`)} />
      {state === "RUNNING" && head.readyAt ? (
        <span>
          {t("instance.upFor")} <Elapsed from={head.readyAt} />
        </span>
      ) : null}
      {(state === "PENDING" || state === "STARTING") && head.startedAt ? (
        <span>
          {t("instance.startingFor")} <Elapsed from={head.startedAt} />
        </span>
      ) : null}
      {state === "STOPPED" || state === "FAILED" ? (
        <span>
          {t("instance.changed")} <RelativeTime at={head.updatedAt} />
        </span>
      ) : null}
    </>
  );
}

function HeadActions({ head, actions }: { head: InstanceHeadFragment; actions: InstanceActions }) {
  const { t } = useTranslation();
  const [deleting, { open, close }] = useDisclosure();
  const [moving, move] = useDisclosure();
  const { mayMake } = useSession();
  const { can, state } = head;
  const editors =
    can.connect && state !== "STOPPING"
      ? head.apps.filter((app) => isEditor(app.name) && app.state === "ready")
      : [];
  return (
    <>
      {can.stop && state !== "STOPPED" && state !== "DELETING" ? (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          disabled={actions.busy || state === "STOPPING"}
          onClick={() => void actions.stop()}
        >
          {t("instance.stop")}
        </Button>
      ) : null}
      {can.start ? (
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          disabled={actions.busy}
          onClick={() => void actions.start()}
        >
          {t("instance.start")}
        </Button>
      ) : null}
      {editors.map(({ name }) => (
        <Button
          key={name}
          variant={name === "jupyterlab" ? "filled" : "default"}
          leftSection={<IconExternalLink size={16} aria-hidden />}
          onClick={() => void actions.open(name)}
        >
          {t("instance.openApp", { app: appTitle(name) })}
        </Button>
      ))}
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t("action.more")}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconRefresh size={16} aria-hidden />}
            disabled={!can.restart}
            onClick={() => void actions.restart()}
          >
            {t("instance.restart")}
          </Menu.Item>
          {can.move ? (
            <Menu.Item leftSection={<IconArrowsExchange size={16} aria-hidden />} onClick={move.open}>
              {t("instance.moveDots")}
            </Menu.Item>
          ) : null}
          <Menu.Item
            component={Link}
            to={`/instances/${head.id}/edit`}
            leftSection={<IconPencil size={16} aria-hidden />}
            disabled={!can.edit}
          >
            {t("instance.edit")}
          </Menu.Item>
          {mayMake ? (
            <Menu.Item
              component={Link}
              to={`/flows/new?from=${head.id}`}
              leftSection={<IconSchema size={16} aria-hidden />}
            >
              {t("instance.makeFlow")}
            </Menu.Item>
          ) : null}
          <Menu.Divider />
          <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} disabled={!can.delete} onClick={open}>
            {t("instance.deleteDots")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DeleteInstance id={head.id} name={head.name} mounts={head.mounts} opened={deleting} onClose={close} />
      <MoveInstance id={head.id} name={head.name} opened={moving} onClose={move.close} />
    </>
  );
}

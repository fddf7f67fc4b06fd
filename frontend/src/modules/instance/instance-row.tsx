import { ActionIcon, Tooltip } from "@mantine/core";
import { IconCode, IconNotebook, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Row } from "~/components/row-list";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { useInstanceActions } from "~/modules/instance/actions";
import { appTitle, isEditor } from "~/modules/instance/apps";
import { instanceTones } from "~/modules/instance/state";
import { ReasonLine } from "~/modules/reason/reason";
import { ResourcesText } from "~/modules/resources/resources-text";

export const instanceRowFragment = graphql(`
  fragment InstanceRow on Instance {
    id
    name
    state
    version
    createdAt
    readyAt
    owner {
      id
      displayName
    }
    image {
      id
      name
    }
    resources {
      ...ResourcesText
    }
    reason {
      ...ReasonText
    }
    apps {
      name
      state
    }
    can {
      start
      stop
      connect
    }
  }
`);

export type InstanceRowRef = FragmentType<typeof instanceRowFragment>;

/** An instance as one line, with the one or two things that people do with it from a list. */
export function InstanceRow({ instance }: { instance: InstanceRowRef }) {
  const { t } = useTranslation();
  const it = readFragment(instanceRowFragment, instance);
  const { start, stop, open, busy } = useInstanceActions(it.id);
  const apps = it.apps.filter((each) => isEditor(each.name) && each.state === "ready");
  return (
    <Row
      to={`/instances/${it.id}`}
      name={it.name}
      mono={it.image?.name}
      state={<StateMark tone={instanceTones[it.state]} label={t(`instance.state.${it.state}`)} />}
      detail={it.reason ? <ReasonLine reason={it.reason} /> : null}
      facts={[
        <ResourcesText key="resources" resources={it.resources} />,
        it.owner.displayName,
        <RelativeTime key="age" at={it.createdAt} />,
      ]}
      actions={
        <>
          {it.can.connect
            ? apps.map(({ name }) => (
                <Action
                  key={name}
                  label={t("instance.openApp", { app: appTitle(name) })}
                  run={() => void open(name)}
                  busy={busy}
                >
                  {name === "code-server" ? (
                    <IconCode size={18} stroke={1.6} />
                  ) : (
                    <IconNotebook size={18} stroke={1.6} />
                  )}
                </Action>
              ))
            : null}
          {it.can.start ? (
            <Action label={t("instance.startNamed", { name: it.name })} run={() => void start()} busy={busy}>
              <IconPlayerPlay size={18} stroke={1.6} />
            </Action>
          ) : null}
          {it.can.stop && !it.can.start ? (
            <Action label={t("instance.stopNamed", { name: it.name })} run={() => void stop()} busy={busy}>
              <IconPlayerStop size={18} stroke={1.6} />
            </Action>
          ) : null}
        </>
      }
    />
  );
}

function Action(props: { label: string; run: () => void; busy: boolean; children: React.ReactNode }) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon size={32} aria-label={props.label} onClick={props.run} disabled={props.busy}>
        {props.children}
      </ActionIcon>
    </Tooltip>
  );
}

import { Button, Group, NumberInput, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Meter } from "~/components/meter";
import { Panel } from "~/components/panel";
import { StateMark } from "~/components/state-mark";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import type { TeamSlotGroupsQuery } from "~/gql/graphql";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { usePoll } from "~/lib/poll";
import { clockText } from "~/modules/flow/zoned";
import { stepTones } from "~/modules/flowrun/state";
import { AskDialog } from "~/modules/volume/ask-dialog";
import classes from "./slot-groups.module.css";

const groupsQuery = graphql(`
  query TeamSlotGroups($teamId: ID!) {
    slotGroups(teamId: $teamId) {
      id
      name
      slots
      used
      waiting
      uses {
        step
        state
        holds
        since
        flowRun {
          id
          localTime
          flow {
            id
            name
          }
        }
      }
    }
  }
`);

const setMutation = graphql(`
  mutation SetSlotGroup($teamId: ID!, $name: String!, $slots: Int!) {
    setSlotGroup(teamId: $teamId, name: $name, slots: $slots) {
      group {
        id
        name
        slots
      }
    }
  }
`);

type SlotGroup = TeamSlotGroupsQuery["slotGroups"][number];
type Asked = { what: "create" } | { what: "change" | "delete"; group: SlotGroup };

const pollMs = 10_000;
const mostSlots = 1000;

interface SlotGroupsProps {
  teamId: string;
  /** Makes, changes and deletes them. */
  manage: boolean;
}

/** The concurrency groups of a team: how large they are, who holds a slot, and who waits for one. */
export function SlotGroups({ teamId, manage }: SlotGroupsProps) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: groupsQuery, variables: { teamId } });
  usePoll(reload, pollMs);
  const [asked, setAsked] = useState<Asked | null>(null);
  const groups = data?.slotGroups ?? [];
  const close = (): void => setAsked(null);
  const done = (): void => {
    close();
    reload();
  };
  return (
    <Panel
      title={t("slotGroup.title")}
      aside={
        manage ? (
          <Button variant="default" size="xs" onClick={() => setAsked({ what: "create" })}>
            {t("slotGroup.create")}
          </Button>
        ) : null
      }
    >
      {loading ? (
        <SkeletonBlock height={80} />
      ) : fault && !data ? (
        <Failed fault={fault} retry={reload} />
      ) : groups.length === 0 ? (
        <p className="soft">{t("slotGroup.none")}</p>
      ) : (
        <ul className={classes.groups} aria-label={t("slotGroup.title")}>
          {groups.map((group) => (
            <li key={group.id} className={classes.group}>
              <GroupHead group={group} {...(manage ? { ask: setAsked } : {})} />
              <Uses group={group} />
            </li>
          ))}
        </ul>
      )}
      {asked?.what === "delete" ? (
        <DeleteGroup teamId={teamId} group={asked.group} onClose={close} onDone={done} />
      ) : asked ? (
        <EditGroup
          teamId={teamId}
          group={asked.what === "change" ? asked.group : null}
          names={groups.map((group) => group.name)}
          onClose={close}
          onDone={done}
        />
      ) : null}
    </Panel>
  );
}

function GroupHead({ group, ask }: { group: SlotGroup; ask?: (asked: Asked) => void }) {
  const { t } = useTranslation();
  const text = t("slotGroup.used", { used: group.used, slots: group.slots });
  return (
    <>
      <div className={classes.head}>
        <span className={classes.name}>{group.name}</span>
        <span className="soft">
          {text}
          {group.waiting > 0 ? ` · ${t("slotGroup.waiting", { count: group.waiting })}` : null}
        </span>
        {ask ? (
          <Group gap="xs" ml="auto">
            <Button
              variant="default"
              size="xs"
              aria-label={t("slotGroup.changeNamed", { name: group.name })}
              onClick={() => ask({ what: "change", group })}
            >
              {t("slotGroup.change")}
            </Button>
            <Button
              variant="default"
              size="xs"
              aria-label={t("slotGroup.deleteNamed", { name: group.name })}
              onClick={() => ask({ what: "delete", group })}
            >
              {t("slotGroup.delete")}
            </Button>
          </Group>
        ) : null}
      </div>
      <Meter label={group.name} text={text} used={group.used} limit={group.slots} plain />
    </>
  );
}

/** Who holds a slot, then who waits for one. */
function Uses({ group }: { group: SlotGroup }) {
  const { t } = useTranslation();
  if (group.uses.length === 0) return null;
  const more = group.used + group.waiting - group.uses.length;
  return (
    <ul className={classes.uses} aria-label={t("slotGroup.uses", { name: group.name })}>
      {group.uses.map((use) => (
        <li key={`${use.flowRun.id} ${use.step}`} className={classes.use} data-holds={use.holds}>
          <StateMark tone={stepTones[use.state]} label={t(`flowRun.step.${use.state}`)} />
          <Link to={`/flow-runs/${use.flowRun.id}?step=${encodeURIComponent(use.step)}`}>
            {use.flowRun.flow.name} · {use.step}
          </Link>
          <span className="soft" title={use.flowRun.localTime}>
            {clockText(use.flowRun.localTime)}
          </span>
          {use.since ? (
            <span className={classes.since}>
              <RelativeTime at={use.since} />
            </span>
          ) : null}
        </li>
      ))}
      {more > 0 ? <li className="soft">{t("slotGroup.more", { count: more })}</li> : null}
    </ul>
  );
}

interface EditGroupProps {
  teamId: string;
  group: SlotGroup | null;
  names: readonly string[];
  onClose: () => void;
  onDone: () => void;
}

function EditGroup({ teamId, group, names, onClose, onDone }: EditGroupProps) {
  const { t } = useTranslation();
  const [set] = useAction(setMutation);
  const [name, setName] = useState(group?.name ?? "");
  const [slots, setSlots] = useState<number | string>(group?.slots ?? 1);
  const taken = !group && names.includes(name.trim());
  return (
    <AskDialog
      title={group ? t("slotGroup.changeNamed", { name: group.name }) : t("slotGroup.create")}
      submit={t("action.save")}
      disabled={name.trim() === "" || taken || !(Number(slots) >= 1)}
      onClose={onClose}
      ask={async () => {
        const { fault } = await set({ teamId, name: name.trim(), slots: Number(slots) });
        if (fault) return fault;
        notifyDone(t("slotGroup.saved", { name: name.trim() }));
        onDone();
        return undefined;
      }}
    >
      {group ? null : (
        <TextInput
          label={t("slotGroup.name")}
          description={t("slotGroup.nameHint")}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={taken ? t("slotGroup.taken") : null}
          maxLength={63}
          data-autofocus
        />
      )}
      <NumberInput
        label={t("slotGroup.slots")}
        description={t("slotGroup.slotsHint")}
        value={slots}
        onChange={setSlots}
        min={1}
        max={mostSlots}
        allowDecimal={false}
      />
    </AskDialog>
  );
}

interface DeleteGroupProps {
  teamId: string;
  group: SlotGroup;
  onClose: () => void;
  onDone: () => void;
}

function DeleteGroup({ teamId, group, onClose, onDone }: DeleteGroupProps) {
  const { t } = useTranslation();
  const [set] = useAction(setMutation);
  return (
    <AskDialog
      title={t("slotGroup.deleteAsk", { name: group.name })}
      submit={t("slotGroup.delete")}
      danger
      onClose={onClose}
      ask={async () => {
        const { fault } = await set({ teamId, name: group.name, slots: 0 });
        if (fault) return fault;
        notifyDone(t("slotGroup.deleted", { name: group.name }));
        onDone();
        return undefined;
      }}
    >
      <Stack gap="xs">
        <p>{t("slotGroup.deleteHint")}</p>
        {group.waiting > 0 ? <p>{t("slotGroup.deleteWaiting", { count: group.waiting })}</p> : null}
      </Stack>
    </AskDialog>
  );
}

import { ActionIcon, Button, NumberInput, Select } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { Panel } from "~/components/panel";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { faultText } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { useSession } from "~/modules/session/session";
import classes from "./setting.module.css";
import lines from "../account/lines.module.css";

export const userLimitFragment = graphql(`
  fragment UserLimitLine on UserLimit {
    instances
    user {
      id
      displayName
      email
    }
  }
`);

const peopleQuery = graphql(`
  query PeopleForLimits {
    users(first: 200) {
      nodes {
        id
        displayName
        email
      }
    }
  }
`);

const setMutation = graphql(`
  mutation SetUserLimit($input: SetUserLimitInput!) {
    setUserLimit(input: $input) {
      userLimits {
        ...UserLimitLine
      }
    }
  }
`);

/** People who may own more instances than others, or fewer. */
export function UserLimits({ limits }: { limits: readonly FragmentType<typeof userLimitFragment>[] }) {
  const { t } = useTranslation();
  const { administrator } = useSession();
  const [list, setList] = useState(limits);
  const [userId, setUserId] = useState<string | null>(null);
  const [instances, setInstances] = useState<number | string>(5);
  const [problem, setProblem] = useState<string | null>(null);
  const [save, saving] = useAction(setMutation);
  const { data } = useLive({ query: peopleQuery, variables: {}, pause: !administrator });
  const submit = async (id: string, count: number | null): Promise<void> => {
    setProblem(null);
    const { data: done, fault } = await save({ input: { userId: id, instances: count } });
    if (fault) {
      setProblem(fault.fields[0]?.message ?? faultText(fault, t));
      return;
    }
    setList(done.setUserLimit.userLimits);
    setUserId(null);
    notifyDone(t("settings.saved"));
  };
  return (
    <Panel title={t("settings.people.title")}>
      {list.length === 0 ? <p className="soft">{t("settings.people.none")}</p> : null}
      <ul className={lines.lines} aria-label={t("settings.people.title")}>
        {readFragment(userLimitFragment, list).map((limit) => (
          <li key={limit.user.id} className={lines.line}>
            <div className={lines.body}>
              <div className={lines.name}>{limit.user.displayName}</div>
              <div className={lines.under}>{limit.user.email}</div>
            </div>
            <span>{t("settings.people.count", { count: limit.instances })}</span>
            {administrator ? (
              <ActionIcon
                size={32}
                disabled={saving}
                aria-label={t("settings.people.remove", { name: limit.user.displayName })}
                onClick={() => void submit(limit.user.id, null)}
              >
                <IconX size={16} />
              </ActionIcon>
            ) : null}
          </li>
        ))}
      </ul>
      {administrator ? (
        <form
          className={classes.test}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (userId) void submit(userId, Number(instances));
          }}
        >
          <Select
            className={classes.grow}
            label={t("settings.people.who")}
            searchable
            data={(data?.users.nodes ?? []).map((each) => ({
              value: each.id,
              label: `${each.displayName} (${each.email})`,
            }))}
            value={userId}
            onChange={setUserId}
          />
          <NumberInput
            className={classes.short}
            label={t("settings.people.instances")}
            min={0}
            max={1000}
            clampBehavior="none"
            allowDecimal={false}
            value={instances}
            onChange={setInstances}
          />
          <Button type="submit" variant="default" loading={saving} disabled={!userId || instances === ""}>
            {t("settings.people.set")}
          </Button>
        </form>
      ) : null}
      {problem ? (
        <div className={classes.end}>
          <Notice tone="failed" title={problem} live />
        </div>
      ) : null}
    </Panel>
  );
}

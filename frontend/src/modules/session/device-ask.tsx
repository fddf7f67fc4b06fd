import { Button, Group, Select } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Facts } from "~/components/facts";
import { Notice } from "~/components/notice";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import { faultText } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import classes from "./device.module.css";

const requestQuery = graphql(`
  query DeviceRequest($userCode: String!) {
    deviceRequest(userCode: $userCode) {
      id
      name
      address
      scope
      createdAt
    }
  }
`);

const approveMutation = graphql(`
  mutation ApproveDevice($input: ApproveDeviceInput!) {
    approveDevice(input: $input) {
      ok
    }
  }
`);

const denyMutation = graphql(`
  mutation DenyDevice($userCode: String!) {
    denyDevice(userCode: $userCode) {
      ok
    }
  }
`);

const lifetimes = ["7", "30", "90", "365"] as const;

interface DeviceAskProps {
  code: string;
  /** Goes back to typing a code. */
  onOther: () => void;
}

/** What asks with a code, and the two answers. */
export function DeviceAsk({ code, onOther }: DeviceAskProps) {
  const { t } = useTranslation();
  const [answer, setAnswer] = useState<"approved" | "denied" | null>(null);
  const [days, setDays] = useState("30");
  const [error, setError] = useState("");
  const { data, fault, loading, reload } = useLive({
    query: requestQuery,
    variables: { userCode: code },
    pause: answer !== null,
  });
  const [approve, approving] = useAction(approveMutation);
  const [deny, denying] = useAction(denyMutation);
  const submit = async (yes: boolean): Promise<void> => {
    setError("");
    const result = yes
      ? await approve({ input: { userCode: code, days: Number(days) } })
      : await deny({ userCode: code });
    if (result.fault) setError(faultText(result.fault, t));
    else setAnswer(yes ? "approved" : "denied");
  };
  if (answer !== null) {
    return (
      <Notice tone={answer === "approved" ? "good" : "stopped"} title={t(`device.${answer}`)} live>
        {t(`device.${answer}More`)}
      </Notice>
    );
  }
  if (loading) return <SkeletonBlock height={240} />;
  if (!data) {
    if (fault && fault.code !== "NOT_FOUND" && fault.code !== "RESOURCE_EXHAUSTED") {
      return <Failed fault={fault} retry={reload} />;
    }
    return (
      <>
        <Notice tone="failed" title={fault ? faultText(fault, t) : ""} live />
        <Button variant="default" onClick={onOther}>
          {t("device.other")}
        </Button>
      </>
    );
  }
  const asks = data.deviceRequest;
  return (
    <>
      <p className={classes.asks}>{t("device.asks", { name: asks.name })}</p>
      <div>
        <p className="soft">{t("device.compare")}</p>
        <p className={classes.code}>{code}</p>
      </div>
      <Facts
        facts={[
          { name: t("device.calls"), value: asks.name },
          { name: t("device.address"), value: asks.address },
          { name: t("device.may"), value: t(`account.scope.${asks.scope}`) },
          { name: t("device.asked"), value: <RelativeTime at={asks.createdAt} /> },
        ]}
      />
      <Notice tone="attention" title={t("device.warning")}>
        {t("device.warningMore")}
      </Notice>
      <Select
        label={t("account.days")}
        data={lifetimes.map((each) => ({
          value: each,
          label: t("account.daysText", { count: Number(each) }),
        }))}
        value={days}
        onChange={(value) => setDays(value ?? "30")}
        allowDeselect={false}
      />
      {error ? <Notice tone="failed" title={error} live /> : null}
      <Group grow gap="xs">
        <Button variant="default" loading={denying} disabled={approving} onClick={() => void submit(false)}>
          {t("device.deny")}
        </Button>
        <Button loading={approving} disabled={denying} onClick={() => void submit(true)}>
          {t("device.approve")}
        </Button>
      </Group>
    </>
  );
}

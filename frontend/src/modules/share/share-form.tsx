import { Checkbox, Radio, SegmentedControl, Stack, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { GranteeKind, ShareMode, ShareRowFragment } from "~/gql/graphql";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { SharePreview, useSharePreview } from "~/modules/share/share-preview";
import { AskDialog } from "~/modules/volume/ask-dialog";

const shareMutation = graphql(`
  mutation ShareVolume($input: ShareVolumeInput!) {
    shareVolume(input: $input) {
      share {
        ...ShareRow
      }
    }
  }
`);

const changeMutation = graphql(`
  mutation ChangeShare($input: ChangeShareInput!) {
    changeShare(input: $input) {
      share {
        ...ShareRow
      }
    }
  }
`);

/** The end of a day in the viewer's zone, as the API takes it. */
export function endOfDay(day: string): string | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!match) return null;
  const at = new Date(Number(match[1]), Number(match[2]) - 1, Number(match[3]), 23, 59, 59);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

/** The day of an instant in the viewer's zone, as a field of dates holds it. */
export function dayOf(at: string): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function ModeField({ mode, onChange }: { mode: ShareMode; onChange: (mode: ShareMode) => void }) {
  const { t } = useTranslation();
  return (
    <Radio.Group
      label={t("mount.mode")}
      value={mode}
      onChange={(value) => onChange(value === "READ_WRITE" ? "READ_WRITE" : "READ_ONLY")}
    >
      <Stack gap={8} mt={6}>
        <Radio value="READ_ONLY" label={t("mount.readOnly")} description={t("share.readHint")} />
        <Radio value="READ_WRITE" label={t("mount.readWrite")} description={t("share.writeHint")} />
      </Stack>
    </Radio.Group>
  );
}

interface GrantShareProps {
  volumeId: string;
  volumeName: string;
  onClose: () => void;
  onDone: () => void;
}

/** Gives a volume to a person or a team. The answer is the same whether or not they exist. */
export function GrantShare({ volumeId, volumeName, onClose, onDone }: GrantShareProps) {
  const { t } = useTranslation();
  const [granteeKind, setKind] = useState<GranteeKind>("USER");
  const [grantee, setGrantee] = useState("");
  const [mode, setMode] = useState<ShareMode>("READ_ONLY");
  const [day, setDay] = useState("");
  const [message, setMessage] = useState("");
  const [grant] = useAction(shareMutation);
  const person = granteeKind === "USER";
  const previewed = useSharePreview({ volumeId, granteeKind, grantee, mode });
  return (
    <AskDialog
      title={t("share.grantTitle", { name: volumeName })}
      submit={t("share.grant")}
      disabled={grantee.trim() === "" || previewed.impossible}
      onClose={onClose}
      ask={async () => {
        const { fault } = await grant({
          input: {
            volumeId,
            granteeKind,
            grantee: grantee.trim(),
            mode,
            message: message.trim(),
            endsAt: endOfDay(day),
          },
        });
        if (fault) return fault;
        notifyDone(t("share.granted", { grantee: grantee.trim() }));
        onDone();
        return undefined;
      }}
    >
      <SegmentedControl
        aria-label={t("share.with")}
        value={granteeKind}
        onChange={(value) => setKind(value === "TEAM" ? "TEAM" : "USER")}
        data={[
          { value: "USER", label: t("share.grantee.USER") },
          { value: "TEAM", label: t("share.grantee.TEAM") },
        ]}
      />
      <TextInput
        label={t(person ? "share.address" : "share.teamName")}
        description={t(person ? "share.addressHint" : "share.teamNameHint")}
        placeholder={person ? "li@example.com" : ""}
        type={person ? "email" : "text"}
        value={grantee}
        onChange={(event) => setGrantee(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
      <ModeField mode={mode} onChange={setMode} />
      <TextInput
        type="date"
        label={t("share.until")}
        description={t("share.untilHint")}
        value={day}
        onChange={(event) => setDay(event.currentTarget.value)}
      />
      <Textarea
        label={t("share.message")}
        maxLength={500}
        autosize
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
      <SharePreview {...previewed} />
    </AskDialog>
  );
}

interface ChangeShareProps {
  share: ShareRowFragment;
  onClose: () => void;
  onDone: () => void;
}

/** Another mode or another end. What runs and could write is restarted when it becomes read-only. */
export function ChangeShare({ share, onClose, onDone }: ChangeShareProps) {
  const { t } = useTranslation();
  const [mode, setMode] = useState<ShareMode>(share.mode);
  const [day, setDay] = useState(share.endsAt ? dayOf(share.endsAt) : "");
  const [restart, setRestart] = useState(false);
  const [change] = useAction(changeMutation);
  const writers = share.usedBy.filter((use) => !use.readOnly);
  const narrows = share.mode === "READ_WRITE" && mode === "READ_ONLY" && writers.length > 0;
  const endsAt = endOfDay(day);
  const sameEnd = (share.endsAt ? dayOf(share.endsAt) : "") === day;
  return (
    <AskDialog
      title={t("share.changeTitle", { grantee: share.grantee })}
      submit={t("action.save")}
      disabled={(mode === share.mode && sameEnd) || (narrows && !restart)}
      onClose={onClose}
      ask={async () => {
        const { fault } = await change({
          input: {
            id: share.id,
            mode,
            restart,
            ...(sameEnd ? {} : endsAt === null ? { endless: true } : { endsAt }),
          },
        });
        if (fault) return fault;
        notifyDone(t("share.changed", { grantee: share.grantee }));
        onDone();
        return undefined;
      }}
    >
      <ModeField mode={mode} onChange={setMode} />
      <TextInput
        type="date"
        label={t("share.until")}
        description={t("share.untilHint")}
        value={day}
        onChange={(event) => setDay(event.currentTarget.value)}
      />
      {narrows ? (
        <>
          <Notice
            tone="attention"
            title={t("share.writers", { names: writers.map((use) => use.name).join(", ") })}
          />
          <Checkbox
            label={t("share.restartWriters")}
            checked={restart}
            onChange={(event) => setRestart(event.currentTarget.checked)}
          />
        </>
      ) : null}
    </AskDialog>
  );
}

import { Button, Group, Select, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Snippet } from "~/components/copy";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { TeamRole } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction } from "~/lib/live";
import { teamRoles } from "~/modules/team/members";

const inviteMutation = graphql(`
  mutation InviteMember($input: InviteMemberInput!) {
    inviteMember(input: $input) {
      url
      invitation {
        id
      }
    }
  }
`);

interface InviteValues extends Record<string, unknown> {
  email: string;
  role: TeamRole;
  message: string;
}

interface InviteProps {
  teamId: string;
  onClose: () => void;
  onInvited: () => void;
}

/** Asks whom to invite as what, then shows the link once. */
export function Invite({ teamId, onClose, onInvited }: InviteProps) {
  const { t } = useTranslation();
  const [invite, inviting] = useAction(inviteMutation);
  const [problem, setProblem] = useState<string | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const form = useForm<InviteValues>({
    initialValues: { email: "", role: "MEMBER", message: "" },
    validate: { email: (value) => (value.trim() === "" ? t("form.required") : null) },
  });
  const submit = async (values: InviteValues): Promise<void> => {
    setProblem(null);
    const { data, fault } = await invite({ input: { ...values, email: values.email.trim(), teamId } });
    if (fault) {
      const { errors, rest } = formFaults(fault, ["email", "role", "message"]);
      form.setErrors(errors);
      setProblem(rest.join(" ") || (fault.fields.length === 0 ? faultText(fault, t) : null));
      focusFirstError();
      return;
    }
    setLink(data.inviteMember.url);
    onInvited();
  };
  if (link !== null) return <InviteLink email={form.values.email.trim()} link={link} onClose={onClose} />;
  return (
    <Dialog opened onClose={onClose} title={t("invitation.invite")}>
      <form onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)} noValidate>
        <Stack gap="md">
          <TextInput
            type="email"
            label={t("signIn.email")}
            placeholder="li@example.com"
            data-autofocus
            {...form.getInputProps("email")}
          />
          <Select
            label={t("invitation.role")}
            data={teamRoles.map((role) => ({ value: role, label: t(`team.role.${role}`) }))}
            allowDeselect={false}
            {...form.getInputProps("role")}
          />
          <Textarea
            label={t("invitation.message")}
            autosize
            minRows={2}
            maxRows={6}
            {...form.getInputProps("message")}
          />
          {problem ? <Notice tone="failed" title={problem} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={inviting}>
              {t("invitation.invite")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** An invitation's link, which is shown only here. */
export function InviteLink({ email, link, onClose }: { email: string; link: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog opened onClose={onClose} title={t("invitation.linkFor", { email })}>
      <Stack gap="md">
        <Notice tone="attention" title={t("invitation.once")} />
        <Snippet text={link} what={t("invitation.link")} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t("action.close")}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import { faultText } from "~/lib/fault";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { useSession } from "~/modules/session/session";
import classes from "./setting.module.css";

const testMutation = graphql(`
  mutation SendTestMail($to: String!) {
    sendTestMail(to: $to) {
      ok
    }
  }
`);

/** Sends a message with what is saved, and shows what the mail server said. */
export function MailTest() {
  const { t } = useTranslation();
  const { user, administrator } = useSession();
  const [to, setTo] = useState(user.email);
  const [problem, setProblem] = useState<string | null>(null);
  const [send, sending] = useAction(testMutation);
  if (!administrator) return null;
  const submit = async (): Promise<void> => {
    setProblem(null);
    const { fault } = await send({ to: to.trim() });
    if (fault) setProblem(fault.fields[0]?.message ?? faultText(fault, t));
    else notifyDone(t("settings.mail.sent", { to: to.trim() }));
  };
  return (
    <>
      <form
        className={classes.test}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextInput
          className={classes.grow}
          label={t("settings.mail.to")}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={sending}>
          {t("settings.mail.test")}
        </Button>
      </form>
      {problem ? (
        <div className={classes.end}>
          <Notice tone="failed" title={problem} live />
        </div>
      ) : null}
    </>
  );
}

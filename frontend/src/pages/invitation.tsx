import { Button, Divider, Loader, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Failed } from "~/components/blank";
import { Notice } from "~/components/notice";
import { RelativeTime } from "~/components/time";
import { graphql } from "~/gql";
import type { InvitationOfferQuery } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction, useLive } from "~/lib/live";
import { EntryCard } from "~/modules/session/entry-card";
import { PasswordSignIn } from "~/modules/session/password-sign-in";

const offerQuery = graphql(`
  query InvitationOffer($token: String!) {
    viewer {
      user {
        id
        email
      }
    }
    invitation(token: $token) {
      teamName
      inviterName
      email
      role
      message
      expiresAt
      forViewer
      known
      closed
    }
  }
`);

const acceptMutation = graphql(`
  mutation AcceptInvitation($input: AcceptInvitationInput!) {
    acceptInvitation(input: $input) {
      teamId
    }
  }
`);

type Offer = NonNullable<InvitationOfferQuery["invitation"]>;

/** What an invitation's link opens: for who is signed in, for who has an account, and for somebody new. */
export function InvitationPage() {
  const { t } = useTranslation();
  const [search] = useSearchParams();
  const token = search.get("token") ?? "";
  const { data, fault, loading, reload } = useLive({ query: offerQuery, variables: { token } });
  useEffect(() => {
    document.title = `${t("invitation.title")} · GoblinLab`;
  }, [t]);
  if (loading) {
    return (
      <EntryCard title={t("invitation.title")}>
        <Loader size="sm" color="gray" />
      </EntryCard>
    );
  }
  if (!data) {
    return (
      <EntryCard title={t("invitation.title")}>
        {fault ? <Failed fault={fault} retry={reload} /> : null}
      </EntryCard>
    );
  }
  const offer = data.invitation;
  if (!offer) {
    return (
      <EntryCard title={t("invitation.title")}>
        <Notice tone="failed" title={t("invitation.void")} live />
        <Button variant="default" component="a" href="/">
          {t("invitation.home")}
        </Button>
      </EntryCard>
    );
  }
  return (
    <EntryCard title={t("invitation.join", { team: offer.teamName })}>
      <p>
        {t("invitation.from", {
          inviter: offer.inviterName,
          email: offer.email,
          role: t(`team.role.${offer.role}`),
        })}
      </p>
      {offer.message ? <Notice tone="waiting" title={offer.message} /> : null}
      <p className="soft">
        {t("invitation.lapses")} <RelativeTime at={offer.expiresAt} />
      </p>
      <Answer offer={offer} token={token} mine={data.viewer?.user.email ?? null} />
    </EntryCard>
  );
}

function Answer({ offer, token, mine }: { offer: Offer; token: string; mine: string | null }) {
  const { t } = useTranslation();
  if (mine !== null && offer.forViewer) return <Join token={token} />;
  if (mine !== null) {
    return (
      <Notice
        tone="attention"
        title={t("invitation.other", { email: offer.email, mine, inviter: offer.inviterName })}
      />
    );
  }
  if (offer.known) {
    const next = `/invitation?${new URLSearchParams({ token }).toString()}`;
    return (
      <>
        <Divider label={t("invitation.signInFirst")} />
        <PasswordSignIn next={next} email={offer.email} />
        <Button variant="default" component="a" href={`/sign-in?${new URLSearchParams({ next }).toString()}`}>
          {t("invitation.otherWay")}
        </Button>
      </>
    );
  }
  if (offer.closed) return <Notice tone="attention" title={t("invitation.closed", { email: offer.email })} />;
  return <Newcomer token={token} email={offer.email} />;
}

function Join({ token }: { token: string }) {
  const { t } = useTranslation();
  const [accept, accepting] = useAction(acceptMutation);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    const { data, fault } = await accept({ input: { token } });
    if (fault) setProblem(faultText(fault, t));
    else location.replace(`/?team=${data.acceptInvitation.teamId}`);
  };
  return (
    <>
      {problem ? <Notice tone="failed" title={problem} live /> : null}
      <Button loading={accepting} onClick={() => void submit()}>
        {t("invitation.accept")}
      </Button>
    </>
  );
}

interface NewcomerValues extends Record<string, unknown> {
  displayName: string;
  password: string;
}

function Newcomer({ token, email }: { token: string; email: string }) {
  const { t } = useTranslation();
  const [accept, accepting] = useAction(acceptMutation);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<NewcomerValues>({
    initialValues: { displayName: "", password: "" },
    validate: {
      displayName: (value) => (value.trim() === "" ? t("form.required") : null),
      password: (value) => (value === "" ? t("form.required") : null),
    },
  });
  const submit = async (values: NewcomerValues): Promise<void> => {
    setProblem(null);
    const { data, fault } = await accept({
      input: { token, displayName: values.displayName.trim(), password: values.password },
    });
    if (fault) {
      const { errors, rest } = formFaults(fault, ["displayName", "password"]);
      form.setErrors(errors);
      setProblem(rest.join(" ") || (fault.fields.length === 0 ? faultText(fault, t) : null));
      focusFirstError();
      return;
    }
    location.replace(`/?team=${data.acceptInvitation.teamId}`);
  };
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)} noValidate>
      <Stack gap="md">
        <TextInput type="email" label={t("signIn.email")} value={email} autoComplete="username" readOnly />
        <TextInput
          label={t("invitation.name")}
          autoComplete="name"
          maxLength={63}
          {...form.getInputProps("displayName")}
        />
        <PasswordInput
          label={t("account.password.new")}
          description={t("account.password.rules")}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ "aria-label": t("signIn.show") }}
          {...form.getInputProps("password")}
        />
        {problem ? <Notice tone="failed" title={problem} live /> : null}
        <Button type="submit" loading={accepting}>
          {t("invitation.acceptNew")}
        </Button>
      </Stack>
    </form>
  );
}

import { Divider, Loader } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Notice } from "~/components/notice";
import { Snippet } from "~/components/copy";
import { safeNext } from "~/lib/next";
import { enter, type Outcome } from "~/modules/session/enter";
import { EntryCard } from "~/modules/session/entry-card";
import { PasswordSignIn } from "~/modules/session/password-sign-in";
import { ProviderSignIn } from "~/modules/session/provider-sign-in";

export function SignInPage() {
  const { t } = useTranslation();
  const [search] = useSearchParams();
  const token = search.get("token");
  const next = safeNext(search.get("next"));
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const asked = useRef(false);

  useEffect(() => {
    document.title = `${t("signIn.title")} · GoblinLab`;
  }, [t]);

  useEffect(() => {
    // A link signs in once: never ask twice, whatever React does with effects.
    if (!token || asked.current) return;
    asked.current = true;
    void enter({ token }).then((result) => {
      // A fresh document: nothing that was asked before the sign-in stays in the cache.
      if (result.ok) location.replace(next);
      else setOutcome(result);
    });
  }, [token, next]);

  if (token && !outcome) {
    return (
      <EntryCard title={t("signIn.entering")}>
        <Loader size="sm" color="gray" />
      </EntryCard>
    );
  }
  return (
    <EntryCard title={t("signIn.title")}>
      <ProviderSignIn next={next} problem={search.get("problem")} />
      {outcome ? <Notice tone="failed" title={outcome.message || t("signIn.unreachable")} live /> : null}
      <PasswordSignIn next={next} />
      <Divider label={t("signIn.orLink")} />
      <p className="soft">{t("signIn.withLink")}</p>
      <Snippet text="goblinlab sign-in-link" what={t("signIn.command")} />
      <p className="soft">{t("signIn.firstStart")}</p>
    </EntryCard>
  );
}

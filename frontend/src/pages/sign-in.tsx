import { Button, Loader } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Notice } from "~/components/notice";
import { Snippet } from "~/components/copy";
import { currentLanguage } from "~/lib/language";
import { EntryCard } from "~/modules/session/entry-card";
import { ProviderSignIn } from "~/modules/session/provider-sign-in";

/** A path of this page, never an address of another origin. */
function safeNext(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/";
}

interface Outcome {
  ok: boolean;
  /** What the server said; empty when it could not be reached. */
  message: string;
}

async function enter(token: string): Promise<Outcome> {
  try {
    const response = await fetch("/auth/link", {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", "Accept-Language": currentLanguage() },
      body: JSON.stringify({ token }),
    });
    if (response.ok) return { ok: true, message: "" };
    return { ok: false, message: await readMessage(response) };
  } catch {
    return { ok: false, message: "" };
  }
}

async function readMessage(response: Response): Promise<string> {
  const body = await response.text();
  try {
    const parsed: unknown = JSON.parse(body);
    if (
      typeof parsed === "object" &&
      parsed !== null &&
      "message" in parsed &&
      typeof parsed.message === "string"
    ) {
      return parsed.message;
    }
  } catch {
    // Not JSON: the text itself, if it is a sentence and no document.
  }
  return body.startsWith("<") ? "" : body.trim().slice(0, 300);
}

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
    void enter(token).then((result) => {
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
      {outcome ? (
        <Notice tone="failed" title={outcome.message || t("signIn.unreachable")} live />
      ) : (
        <p className="soft">{t("signIn.withLink")}</p>
      )}
      <p className="soft">{t("signIn.newLink")}</p>
      <Snippet text="goblinlab sign-in-link" what={t("signIn.command")} />
      <p className="soft">{t("signIn.firstStart")}</p>
      <Button variant="default" onClick={() => location.assign(next)}>
        {t("signIn.already")}
      </Button>
    </EntryCard>
  );
}

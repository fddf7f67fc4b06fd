import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import classes from "./provider-sign-in.module.css";

interface Ways {
  provider: { name: string; ready: boolean } | null;
  problem: string;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Reads the server's answer; what has another shape counts as nothing. */
function readWays(body: unknown): Ways {
  const out: Ways = { provider: null, problem: "" };
  if (!isRecord(body)) return out;
  const { provider, problem } = body;
  if (isRecord(provider) && typeof provider.name === "string") {
    out.provider = { name: provider.name, ready: provider.ready === true };
  }
  if (typeof problem === "string") out.problem = problem;
  return out;
}

async function askWays(problem: string, language: string): Promise<Ways> {
  try {
    const query = problem === "" ? "" : `?${new URLSearchParams({ problem }).toString()}`;
    const response = await fetch(`/auth/ways${query}`, { headers: { "Accept-Language": language } });
    return readWays(await response.json());
  } catch {
    return { provider: null, problem: "" }; // The other ways stay.
  }
}

interface ProviderSignInProps {
  /** Where to go afterwards: a path of this page. */
  next: string;
  /** What went wrong on the way back, as the server names it. */
  problem: string | null;
}

/** The way in through the OpenID provider, where there is one, and why it failed just now. */
export function ProviderSignIn({ next, problem }: ProviderSignInProps) {
  const { t, i18n } = useTranslation();
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<{ round: number; ways: Ways } | null>(null);
  useEffect(() => {
    let wanted = true;
    void askWays(problem ?? "", i18n.language).then((ways) => {
      if (wanted) setAnswer({ round, ways });
    });
    return () => {
      wanted = false;
    };
  }, [problem, i18n.language, round]);
  if (!answer) return null;
  const { ways } = answer;
  const { provider } = ways;
  return (
    <>
      {ways.problem ? <Notice tone="failed" title={ways.problem} live /> : null}
      {provider ? (
        <>
          {provider.ready ? (
            <Button component="a" href={`/auth/oidc/start?${new URLSearchParams({ next }).toString()}`}>
              {t("provider.signIn", { name: provider.name })}
            </Button>
          ) : (
            <Notice
              tone="attention"
              title={t("provider.down", { name: provider.name })}
              action={
                <Button
                  variant="default"
                  size="xs"
                  loading={answer.round !== round}
                  onClick={() => setRound(round + 1)}
                >
                  {t("action.retry")}
                </Button>
              }
            />
          )}
          <div className={classes.or}>{t("provider.or")}</div>
        </>
      ) : null}
    </>
  );
}

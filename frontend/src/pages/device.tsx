import { Button, TextInput } from "@mantine/core";
import { useEffect, useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, useSearchParams } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { graphql } from "~/gql";
import { signedOut } from "~/lib/client";
import { useLive } from "~/lib/live";
import { useStore } from "~/lib/store";
import { DeviceAsk } from "~/modules/session/device-ask";
import { isWhole, tidyCode } from "~/modules/session/device-code";
import classes from "~/modules/session/device.module.css";
import { EntryCard } from "~/modules/session/entry-card";

const viewerQuery = graphql(`
  query DeviceViewer {
    viewer {
      user {
        id
        displayName
        email
      }
    }
  }
`);

/** Lets a program act as the viewer, after a look at what it is. */
export function DevicePage() {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const out = useStore(signedOut);
  const code = tidyCode(search.get("code") ?? "");
  const { data, fault, loading, reload } = useLive({ query: viewerQuery, variables: {} });

  useEffect(() => {
    document.title = `${t("device.title")} · GoblinLab`;
  }, [t]);

  if (out || data?.viewer === null || fault?.code === "UNAUTHENTICATED") {
    const next = code === "" ? "/device" : `/device?code=${code}`;
    return <Navigate to={`/sign-in?next=${encodeURIComponent(next)}`} replace />;
  }
  return (
    <EntryCard title={t("device.title")}>
      {loading ? <SkeletonBlock height={240} /> : null}
      {fault && !data ? <Failed fault={fault} retry={reload} /> : null}
      {data?.viewer ? (
        <>
          {isWhole(code) ? (
            <DeviceAsk key={code} code={code} onOther={() => setSearch({})} />
          ) : (
            <TypeCode onCode={(typed) => setSearch({ code: typed })} />
          )}
          <p className="soft">
            {t("device.as", { name: data.viewer.user.displayName, email: data.viewer.user.email })}
          </p>
        </>
      ) : null}
    </EntryCard>
  );
}

function TypeCode({ onCode }: { onCode: (code: string) => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [short, setShort] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setShort(!isWhole(typed));
    if (isWhole(typed)) onCode(typed);
  };
  return (
    <form onSubmit={submit} noValidate>
      <p className="soft">{t("device.intro")}</p>
      <TextInput
        mt="md"
        mb="md"
        className={classes.typed}
        label={t("device.code")}
        placeholder="BCDF-GHJK"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        data-autofocus
        value={typed}
        error={short ? t("device.short") : null}
        onChange={(event) => {
          setTyped(tidyCode(event.currentTarget.value));
          setShort(false);
        }}
      />
      <Button type="submit" fullWidth>
        {t("device.next")}
      </Button>
    </form>
  );
}

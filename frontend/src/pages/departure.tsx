import { Button, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { FormShell } from "~/components/form-shell";
import { Notice } from "~/components/notice";
import { Page } from "~/components/page";
import { graphql, readFragment } from "~/gql";
import type { DeparturePreviewQuery } from "~/gql/graphql";
import { faultText, type Fault } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { Estates, estateFragment, keepAll, unanswered, type HandOver } from "~/modules/people/estates";

const previewQuery = graphql(`
  query DeparturePreview($userId: ID!) {
    departurePreview(userId: $userId) {
      user {
        id
        displayName
        email
      }
      sessions
      accessTokens
      lastAdministrator
      began
      estates {
        teamId
        ...Estate
      }
    }
  }
`);

const departMutation = graphql(`
  mutation DepartUser($input: DepartUserInput!) {
    departUser(input: $input) {
      person {
        ...PersonLine
      }
    }
  }
`);

const deleteMutation = graphql(`
  mutation DeleteUser($input: DepartUserInput!) {
    deleteUser(input: $input) {
      person {
        ...PersonLine
      }
    }
  }
`);

/** A person leaves the platform: what they own, who gets it, what ends. */
export function DeparturePage() {
  const { t } = useTranslation();
  const { id = "" } = useParams();
  const [search] = useSearchParams();
  const erase = search.get("erase") === "1";
  const { data, fault, loading, reload } = useLive({ query: previewQuery, variables: { userId: id } });
  const title = erase ? t("departure.delete") : t("departure.title");
  const parent = { to: "/people", label: t("people.title") };
  if (loading || !data) {
    return (
      <Page title={title} parent={parent} narrow>
        {loading ? <SkeletonBlock height={420} /> : null}
        {fault ? <Failed fault={fault} retry={reload} /> : null}
      </Page>
    );
  }
  const preview = data.departurePreview;
  return (
    <Page
      title={t(erase ? "departure.deleteWho" : "departure.who", { name: preview.user.displayName })}
      subtitle={preview.user.email}
      parent={parent}
      narrow
    >
      <Departure preview={preview} erase={erase} />
    </Page>
  );
}

interface DepartureProps {
  preview: DeparturePreviewQuery["departurePreview"];
  /** Their address and name go, too. */
  erase: boolean;
}

function Departure({ preview, erase }: DepartureProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [value, setValue] = useState<HandOver>(keepAll);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<Fault | null>(null);
  const [depart, departing] = useAction(departMutation);
  const [remove, removing] = useAction(deleteMutation);
  const estates = readFragment(estateFragment, preview.estates);
  const open = unanswered(estates, value);
  const { user } = preview;
  const submit = async (event?: FormEvent): Promise<void> => {
    event?.preventDefault();
    const input = {
      userId: user.id,
      handOver: Object.entries(value.heirs)
        .filter(([, toUserId]) => toUserId !== "")
        .map(([teamId, toUserId]) => ({ teamId, toUserId })),
      instances: value.instances,
      runs: value.runs,
    };
    const result = erase ? await remove({ input }) : await depart({ input });
    if (result.fault) {
      setProblem(result.fault);
      return;
    }
    notifyDone(t(erase ? "departure.deleted" : "departure.done", { name: user.displayName }));
    await navigate("/people");
  };
  if (preview.lastAdministrator) return <Notice tone="attention" title={t("departure.last")} />;
  return (
    <FormShell
      onSubmit={(event) => void submit(event)}
      summary={t("departure.summary", {
        sessions: t("people.sessions", { count: preview.sessions }),
        tokens: t("people.tokens", { count: preview.accessTokens }),
      })}
      submit={erase ? t("departure.delete") : t("departure.submit")}
      busy={departing || removing}
      disabled={open.length > 0 || (erase && typed.trim() !== user.displayName)}
      cancel={
        <Button variant="default" component={Link} to="/people">
          {t("action.cancel")}
        </Button>
      }
      error={
        problem
          ? [faultText(problem, t), ...problem.fields.map((field) => field.message)]
              .filter((text, i, all) => text !== "" && all.indexOf(text) === i)
              .join(" ")
          : null
      }
    >
      {preview.began ? <Notice tone="working" title={t("departure.began")} /> : null}
      <Notice tone="waiting" title={t("departure.volumes")} />
      {preview.estates.length === 0 ? (
        <p className="soft">{t("departure.nothing")}</p>
      ) : (
        <Estates estates={preview.estates} value={value} onChange={setValue} />
      )}
      {erase ? (
        <>
          <Notice tone="attention" title={t("departure.eraseText")} />
          <TextInput
            label={t("departure.type", { name: user.displayName })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        </>
      ) : null}
    </FormShell>
  );
}

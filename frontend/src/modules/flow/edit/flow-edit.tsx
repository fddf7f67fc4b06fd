import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useClient } from "urql";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Notice } from "~/components/notice";
import { Page } from "~/components/page";
import { graphql } from "~/gql";
import type { FlowEditFormQuery } from "~/gql/graphql";
import { clearDraft } from "~/lib/draft";
import { faultText, type Fault } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { readEditorDraft } from "~/modules/flow/edit/draft";
import { Editor } from "~/modules/flow/edit/editor";
import { asSpec } from "~/modules/flow/spec";

const editQuery = graphql(`
  query FlowEditForm($id: ID!) {
    flow(id: $id) {
      id
      name
      latest
      team {
        id
      }
      version {
        id
        number
        spec
      }
    }
  }
`);

const saveMutation = graphql(`
  mutation SaveFlow($input: SaveFlowInput!) {
    saveFlow(input: $input) {
      flow {
        ...FlowRow
        ...FlowHead
      }
    }
  }
`);

const latestQuery = graphql(`
  query FlowLatest($id: ID!) {
    flow(id: $id) {
      id
      latest
    }
  }
`);

type EditedFlow = NonNullable<FlowEditFormQuery["flow"]>;

/** The editor of a flow that exists, once it is known. */
export function FlowEdit({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data, fault, loading, reload } = useLive({ query: editQuery, variables: { id } });
  const parent = { to: `/flows/${id}`, label: data?.flow?.name ?? t("flow.one") };
  // What is being edited stays what it was begun from; a newer version is told when saving is refused.
  const [flow, setFlow] = useState<EditedFlow | null>(null);
  if (data?.flow && !flow) setFlow(data.flow);
  if (flow) return <EditForm key={flow.latest} flow={flow} restart={setFlow} />;
  return (
    <Page title={t("flow.edit")} parent={parent}>
      {loading || data?.flow ? (
        <SkeletonBlock height={640} />
      ) : (
        <Failed
          fault={fault ?? { code: "NOT_FOUND", message: t("flow.gone"), fields: [], requestId: "" }}
          retry={reload}
        />
      )}
    </Page>
  );
}

function EditForm({ flow, restart }: { flow: EditedFlow; restart: (flow: EditedFlow) => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const client = useClient();
  const [save] = useAction(saveMutation);
  const [base, setBase] = useState(flow.latest);
  const [stale, setStale] = useState<Fault | null>(null);
  // A draft belongs to the version that it was begun from.
  const draftKey = `flow:${flow.id}:${flow.latest}`;
  const [initial] = useState(() =>
    readEditorDraft(draftKey, {
      name: flow.name,
      comment: "",
      spec: asSpec(flow.version?.spec),
      yaml: "",
      source: "form",
      places: {},
    }),
  );
  const over = async (): Promise<void> => {
    const result = await client.query(latestQuery, { id: flow.id }, { requestPolicy: "network-only" });
    if (!result.data?.flow) return;
    setBase(result.data.flow.latest);
    setStale(null);
  };
  const newer = async (): Promise<void> => {
    const result = await client.query(editQuery, { id: flow.id }, { requestPolicy: "network-only" });
    if (!result.data?.flow) return;
    clearDraft(draftKey);
    restart(result.data.flow);
  };
  return (
    <Page
      title={t("flow.editor.title", { name: flow.name })}
      parent={{ to: `/flows/${flow.id}`, label: flow.name }}
    >
      <Editor
        teamId={flow.team.id}
        draftKey={draftKey}
        initial={initial}
        withName={false}
        notice={
          stale ? (
            <Notice
              tone="attention"
              title={faultText(stale, t)}
              live
              action={
                <Group gap="xs">
                  <Button
                    size="xs"
                    variant="default"
                    component={Link}
                    to={`/flows/${flow.id}?tab=versions`}
                    target="_blank"
                  >
                    {t("flow.editor.look")}
                  </Button>
                  <Button size="xs" variant="default" onClick={() => void newer()}>
                    {t("flow.editor.newer")}
                  </Button>
                  <Button size="xs" variant="default" onClick={() => void over()}>
                    {t("flow.editor.over")}
                  </Button>
                </Group>
              }
            >
              {t("flow.editor.staleHint")}
            </Notice>
          ) : null
        }
        onSave={async ({ comment, spec }) => {
          const { fault } = await save({
            input: { id: flow.id, base, comment, spec: spec as unknown as Record<string, unknown> },
          });
          if (fault) {
            setStale(fault.code === "CONFLICT" ? fault : null);
            return fault;
          }
          notifyDone(t("flow.editor.saved", { name: flow.name }));
          void navigate(`/flows/${flow.id}`);
          return undefined;
        }}
        cancel={
          <Button variant="default" component={Link} to={`/flows/${flow.id}`}>
            {t("action.cancel")}
          </Button>
        }
      />
    </Page>
  );
}

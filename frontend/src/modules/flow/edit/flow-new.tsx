import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { Failed, SkeletonBlock } from "~/components/blank";
import { Page } from "~/components/page";
import { graphql, readFragment } from "~/gql";
import type { FlowDraftQuery } from "~/gql/graphql";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { CarryNotes } from "~/modules/carry/carry-notes";
import { readEditorDraft } from "~/modules/flow/edit/draft";
import { Editor } from "~/modules/flow/edit/editor";
import { flowRowFragment } from "~/modules/flow/flow-row-fragment";
import { asSpec } from "~/modules/flow/spec";
import { ownZone } from "~/modules/flow/zoned";
import { useSession } from "~/modules/session/session";

const createMutation = graphql(`
  mutation CreateFlow($input: CreateFlowInput!) {
    createFlow(input: $input) {
      flow {
        ...FlowRow
      }
    }
  }
`);

const draftQuery = graphql(`
  query FlowDraft($instanceId: ID, $runId: ID) {
    flowDraft(instanceId: $instanceId, runId: $runId) {
      teamId
      name
      spec
      notes {
        ...CarryNote
      }
    }
  }
`);

type Draft = FlowDraftQuery["flowDraft"];

export function FlowNew() {
  const { team } = useSession();
  // An instance or a run links here to be made a flow of.
  const [search] = useSearchParams();
  const from = search.get("from");
  return from ? <FlowFrom key={from} from={from} /> : <NewFlow key={team.id} teamId={team.id} />;
}

function FlowFrom({ from }: { from: string }) {
  const { t } = useTranslation();
  const { data, fault, reload } = useLive({
    query: draftQuery,
    variables: from.startsWith("run-") ? { runId: from } : { instanceId: from },
  });
  if (data) return <NewFlow teamId={data.flowDraft.teamId} from={from} draft={data.flowDraft} />;
  return (
    <Page title={t("flow.create")} parent={{ to: "/flows", label: t("frame.flows") }}>
      {fault ? <Failed fault={fault} retry={reload} /> : <SkeletonBlock height={640} />}
    </Page>
  );
}

function NewFlow({ teamId, from, draft }: { teamId: string; from?: string; draft?: Draft }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useAction(createMutation);
  const [begun] = useState(draft);
  const draftKey = `flow:new:${from ?? teamId}`;
  const initial = useMemo(
    () =>
      readEditorDraft(draftKey, {
        name: begun?.name ?? "",
        comment: "",
        spec: {
          ...asSpec(begun?.spec ?? { tags: [], parameters: [], tasks: [] }),
          schedule: { timezone: ownZone() },
        },
        yaml: "",
        source: "form",
        places: {},
      }),
    [draftKey, begun],
  );
  return (
    <Page title={t("flow.create")} parent={{ to: "/flows", label: t("frame.flows") }}>
      {begun ? <CarryNotes notes={begun.notes} /> : null}
      <Editor
        key={draftKey}
        teamId={teamId}
        {...(begun && initial.spec.tasks[0] ? { task: initial.spec.tasks[0].name } : {})}
        draftKey={draftKey}
        initial={initial}
        withName
        onSave={async ({ name, comment, spec }) => {
          const result = await create({
            input: {
              teamId,
              name,
              comment,
              spec: spec as unknown as Record<string, unknown>,
              paused: true,
            },
          });
          if (result.fault) return result.fault;
          notifyDone(t("flow.editor.created", { name }));
          void navigate(`/flows/${readFragment(flowRowFragment, result.data.createFlow.flow).id}`);
          return undefined;
        }}
        cancel={
          <Button variant="default" component={Link} to="/flows">
            {t("action.cancel")}
          </Button>
        }
      />
    </Page>
  );
}

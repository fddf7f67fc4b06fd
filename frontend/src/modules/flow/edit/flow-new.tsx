import { Button } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { Page } from "~/components/page";
import { graphql, readFragment } from "~/gql";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { readEditorDraft } from "~/modules/flow/edit/draft";
import { Editor } from "~/modules/flow/edit/editor";
import { flowRowFragment } from "~/modules/flow/flow-row-fragment";
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

export function FlowNew() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { team } = useSession();
  const [create] = useAction(createMutation);
  const draftKey = `flow:new:${team.id}`;
  const initial = useMemo(
    () =>
      readEditorDraft(draftKey, {
        name: "",
        comment: "",
        spec: {
          tags: [],
          parameters: [],
          schedule: { timezone: ownZone() },
          tasks: [],
        },
        yaml: "",
        source: "form",
        places: {},
      }),
    [draftKey],
  );
  return (
    <Page title={t("flow.create")} parent={{ to: "/flows", label: t("frame.flows") }}>
      <Editor
        key={draftKey}
        teamId={team.id}
        draftKey={draftKey}
        initial={initial}
        withName
        onSave={async ({ name, comment, spec }) => {
          const result = await create({
            input: {
              teamId: team.id,
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

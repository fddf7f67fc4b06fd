import { FileButton, Button, Textarea, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { graphql, readFragment } from "~/gql";
import { useAction, useLive } from "~/lib/live";
import { fireFragment } from "~/modules/flow/fire-times";
import { flowRowFragment } from "~/modules/flow/flow-row-fragment";
import { ProblemList } from "~/modules/flow/problem-list";
import { useSession } from "~/modules/session/session";
import { AskDialog } from "~/modules/volume/ask-dialog";

const checkQuery = graphql(`
  query CheckImport($input: CheckFlowInput!) {
    checkFlow(input: $input) {
      problems {
        ...FlowProblemItem
      }
      fires {
        ...FireTime
      }
    }
  }
`);

const createMutation = graphql(`
  mutation ImportFlow($input: CreateFlowInput!) {
    createFlow(input: $input) {
      flow {
        ...FlowRow
      }
    }
  }
`);

/** Makes a flow out of a document; what is wrong with it is told while it is pasted. */
export function ImportFlow({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { team } = useSession();
  const [yaml, setYaml] = useState("");
  const [name, setName] = useState("");
  const [looked] = useDebouncedValue(yaml, 400);
  const empty = looked.trim() === "";
  const { data } = useLive({
    query: checkQuery,
    variables: { input: { teamId: team.id, yaml: looked } },
    pause: empty,
  });
  const [create] = useAction(createMutation);
  const check = empty || looked !== yaml ? undefined : data?.checkFlow;
  const fires = readFragment(fireFragment, check?.fires ?? []);
  return (
    <AskDialog
      title={t("flow.importDialog.title")}
      submit={t("flow.importDialog.confirm")}
      disabled={yaml.trim() === "" || (check?.problems.length ?? 0) > 0}
      onClose={onClose}
      ask={async () => {
        const result = await create({
          input: { teamId: team.id, yaml, ...(name.trim() === "" ? {} : { name: name.trim() }) },
        });
        if (result.fault) return result.fault;
        void navigate(`/flows/${readFragment(flowRowFragment, result.data.createFlow.flow).id}`);
        return undefined;
      }}
    >
      <p className="soft">{t("flow.importDialog.text")}</p>
      <FileButton
        accept=".yaml,.yml,.json,text/plain"
        onChange={(file) => void file?.text().then((text) => setYaml(text))}
      >
        {(props) => (
          <Button {...props} variant="default" size="xs" style={{ alignSelf: "flex-start" }}>
            {t("flow.importDialog.file")}
          </Button>
        )}
      </FileButton>
      <Textarea
        label={t("flow.importDialog.document")}
        value={yaml}
        onChange={(event) => setYaml(event.currentTarget.value)}
        autosize
        minRows={10}
        maxRows={20}
        classNames={{ input: "mono" }}
        spellCheck={false}
      />
      {check ? (
        check.problems.length > 0 ? (
          <ProblemList problems={check.problems} />
        ) : (
          <p className="soft">
            {fires[0]
              ? t("flow.importDialog.fine", { time: fires[0].local })
              : t("flow.importDialog.fineManual")}
          </p>
        )
      ) : null}
      <TextInput
        label={t("flow.importDialog.name")}
        placeholder={t("flow.importDialog.nameHint")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
      />
    </AskDialog>
  );
}

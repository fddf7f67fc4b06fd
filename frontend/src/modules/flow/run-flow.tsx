import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { Fold } from "~/components/form-shell";
import { graphql, readFragment } from "~/gql";
import { useAction } from "~/lib/live";
import {
  givenParameters,
  missingParameters,
  ParameterFields,
  parameterFaults,
} from "~/modules/flow/parameters";
import type { FlowSpec } from "~/modules/flow/spec";
import { instantOf } from "~/modules/flow/zoned";
import { flowRunRowFragment } from "~/modules/flowrun/flow-run-row-fragment";
import { AskDialog } from "~/modules/volume/ask-dialog";

const runMutation = graphql(`
  mutation RunFlow($input: RunFlowInput!) {
    runFlow(input: $input) {
      flowRun {
        ...FlowRunRow
      }
    }
  }
`);

interface RunFlowProps {
  flow: { id: string; name: string; paused: boolean };
  spec: FlowSpec;
  zone: string;
  onClose: () => void;
}

/** Runs a flow by hand, as the viewer, for a logical time. */
export function RunFlow({ flow, spec, zone, onClose }: RunFlowProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const parameters = spec.parameters ?? [];
  const [values, setValues] = useState<Record<string, string>>({});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [logical, setLogical] = useState("");
  const [run] = useAction(runMutation);
  const instant = logical === "" ? null : instantOf(logical, zone);
  return (
    <AskDialog
      title={t("flow.run.title", { name: flow.name })}
      submit={t("flow.run.confirm")}
      disabled={missingParameters(parameters, values).length > 0 || (logical !== "" && instant === null)}
      onClose={onClose}
      ask={async () => {
        const result = await run({
          input: {
            flowId: flow.id,
            parameters: givenParameters(parameters, values),
            ...(instant === null ? {} : { logicalTime: instant }),
          },
        });
        if (result.fault) {
          setErrors(parameterFaults(result.fault.fields));
          return result.fault;
        }
        void navigate(`/flow-runs/${readFragment(flowRunRowFragment, result.data.runFlow.flowRun).id}`);
        return undefined;
      }}
    >
      <p className="soft">{t("flow.run.text")}</p>
      <ParameterFields parameters={parameters} values={values} onChange={setValues} errors={errors} />
      <Fold title={t("flow.run.logical")} hint={logical === "" ? t("flow.run.now") : `${logical} ${zone}`}>
        <TextInput
          type="datetime-local"
          label={t("flow.run.logicalIn", { zone })}
          description={t("flow.run.logicalHint")}
          value={logical}
          onChange={(event) => setLogical(event.currentTarget.value)}
        />
      </Fold>
    </AskDialog>
  );
}

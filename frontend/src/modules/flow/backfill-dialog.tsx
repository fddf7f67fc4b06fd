import { Checkbox, Group, NumberInput, Radio, Stack, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { BackfillInput } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { FireTimes } from "~/modules/flow/fire-times";
import {
  givenParameters,
  missingParameters,
  ParameterFields,
  parameterFaults,
} from "~/modules/flow/parameters";
import type { FlowSpec } from "~/modules/flow/spec";
import { instantOf } from "~/modules/flow/zoned";
import { AskDialog } from "~/modules/volume/ask-dialog";

const previewQuery = graphql(`
  query PreviewBackfill($input: BackfillInput!) {
    previewBackfill(input: $input) {
      count
      existing
      times {
        ...FireTime
      }
    }
  }
`);

const startMutation = graphql(`
  mutation StartBackfill($input: BackfillInput!) {
    startBackfill(input: $input) {
      backfill {
        ...BackfillItem
      }
    }
  }
`);

interface BackfillDialogProps {
  flowId: string;
  spec: FlowSpec;
  zone: string;
  onClose: () => void;
  onDone: () => void;
}

/** Runs a range of logical times afterwards; says first which they are. */
export function BackfillDialog({ flowId, spec, zone, onClose, onDone }: BackfillDialogProps) {
  const { t } = useTranslation();
  const parameters = spec.parameters ?? [];
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [parallel, setParallel] = useState<number | string>(1);
  const [order, setOrder] = useState<"oldest" | "newest">("oldest");
  const [onlyMissing, setOnlyMissing] = useState(false);
  const [values, setValues] = useState<Record<string, string>>({});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [start] = useAction(startMutation);

  const range = useMemo(() => {
    const first = instantOf(from, zone);
    const end = instantOf(to, zone);
    return first && end && first < end ? { from: first, to: end } : null;
  }, [from, to, zone]);
  const input: BackfillInput | null = range && {
    flowId,
    ...range,
    parallel: Math.round(Number(parallel)) || 1,
    newestFirst: order === "newest",
    onlyMissing,
    parameters: givenParameters(parameters, values),
  };
  // The dry run depends on these alone; typing a parameter asks nothing.
  const [asked] = useDebouncedValue(range ? JSON.stringify({ flowId, ...range, onlyMissing }) : "", 300);
  const { data, fault } = useLive({
    query: previewQuery,
    variables: {
      input: {
        newestFirst: false,
        parallel: 1,
        ...(JSON.parse(asked || "{}") as Pick<BackfillInput, "flowId" | "from" | "to" | "onlyMissing">),
      },
    },
    pause: asked === "",
  });
  const preview = range && asked !== "" ? data?.previewBackfill : undefined;

  return (
    <AskDialog
      title={t("flow.backfill.title")}
      submit={
        preview ? t("flow.backfill.confirm", { count: preview.count }) : t("flow.backfill.confirmUnknown")
      }
      disabled={!input || !preview || preview.count === 0 || missingParameters(parameters, values).length > 0}
      onClose={onClose}
      ask={async () => {
        if (!input) return undefined;
        const result = await start({ input });
        if (result.fault) {
          setErrors(parameterFaults(result.fault.fields));
          return result.fault;
        }
        notifyDone(t("flow.backfill.started"));
        onDone();
        return undefined;
      }}
    >
      <p className="soft">{t("flow.backfill.text", { zone })}</p>
      <Group grow align="flex-start" gap="sm">
        <TextInput
          type="datetime-local"
          label={t("flow.backfill.from")}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          type="datetime-local"
          label={t("flow.backfill.to")}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          error={from !== "" && to !== "" && !range ? t("flow.backfill.order") : undefined}
        />
      </Group>
      <Checkbox
        label={t("flow.backfill.onlyMissing")}
        checked={onlyMissing}
        onChange={(event) => setOnlyMissing(event.currentTarget.checked)}
      />
      {preview ? (
        preview.count === 0 ? (
          <Notice tone="attention" title={t("flow.backfill.nothing")} />
        ) : (
          <>
            <FireTimes
              label={t("flow.backfill.would", { count: preview.count })}
              fires={preview.times}
              total={preview.count}
            />
            {preview.existing > 0 ? (
              <Notice tone="attention" title={t("flow.backfill.existing", { count: preview.existing })} />
            ) : null}
          </>
        )
      ) : fault && asked !== "" ? (
        <Notice tone="failed" title={fault.fields[0]?.message ?? faultText(fault, t)} live />
      ) : null}
      <NumberInput
        label={t("flow.backfill.parallel")}
        min={1}
        max={50}
        allowDecimal={false}
        value={parallel}
        onChange={setParallel}
      />
      <Radio.Group
        label={t("flow.backfill.first")}
        value={order}
        onChange={(value) => setOrder(value === "newest" ? "newest" : "oldest")}
      >
        <Stack gap={8} mt={6}>
          <Radio value="oldest" label={t("flow.backfill.oldest")} />
          <Radio value="newest" label={t("flow.backfill.newest")} />
        </Stack>
      </Radio.Group>
      <ParameterFields parameters={parameters} values={values} onChange={setValues} errors={errors} />
    </AskDialog>
  );
}

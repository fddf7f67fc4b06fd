import { Button, Group, Radio, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import type { AccessMode, StorageClassesQuery } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { focusFirstError, formFaults } from "~/lib/form-faults";
import { useAction, useLive } from "~/lib/live";
import { parseSize, sizeQuantity } from "~/modules/resources/quantity";

const createMutation = graphql(`
  mutation CreateVolume($input: CreateVolumeInput!) {
    createVolume(input: $input) {
      volume {
        ...VolumeRow
      }
    }
  }
`);

const classesQuery = graphql(`
  query StorageClasses {
    storageClasses {
      name
      default
      expandable
      waitsForConsumer
      onDelete
    }
  }
`);

type Class = StorageClassesQuery["storageClasses"][number];

/** What a storage class means for a volume, in a sentence each. */
function classText(each: Class, t: TFunction): string {
  return [
    t(each.expandable ? "volume.class.grows" : "volume.class.fixed"),
    each.waitsForConsumer ? t("volume.class.waits") : "",
    each.onDelete === "KEPT" ? t("volume.class.kept") : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

interface VolumeValues extends Record<string, unknown> {
  name: string;
  size: string;
  accessMode: AccessMode;
  storageClass: string;
  description: string;
}

const paths = ["name", "size", "accessMode", "storageClass", "description"] as const;

interface CreateVolumeProps {
  teamId: string;
  onClose: () => void;
  onCreated: () => void;
}

export function CreateVolume({ teamId, onClose, onCreated }: CreateVolumeProps) {
  const { t } = useTranslation();
  const [create, creating] = useAction(createMutation);
  const [error, setError] = useState<string | null>(null);
  const form = useForm<VolumeValues>({
    initialValues: {
      name: "",
      size: "10 GiB",
      accessMode: "READ_WRITE_MANY",
      storageClass: "",
      description: "",
    },
    validate: {
      name: (value) => (value.trim() === "" ? t("form.required") : null),
      size: (value) => (parseSize(value) === null ? t("volume.sizeWrong") : null),
    },
  });
  const { data } = useLive({ query: classesQuery, variables: {} });
  const classes = data?.storageClasses ?? [];
  const chosen = classes.find((each) =>
    form.values.storageClass === "" ? each.default : each.name === form.values.storageClass,
  );
  const submit = async (values: VolumeValues): Promise<void> => {
    const bytes = parseSize(values.size);
    if (bytes === null) return;
    setError(null);
    const { fault } = await create({
      input: {
        teamId,
        name: values.name.trim(),
        size: sizeQuantity(bytes),
        accessMode: values.accessMode,
        storageClass: values.storageClass,
        description: values.description.trim(),
      },
    });
    if (fault) {
      const { errors, rest } = formFaults(fault, paths);
      form.setErrors(errors);
      setError(rest.join(" ") || (fault.fields.length === 0 ? faultText(fault, t) : null));
      focusFirstError();
      return;
    }
    onCreated();
  };
  return (
    <Dialog opened onClose={onClose} title={t("volume.create")}>
      <form onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)} noValidate>
        <Stack gap="md">
          <TextInput
            label={t("volume.name")}
            placeholder="datasets"
            maxLength={63}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <TextInput label={t("volume.size")} placeholder="20 GiB" {...form.getInputProps("size")} />
          <Radio.Group label={t("volume.accessLabel")} {...form.getInputProps("accessMode")}>
            <Stack gap={8} mt={6}>
              <Radio
                value="READ_WRITE_MANY"
                label={t("volume.access.READ_WRITE_MANY")}
                description={t("volume.accessHint.READ_WRITE_MANY")}
              />
              <Radio
                value="READ_WRITE_ONCE"
                label={t("volume.access.READ_WRITE_ONCE")}
                description={t("volume.accessHint.READ_WRITE_ONCE")}
              />
            </Stack>
          </Radio.Group>
          <Select
            label={t("volume.storageClass")}
            placeholder={t("volume.storageClassDefault")}
            data={classes.map((each) => ({
              value: each.name,
              label: each.default ? t("volume.classDefault", { name: each.name }) : each.name,
            }))}
            clearable
            description={chosen ? classText(chosen, t) : null}
            {...form.getInputProps("storageClass")}
            value={form.values.storageClass || null}
            onChange={(name) => form.setFieldValue("storageClass", name ?? "")}
          />
          <TextInput label={t("volume.description")} maxLength={500} {...form.getInputProps("description")} />
          {error ? <Notice tone="failed" title={error} live /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={creating}>
              {t("volume.create")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

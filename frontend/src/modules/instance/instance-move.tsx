import { Button, Checkbox, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "~/components/dialog";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import { faultText, type Fault } from "~/lib/fault";
import { useAction } from "~/lib/live";
import { notifyDone } from "~/lib/notify";

const moveMutation = graphql(`
  mutation MoveInstance($id: ID!, $acceptRisk: Boolean!) {
    moveInstance(id: $id, acceptRisk: $acceptRisk) {
      instance {
        ...InstanceRow
      }
    }
  }
`);

interface MoveInstanceProps {
  id: string;
  name: string;
  opened: boolean;
  onClose: () => void;
}

/** Says what is given up with a lost node. The server names the volumes at risk and refuses until the risk is accepted. */
export function MoveInstance({ id, name, opened, onClose }: MoveInstanceProps) {
  const { t } = useTranslation();
  const [move, moving] = useAction(moveMutation);
  const [acceptRisk, setAcceptRisk] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);

  const close = (): void => {
    setAcceptRisk(false);
    setFault(null);
    onClose();
  };

  const confirm = async (): Promise<void> => {
    const result = await move({ id, acceptRisk });
    if (result.fault) {
      setFault(result.fault);
      return;
    }
    notifyDone(t("instance.move.done", { name }));
    close();
  };

  return (
    <Dialog opened={opened} onClose={close} title={t("instance.move.title", { name })}>
      <Stack gap="md">
        <p>{t("instance.move.text")}</p>
        <Checkbox
          label={t("instance.move.accept")}
          checked={acceptRisk}
          onChange={(event) => setAcceptRisk(event.currentTarget.checked)}
        />
        {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {t("action.cancel")}
          </Button>
          <Button color="red.8" loading={moving} onClick={() => void confirm()}>
            {t("instance.move.confirm")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

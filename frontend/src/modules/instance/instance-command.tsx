import { Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Snippet } from "~/components/copy";
import { Panel } from "~/components/panel";
import { graphql, readFragment, type FragmentType } from "~/gql";

export const instanceCommandFragment = graphql(`
  fragment InstanceCommand on Instance {
    id
    env {
      name
      value
    }
  }
`);

/** The variable with what a run ran, which an instance has that was made to look into it. */
const variable = "TASK_COMMAND";

/** How to run what the run ran; nothing in an instance that was made of none. */
export function InstanceCommand({ instance }: { instance: FragmentType<typeof instanceCommandFragment> }) {
  const { t } = useTranslation();
  const { env } = readFragment(instanceCommandFragment, instance);
  const command = env.find((each) => each.name === variable)?.value;
  if (!command) return null;
  return (
    <Panel title={t("instance.command.title")}>
      <Stack gap="xs">
        <p className="soft">{t("instance.command.hint")}</p>
        <Snippet text={`eval "$${variable}"`} what={t("instance.command.short")} />
        <Snippet text={command} what={t("instance.command.whole")} />
      </Stack>
    </Panel>
  );
}

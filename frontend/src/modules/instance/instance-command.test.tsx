import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { makeFragmentData } from "~/gql";
import { open } from "~/modules/flow/test/harness";
import { InstanceCommand, instanceCommandFragment } from "~/modules/instance/instance-command";

const made = (env: { name: string; value: string }[]) =>
  makeFragmentData({ __typename: "Instance", id: "ins-1", env }, instanceCommandFragment);

test("an instance that looks into a run says how to run it again, to be typed as it stands", async () => {
  const command = "cd /code && GOBLINLAB_RUN_ID=run-1 python train.py";
  open(<InstanceCommand instance={made([{ name: "TASK_COMMAND", value: command }])} />, {});
  await screen.findByText('eval "$TASK_COMMAND"');
  screen.getByText(command);
});

test("another instance says nothing of it", async () => {
  open(
    <>
      <InstanceCommand instance={made([{ name: "A", value: "1" }])} />
      <p>after</p>
    </>,
    {},
  );
  await screen.findByText("after");
  expect(screen.queryByText(/eval/)).toBeNull();
});

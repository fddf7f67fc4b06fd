import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { makeFragmentData } from "~/gql";
import type { TeamRetentionFragment } from "~/gql/graphql";
import { open } from "~/modules/flow/test/harness";
import { Retention, retentionFragment } from "~/modules/team/retention";

function panel(kept: Partial<TeamRetentionFragment>, change = true) {
  const days = { logDays: 0, runDays: 0 };
  const retention = makeFragmentData(
    { own: null, effective: days, platform: days, mostDays: 0, ...kept },
    retentionFragment,
  );
  const onChange = vi.fn();
  const page = open(<Retention teamId="team-1" retention={retention} change={change} onChange={onChange} />, {
    SetTeamRetention: () => ({ setTeamRetention: { team: { id: "team-1", retention: null } } }),
  });
  const sent = () =>
    page.asked.filter((each) => each.name === "SetTeamRetention").map((each) => each.variables);
  return { ...page, sent, onChange };
}

test("says what counts, and from whom", async () => {
  panel({ effective: { logDays: 30, runDays: 0 } }, false);
  await screen.findByText("30 days");
  screen.getByText("for ever");
  screen.getByText("as the platform");
  expect(screen.queryByRole("button", { name: "Change" })).toBeNull();
});

test("an owner gives the team days of its own", async () => {
  const { user, sent } = panel({});
  await user.click(await screen.findByRole("button", { name: "Change" }));
  await user.click(screen.getByRole("switch"));
  const logs = screen.getByRole("textbox", { name: "Logs are kept for days" });
  await user.clear(logs);
  await user.type(logs, "30");
  const runs = screen.getByRole("textbox", { name: "Runs are kept for days" });
  await user.clear(runs);
  await user.type(runs, "90");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(sent()).toEqual([{ input: { teamId: "team-1", retention: { logDays: 30, runDays: 90 } } }]);
});

test("and takes them back", async () => {
  const { user, sent } = panel({
    own: { logDays: 30, runDays: 90 },
    effective: { logDays: 30, runDays: 60 },
    mostDays: 60,
  });
  await user.click(await screen.findByRole("button", { name: "Change" }));
  screen.getByText(/At most 60 days/);
  await user.click(screen.getByRole("switch"));
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(sent()).toEqual([{ input: { teamId: "team-1", retention: null } }]);
});

import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { open } from "~/modules/flow/test/harness";
import { Versions } from "~/modules/flow/versions";

const sha = "ab".repeat(32);

const version = (number: number, code: Record<string, unknown>) => ({
  __typename: "FlowVersion",
  id: `fver-${number}`,
  number,
  comment: "",
  createdAt: "2026-12-01T12:00:00Z",
  restores: null,
  author: { __typename: "User", id: "usr-1", displayName: "Meng" },
  code: [
    {
      __typename: "CodeSnapshot",
      id: `snap-${number}`,
      subPath: "jobs",
      files: 0,
      bytes: 0,
      sha256: "",
      frozenAt: null,
      reason: null,
      ...code,
    },
  ],
});

test("each version tells of the code that it runs", async () => {
  open(<Versions flowId="flw-1" mayEdit />, {
    FlowVersions: () => ({
      flow: {
        __typename: "Flow",
        id: "flw-1",
        latest: 3,
        versions: [
          version(3, { state: "PENDING" }),
          version(2, {
            state: "FAILED",
            reason: { __typename: "Reason", text: "It could not be frozen: full.", advice: "Mend it." },
          }),
          version(1, {
            state: "READY",
            files: 34,
            bytes: 2048,
            sha256: sha,
            frozenAt: "2026-12-01T12:00:00Z",
          }),
        ],
      },
    }),
  });
  expect(await screen.findByText(/Frozen .*2026.*, 34 files, 2/)).toBeTruthy();
  expect(screen.getByTitle(`sha256:${sha}`).textContent).toBe("sha256:abababababab…");
  expect(screen.getByText("It is being frozen.")).toBeTruthy();
  expect(screen.getByText("It could not be frozen: full. Mend it.")).toBeTruthy();
});

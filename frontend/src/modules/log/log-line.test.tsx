import { IconHandStop, IconInfoCircle, IconServer } from "@tabler/icons-react";
import { render, screen } from "@testing-library/react";
import type { TFunction } from "i18next";
import { expect, test, vi } from "vitest";
import { LogLine } from "~/modules/log/log-line";
import type { LogEntry } from "~/modules/log/log-store";
import { iconOf } from "~/modules/log/platform-mark";

const said: LogEntry = {
  number: 4,
  time: "2026-01-01T00:00:00Z",
  source: "PLATFORM",
  text: "It goes to the node a.",
  partial: false,
  code: "run.scheduled",
};

function line(entry: LogEntry) {
  render(
    <LogLine
      number={entry.number}
      entry={entry}
      times={false}
      query=""
      linked={false}
      current={false}
      onLink={vi.fn()}
      t={((key: string) => key) as unknown as TFunction}
      language="en"
    />,
  );
}

test("a line of the platform has a mark in the margin, and its words stand by themselves", () => {
  line(said);
  screen.getByRole("img", { name: "log.byPlatform" });
  screen.getByText("It goes to the node a.");
});

test("a line of the program has none", () => {
  line({ ...said, source: "OUTPUT", code: "" });
  expect(screen.queryByRole("img")).toBeNull();
});

test("each kind has its icon, and an unknown one has one, too", () => {
  expect(iconOf("run.scheduled")).toBe(IconServer);
  expect(iconOf("run.kill-timeout")).toBe(IconHandStop);
  expect(iconOf("of later")).toBe(IconInfoCircle);
});

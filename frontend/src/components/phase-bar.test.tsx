import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { PhaseBar } from "~/components/phase-bar";

test("the current phase counts on, those to come wait", () => {
  const since = new Date(Date.now() - 5_000).toISOString();
  render(
    <MantineProvider>
      <PhaseBar
        label="Start"
        steps={[
          { name: "queued", label: "Queued", since, seconds: 1.5, open: false, tone: "good" },
          { name: "pulling", label: "Pulling", since, seconds: null, open: true, tone: "working" },
          { name: "ready", label: "Ready", since: null, seconds: null, open: false, tone: "waiting" },
        ]}
      />
    </MantineProvider>,
  );
  const [queued, pulling, ready] = screen.getAllByRole("listitem");
  expect(queued?.textContent).toBe("Queued1.5 s");
  expect(pulling?.textContent).toBe("Pulling5 s");
  expect(pulling?.getAttribute("aria-current")).toBe("step");
  expect(ready?.textContent).toBe("Ready–");
});

import { expect, test } from "vitest";
import { asSpec, tidy } from "~/modules/flow/spec";

test.each([null, undefined, [], "text", 3])("%j is a definition without tasks", (value) => {
  expect(asSpec(value).tasks).toEqual([]);
});

test("what a document says wrongly does not break the page, and what is unknown stays", () => {
  const spec = asSpec({
    future: { a: 1 },
    tags: "gpu",
    tasks: [{ name: "a", needs: "b", with: 3, other: true }, "nothing", { executor: "http" }],
  });
  expect(spec).toMatchObject({
    future: { a: 1 },
    tags: [],
    tasks: [
      { name: "a", executor: "", needs: [], with: {}, other: true },
      { name: "", executor: "http", needs: [] },
    ],
  });
});

test("what says nothing is left out, but for what must be there", () => {
  expect(
    tidy(
      asSpec({
        description: "",
        schedule: { cron: "", misfire: { policy: "" } },
        parameters: [{ name: "day", default: "", required: false }],
        tasks: [
          { name: "", executor: "", with: { body: "" }, retry: { count: 0 }, needs: [], priority: -1 },
          { name: "b", executor: "http", with: {}, retry: { count: 2, wait: "" } },
        ],
      }),
    ),
  ).toEqual({
    parameters: [{ name: "day" }],
    tasks: [
      { name: "", executor: "", with: { body: "" }, priority: -1 },
      { name: "b", executor: "http", with: {}, retry: { count: 2 } },
    ],
  });
});

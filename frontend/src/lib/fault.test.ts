import { CombinedError } from "@urql/core";
import { GraphQLError } from "graphql";
import i18next from "i18next";
import { expect, test } from "vitest";
import { faultText, toFault } from "~/lib/fault";
import { formFaults } from "~/lib/form-faults";

function refused(message: string, extensions: Record<string, unknown>): CombinedError {
  return new CombinedError({ graphQLErrors: [new GraphQLError(message, { extensions })] });
}

test("the server's code, words and fields come through", () => {
  const fault = toFault(
    refused("Some fields need another value.", {
      code: "INVALID_ARGUMENT",
      fields: [{ path: "resources.memory", message: "Too much." }, { path: 3 }, "nonsense"],
    }),
  );
  expect(fault.code).toBe("INVALID_ARGUMENT");
  expect(fault.fields).toEqual([{ path: "resources.memory", message: "Too much." }]);
  expect(faultText(fault, i18next.t)).toBe("Some fields need another value.");
});

test("a code that the page does not know is no reason to hide the words", () => {
  expect(toFault(refused("New kind.", { code: "TEAPOT" }))).toMatchObject({
    code: "UNKNOWN",
    message: "New kind.",
  });
});

test("an internal error names its request, not its cause", () => {
  const fault = toFault(refused("nil pointer", { code: "INTERNAL", requestId: "req-1" }));
  expect(faultText(fault, i18next.t)).toContain("req-1");
  expect(faultText(fault, i18next.t)).not.toContain("nil pointer");
});

test("no answer is told as such", () => {
  const fault = toFault(new CombinedError({ networkError: new TypeError("Failed to fetch") }));
  expect(fault.code).toBe("OFFLINE");
});

const paths = ["name", "resources.memoryGiB", "mounts.*.path", "command"] as const;
const renames = { "resources.memory": "resources.memoryGiB", args: "command" };

test.each([
  ["a field of the same name", "name", "name"],
  ["a renamed one", "resources.memory", "resources.memoryGiB"],
  ["a row", "mounts.2.path", "mounts.2.path"],
  ["a row with brackets and a prefix", "input.mounts[2].path", "mounts.2.path"],
  ["an element goes to its field", "command.3", "command"],
  ["an element of a renamed one", "args.0", "command"],
])("lays a message onto the form: %s", (_, path, target) => {
  const fault = {
    code: "INVALID_ARGUMENT" as const,
    message: "",
    requestId: "",
    fields: [{ path, message: "No." }],
  };
  expect(formFaults(fault, paths, renames)).toEqual({ errors: { [target]: "No." }, rest: [] });
});

test("what no field claims is told above the button", () => {
  const fields = [{ path: "teamId", message: "The team is gone." }];
  expect(formFaults({ code: "CONFLICT", message: "", requestId: "", fields }, paths)).toEqual({
    errors: {},
    rest: ["The team is gone."],
  });
});

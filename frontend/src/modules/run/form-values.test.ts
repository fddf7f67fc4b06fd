import { expect, test } from "vitest";
import { nameFromCommand } from "~/modules/run/form-values";

test.each([
  [["python", "train.py", "--epochs", "3"], "train"],
  [["python3.13", "-m", "eval.nightly"], "eval-nightly"],
  [["bash", "-c", "echo hi"], "echo-hi"],
  [["/code/bin/run_all.sh"], "run_all"],
  [["spark-submit", "--master", "yarn"], "spark-submit"],
  [[], ""],
])("a name out of %j", (args, name) => {
  expect(nameFromCommand(args)).toBe(name);
});

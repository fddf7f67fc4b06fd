import { expect, test } from "vitest";
import { formatCommand, parseArgumentLines, parseCommand } from "~/lib/command";

test.each([
  ["words", "python train.py --epochs 3", ["python", "train.py", "--epochs", "3"]],
  ["many blanks", "  a \t b\n c  ", ["a", "b", "c"]],
  ["single quotes keep all", String.raw`echo 'a  \ "b"'`, ["echo", String.raw`a  \ "b"`]],
  ["double quotes keep blanks", 'echo "a b"', ["echo", "a b"]],
  ["escapes in double quotes", String.raw`echo "a\"b\\c\n"`, ["echo", String.raw`a"b\c\n`]],
  ["quotes inside a word", "--name='my run'.txt", ["--name=my run.txt"]],
  ["an empty argument", "a '' b", ["a", "", "b"]],
  ["an escaped blank", String.raw`a\ b c`, ["a b", "c"]],
  ["a line goes on", "python \\\n  train.py", ["python", "train.py"]],
  ["Chinese", "echo 你好", ["echo", "你好"]],
  ["nothing", "   ", []],
])("splits: %s", (_, line, args) => {
  expect(parseCommand(line)).toMatchObject({ args, error: null });
});

test.each([
  ["open single quote", "echo 'a", "open-quote"],
  ["open double quote", 'echo "a', "open-quote"],
  ["backslash at the end", "echo \\", "open-escape"],
] as const)("refuses: %s", (_, line, error) => {
  expect(parseCommand(line).error).toBe(error);
});

test.each([
  ["pipe", "a | b", ["|"]],
  ["redirect and variable", "echo $HOME > out", ["$HOME", ">"]],
  ["glob", "cat *.txt", ["*.txt"]],
  ["quoted is meant so", "grep '*' 'a|b'", []],
  ["plain", "python -m http.server", []],
])("tells what a shell would act on: %s", (_, line, found) => {
  expect(parseCommand(line).shellSyntax).toEqual(found);
});

test("lines are arguments, blank lines are none", () => {
  expect(parseArgumentLines("python\r\ntrain.py\n\n--name\nmy run\n")).toEqual([
    "python",
    "train.py",
    "--name",
    "my run",
  ]);
});

test("what is formatted parses to the same", () => {
  const args = ["bash", "-c", "echo 'it''s' | wc -l", "", "a b", "$X", "plain-1.2/x=y"];
  expect(parseCommand(formatCommand(args)).args).toEqual(args);
});

import { expect, test } from "vitest";
import { parseAnsi, stripAnsi } from "~/lib/ansi";

const esc = "\u001b[";

test.each([
  ["plain text", "hello", [{ text: "hello" }]],
  ["nothing", "", []],
  [
    "a colour and its end",
    `${esc}31mred${esc}0m rest`,
    [{ text: "red", color: "var(--ansi-1)" }, { text: " rest" }],
  ],
  ["bright and bold", `${esc}1;92mgo`, [{ text: "go", color: "var(--ansi-10)", bold: true }]],
  ["of 256", `${esc}38;5;196mx`, [{ text: "x", color: "rgb(255,0,0)" }]],
  ["grey of 256", `${esc}38;5;232mx`, [{ text: "x", color: "rgb(8,8,8)" }]],
  ["true colour", `${esc}38;2;1;2;3mx`, [{ text: "x", color: "rgb(1,2,3)" }]],
  ["background", `${esc}44mx`, [{ text: "x", background: "var(--ansi-4)" }]],
  ["an empty reset", `${esc}31ma${esc}mb`, [{ text: "a", color: "var(--ansi-1)" }, { text: "b" }]],
])("%s", (_, line, segments) => {
  const segmented = parseAnsi(line);
  expect(segmented).toEqual(segments);
});

test("moves of the cursor, titles and lone escapes leave nothing", () => {
  expect(stripAnsi(`a${esc}2K${esc}1Ab\u001b]0;title\u0007c\u001b=d`)).toBe("abcd");
});

test("a colour without an end does not swallow the text", () => {
  expect(stripAnsi(`${esc}999mtext${esc}`)).toContain("text");
});

import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { expect, test, vi } from "vitest";
import { offsetOf, YamlPane, type YamlHandle } from "~/modules/flow/edit/yaml-pane";

test.each([
  [1, 1, 0],
  [2, 2, 4],
  [2, 99, 5],
  [9, 1, 8],
  [1, 0, 0],
])("line %d column %d is character %d", (line, column, offset) => {
  expect(offsetOf("ab\ncd\nef", line, column)).toBe(offset);
});

test("a problem stands at its line, and can be gone to", async () => {
  const handle = createRef<YamlHandle>();
  const onChange = vi.fn<(yaml: string) => void>();
  const { container } = render(
    <YamlPane
      yaml={"tasks:\n- name: 1a\n"}
      problems={[{ path: "tasks[0].name", line: 2, column: 9, text: "No name." }]}
      onChange={onChange}
      handle={handle}
    />,
  );
  const marks = [...container.querySelectorAll("[data-wrong]")];
  expect(marks.map((mark) => [mark.textContent, mark.getAttribute("title")])).toEqual([["2", "No name."]]);
  const area = screen.getByRole<HTMLTextAreaElement>("textbox");
  handle.current?.show(2, 9);
  expect([document.activeElement, area.selectionStart]).toEqual([area, 15]);
  await userEvent.setup().keyboard("x");
  expect(onChange).toHaveBeenCalledWith("tasks:\n- name: x1a\n");
});

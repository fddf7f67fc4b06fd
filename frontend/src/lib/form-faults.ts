import type { Fault, FieldFault } from "~/lib/fault";

/** A fault as a form shows it: messages at fields, and what belongs to none of them. */
export interface FormFaults {
  errors: Record<string, string>;
  rest: string[];
}

/**
 * Lays a fault's fields onto a form. `rename` turns the contract's paths into the
 * form's where they differ; a path under a known one (`command.2` under `command`)
 * goes to that one; what no field claims is told above the button.
 */
export function formFaults(
  fault: Fault,
  known: readonly string[],
  rename: Record<string, string> = {},
): FormFaults {
  const errors: Record<string, string> = {};
  const rest: string[] = [];
  for (const field of fault.fields) {
    const target = place(field, known, rename);
    if (target === null) rest.push(field.message);
    else errors[target] = errors[target] ? `${errors[target]} ${field.message}` : field.message;
  }
  return { errors, rest };
}

function place(field: FieldFault, known: readonly string[], rename: Record<string, string>): string | null {
  // `input.mounts[0].path` and `mounts.0.path` mean the same.
  let path = field.path.replace(/^input\./, "").replaceAll(/\[(\d+)\]/g, ".$1");
  for (;;) {
    const renamed = rename[path] ?? path;
    if (known.includes(renamed) || known.includes(renamed.replaceAll(/\.\d+(?=\.|$)/g, ".*"))) return renamed;
    const cut = path.lastIndexOf(".");
    if (cut < 0) return null;
    path = path.slice(0, cut);
  }
}

/** Brings the first field with an error into view. */
export function focusFirstError(): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>('form [aria-invalid="true"]');
    field?.closest("details")?.setAttribute("open", "");
    field?.focus();
  });
}

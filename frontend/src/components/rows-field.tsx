import { ActionIcon, Button } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./rows-field.module.css";

interface RowsFieldProps {
  label: string;
  hint?: string;
  count: number;
  /** The fields of one row. */
  row: (index: number) => ReactNode;
  add: string;
  onAdd: () => void;
  remove: (index: number) => string;
  onRemove: (index: number) => void;
}

/** A field that holds any number of rows. */
export function RowsField({ label, hint, count, row, add, onAdd, remove, onRemove }: RowsFieldProps) {
  return (
    <fieldset className={classes.rows}>
      <legend className={classes.label}>{label}</legend>
      {hint ? <p className={classes.hint}>{hint}</p> : null}
      {Array.from({ length: count }, (_, index) => (
        // Rows have no identity but their place.
        <div key={index} className={classes.row}>
          <div className={classes.fields}>{row(index)}</div>
          <ActionIcon size={36} aria-label={remove(index)} onClick={() => onRemove(index)}>
            <IconX size={16} />
          </ActionIcon>
        </div>
      ))}
      <Button
        className={classes.add}
        variant="default"
        size="xs"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={onAdd}
      >
        {add}
      </Button>
    </fieldset>
  );
}

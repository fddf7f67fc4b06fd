import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import classes from "./filter-chips.module.css";

export interface Filter {
  value: string;
  label: string;
}

interface FilterChipsProps {
  /** Name of the URL's parameter. */
  param: string;
  label: string;
  filters: readonly Filter[];
  /** At most one may be on. */
  single?: boolean;
}

/** Filters of a list, kept in the URL; any number of them may be on, unless they are single. */
export function FilterChips({ param, label, filters, single = false }: FilterChipsProps) {
  const [search, setSearch] = useSearchParams();
  const on = search.getAll(param);
  const toggle = (value: string): void => {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        const values = next.getAll(param);
        next.delete(param);
        for (const each of values) if (each !== value && !single) next.append(param, each);
        if (!values.includes(value)) next.append(param, value);
        return next;
      },
      { replace: true },
    );
  };
  return (
    <div className={classes.chips} role="group" aria-label={label}>
      {filters.map((filter) => (
        <button
          key={filter.value}
          type="button"
          className={classes.chip}
          aria-pressed={on.includes(filter.value)}
          onClick={() => toggle(filter.value)}
        >
          {filter.label}
        </button>
      ))}
    </div>
  );
}

/** A search that is kept in the URL as `q`, a moment after typing. */
export function SearchBox({ label }: { label: string }) {
  const [search, setSearch] = useSearchParams();
  const [text, setText] = useState(search.get("q") ?? "");
  const apply = useDebouncedCallback((value: string) => {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === "") next.delete("q");
        else next.set("q", value);
        return next;
      },
      { replace: true },
    );
  }, 200);
  const change = (value: string): void => {
    setText(value);
    apply(value);
  };
  return (
    <TextInput
      className={classes.search}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text === "" ? null : (
          <CloseButton size="sm" aria-label={label} tabIndex={-1} onClick={() => change("")} />
        )
      }
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

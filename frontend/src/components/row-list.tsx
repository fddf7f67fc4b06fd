import type { KeyboardEvent, ReactNode } from "react";
import { Link } from "react-router";
import classes from "./row-list.module.css";

function move(event: KeyboardEvent<HTMLElement>): void {
  const step =
    event.key === "ArrowDown" || event.key === "j"
      ? 1
      : event.key === "ArrowUp" || event.key === "k"
        ? -1
        : 0;
  if (step === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row-link]")];
  const at = links.findIndex((link) => link === document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
}

/** Lines of a list. Up and down move between them, Enter opens. */
export function RowList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.frame}>
      {/* The arrows are a short cut between links that Tab reaches as well. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul className={classes.list} aria-label={label} onKeyDown={move}>
        {children}
      </ul>
    </div>
  );
}

const none: readonly never[] = [];

interface RowProps {
  to: string;
  name: string;
  /** State and its reason's first clause. */
  state: ReactNode;
  detail?: ReactNode;
  /** Small facts at the right, hidden one by one when it gets narrow. */
  facts?: readonly ReactNode[];
  /** Buttons; they stand above the row's link. */
  actions?: ReactNode;
  mono?: ReactNode;
}

/** One line: name first, then state with its reason, then facts, then actions. The whole line is the link. */
export function Row({ to, name, state, detail, facts = none, actions, mono }: RowProps) {
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <Link to={to} className={classes.link} data-row-link>
          {name}
        </Link>
        {mono ? <div className={classes.under}>{mono}</div> : null}
      </div>
      <div className={classes.state}>
        {state}
        {detail ? <div className={classes.under}>{detail}</div> : null}
      </div>
      <div className={classes.facts}>
        {facts.map((fact, i) => (
          // The facts of a row have fixed places.
          <div key={i} className={classes.fact}>
            {fact}
          </div>
        ))}
      </div>
      <div className={classes.actions}>{actions}</div>
    </li>
  );
}

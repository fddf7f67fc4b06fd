import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { StateIcon } from "~/components/state-mark";
import { toneSoft } from "~/components/tone";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { gridRows, moveIn, type GridRow, type GridRun } from "~/modules/flow/grid";
import { flowRunTones, stepTones } from "~/modules/flowrun/state";
import classes from "./grid-view.module.css";
import { clockText } from "~/modules/flow/zoned";

export const gridRunFragment = graphql(`
  fragment FlowGridRun on FlowRun {
    id
    version
    localTime
    state
    steps {
      id
      name
      state
    }
  }
`);

const rowHeight = 26;

// So few are drawn at once: the browser finds text in them, and nothing needs to be measured.
const drawnAtOnce = 60;

interface GridProps {
  tasks: readonly string[];
  runs: readonly FragmentType<typeof gridRunFragment>[];
}

/** Runs by logical time, tasks below; arrows move, Enter opens. */
export function FlowGrid({ tasks, runs }: GridProps) {
  const { t } = useTranslation();
  const columns: readonly GridRun[] = readFragment(gridRunFragment, runs);
  const rows = useMemo(() => gridRows(tasks, columns), [tasks, columns]);
  const scroller = useRef<HTMLDivElement>(null);
  // Row 0 is the head with the runs themselves; Tab comes to the newest run.
  const [active, setActive] = useState<{ row: number; column: number } | null>(null);
  const at = active ?? { row: 0, column: columns.length - 1 };
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items =
    rows.length <= drawnAtOnce
      ? rows.map((_, index) => ({ index, start: index * rowHeight }))
      : virtual.getVirtualItems();
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = moveIn(event.key, at, rows.length + 1, columns.length);
    if (!next) return;
    event.preventDefault();
    setActive(next);
    if (next.row > 0 && rows.length > drawnAtOnce) virtual.scrollToIndex(next.row - 1);
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-cell="${next.row}:${next.column}"]`)?.focus();
    });
  };
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its cells hold the focus
    <div
      ref={scroller}
      className={classes.grid}
      role="grid"
      aria-label={t("flow.grid.title")}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      onKeyDown={onKey}
    >
      <div role="rowgroup">
        <div role="row" className={classes.head} aria-rowindex={1}>
          <div role="columnheader" className={classes.name}>
            {t("flow.grid.task")}
          </div>
          {columns.map((run, column) => {
            const label = t("flow.spark", {
              time: clockText(run.localTime),
              state: t(`flowRun.state.${run.state}`),
            });
            return (
              <div key={run.id} role="columnheader" className={classes.cell}>
                <Link
                  to={`/flow-runs/${run.id}`}
                  data-cell={`0:${column}`}
                  tabIndex={at.row === 0 && at.column === column ? 0 : -1}
                  title={label}
                  aria-label={label}
                >
                  <StateIcon tone={flowRunTones[run.state]} size={14} />
                </Link>
              </div>
            );
          })}
        </div>
      </div>
      <div role="rowgroup" className={classes.body} style={{ height: rows.length * rowHeight }}>
        {items.map((item) => {
          const row = rows[item.index];
          return row ? (
            <GridLine
              key={row.task}
              index={item.index + 1}
              row={row}
              runs={columns}
              top={item.start}
              active={at.row === item.index + 1 ? at.column : -1}
            />
          ) : null;
        })}
      </div>
    </div>
  );
}

interface LineProps {
  index: number;
  row: GridRow;
  runs: readonly GridRun[];
  top: number;
  /** The column that Tab comes to, or -1. */
  active: number;
}

const GridLine = memo(function GridLine({ index, row, runs, top, active }: LineProps) {
  const { t } = useTranslation();
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      className={classes.row}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div
        role="rowheader"
        className={classes.name}
        data-gone={!row.current || undefined}
        title={row.current ? row.task : t("flow.grid.gone", { name: row.task })}
      >
        {row.task}
      </div>
      {runs.map((run, column) => {
        const state = row.cells[column] ?? null;
        if (state === null) {
          return <div key={run.id} role="gridcell" className={classes.cell} aria-label={t("flow.grid.no")} />;
        }
        const label = t("flow.grid.cell", {
          task: row.task,
          time: clockText(run.localTime),
          state: t(`flowRun.step.${state}`),
        });
        return (
          <div key={run.id} role="gridcell" className={classes.cell}>
            <Link
              to={`/flow-runs/${run.id}?step=${encodeURIComponent(row.task)}`}
              data-cell={`${index}:${column}`}
              tabIndex={active === column ? 0 : -1}
              title={label}
              aria-label={label}
              style={{ background: toneSoft(stepTones[state]) }}
            >
              <StateIcon tone={stepTones[state]} size={14} />
            </Link>
          </div>
        );
      })}
    </div>
  );
});

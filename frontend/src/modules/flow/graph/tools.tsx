import { ActionIcon, Tooltip } from "@mantine/core";
import { useReactFlow } from "@xyflow/react";
import { IconMaximize, IconMinus, IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./graph.module.css";

const fit = { maxZoom: 1, padding: 0.1 };

/** A graph's region with its zoom: `f` fits, `+` and `-` zoom, buttons do the same. */
export function GraphFrame({
  label,
  height,
  tools,
  children,
}: {
  label: string;
  height?: number | string;
  tools?: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const flow = useReactFlow();
  const acts = {
    f: () => void flow.fitView(fit),
    "+": () => void flow.zoomIn(),
    "=": () => void flow.zoomIn(),
    "-": () => void flow.zoomOut(),
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- short cuts for the buttons below
    <div
      className={classes.graph}
      style={height === undefined ? undefined : { height }}
      role="region"
      aria-label={label}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const act = acts[event.key as keyof typeof acts];
        if (!act) return;
        event.preventDefault();
        act();
      }}
    >
      {children}
      <div className={classes.tools}>
        {tools}
        <Tool label={t("flow.graph.zoomIn")} run={acts["+"]}>
          <IconPlus size={16} />
        </Tool>
        <Tool label={t("flow.graph.zoomOut")} run={acts["-"]}>
          <IconMinus size={16} />
        </Tool>
        <Tool label={t("flow.graph.fit")} run={acts.f}>
          <IconMaximize size={16} />
        </Tool>
      </div>
    </div>
  );
}

export function Tool({ label, run, children }: { label: string; run: () => void; children: ReactNode }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={28} aria-label={label} onClick={run}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

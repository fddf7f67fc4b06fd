import { Button, useComputedColorScheme } from "@mantine/core";
import { FitAddon } from "@xterm/addon-fit";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { Terminal, type ITheme } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import type { TFunction } from "i18next";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { openTerminal, type TerminalEnd, type TerminalSocket } from "~/modules/terminal/terminal-socket";
import classes from "./terminal-panel.module.css";

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

/** The colours of logs, so that both look alike. */
function readTheme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  const theme: Record<string, string> = {
    background: value("--ansi-background"),
    foreground: value("--ansi-text"),
    cursor: value("--ansi-text"),
    cursorAccent: value("--ansi-background"),
    selectionBackground: value("--line-strong"),
  };
  names.forEach((name, i) => {
    theme[name] = value(`--ansi-${i}`);
    theme[`bright${name.charAt(0).toUpperCase()}${name.slice(1)}`] = value(`--ansi-${i + 8}`);
  });
  return theme;
}

interface TerminalViewProps {
  instanceId: string;
  tab: string;
  shown: boolean;
}

/** One shell. It goes on in the instance when the page leaves. */
export default function TerminalView({ instanceId, tab, shown }: TerminalViewProps) {
  const { t } = useTranslation();
  const scheme = useComputedColorScheme("light");
  const place = useRef<HTMLDivElement>(null);
  const terminal = useRef<Terminal>(undefined);
  const fit = useRef<FitAddon>(undefined);
  const [round, setRound] = useState(0);
  const [end, setEnd] = useState<TerminalEnd | null>(null);

  useEffect(() => {
    if (!place.current) return undefined;
    const opened = new Terminal({
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue(
        "--mantine-font-family-monospace",
      ),
      fontSize: 13,
      scrollback: 5_000,
      theme: readTheme(),
      allowProposedApi: true, // the widths of characters are one
    });
    // Emoji take two columns, as the shell thinks too; otherwise a wrapped line falls apart.
    opened.loadAddon(new Unicode11Addon());
    opened.unicode.activeVersion = "11";
    const addon = new FitAddon();
    opened.loadAddon(addon);
    opened.open(place.current);
    addon.fit();
    terminal.current = opened;
    fit.current = addon;
    return () => opened.dispose();
  }, []);

  useEffect(() => {
    const opened = terminal.current;
    if (!opened) return undefined;
    setEnd(null);
    const socket: TerminalSocket = openTerminal(
      { instanceId, tab, cols: opened.cols, rows: opened.rows },
      {
        onOpen: () => {
          // The server replays what the screen held.
          opened.reset();
          socket.resize(opened.cols, opened.rows);
          opened.focus();
        },
        onOutput: (bytes) => opened.write(bytes),
        onEnd: setEnd,
      },
    );
    const input = opened.onData((data) => socket.send(data));
    const resized = opened.onResize(({ cols, rows }) => socket.resize(cols, rows));
    return () => {
      input.dispose();
      resized.dispose();
      socket.close();
    };
  }, [instanceId, tab, round]);

  useEffect(() => {
    if (terminal.current) terminal.current.options.theme = readTheme();
  }, [scheme]);

  useEffect(() => {
    if (!shown || !place.current) return undefined;
    const observer = new ResizeObserver(() => fit.current?.fit());
    observer.observe(place.current);
    terminal.current?.focus();
    return () => observer.disconnect();
  }, [shown]);

  return (
    <div className={classes.view} hidden={!shown}>
      <div ref={place} className={classes.screen} data-terminal={tab} />
      {end ? (
        <div className={classes.ended}>
          <Notice
            tone={end.kind === "error" ? "failed" : "attention"}
            title={endText(end, t)}
            live
            action={
              <Button size="xs" variant="default" onClick={() => setRound(round + 1)}>
                {end.kind === "exit" ? t("terminal.again") : t("terminal.reconnect")}
              </Button>
            }
          />
        </div>
      ) : null}
    </div>
  );
}

function endText(end: TerminalEnd, t: TFunction): string {
  if (end.kind === "exit") return t("terminal.exited", { code: end.code });
  if (end.kind === "error") return end.message || t("terminal.failed");
  return t("terminal.dropped");
}

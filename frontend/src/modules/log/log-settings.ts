import { useState } from "react";

export interface LogSettings {
  times: boolean;
  wrap: boolean;
  /** Without the platform's own lines. */
  outputOnly: boolean;
  setTimes: (on: boolean) => void;
  setWrap: (on: boolean) => void;
  setOutputOnly: (on: boolean) => void;
}

const storageKey = "goblinlab-log";

type Kept = Pick<LogSettings, "times" | "wrap" | "outputOnly">;

function read(): Kept {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "{}");
    if (typeof stored === "object" && stored !== null) {
      return {
        times: "times" in stored && stored.times === true,
        wrap: "wrap" in stored && stored.wrap === true,
        outputOnly: "outputOnly" in stored && stored.outputOnly === true,
      };
    }
  } catch {
    // As if nothing had been chosen.
  }
  return { times: false, wrap: false, outputOnly: false };
}

/** How a reader likes logs, from one log to the next. */
export function useLogSettings(): LogSettings {
  const [settings, setSettings] = useState(read);
  const change = (part: Partial<typeof settings>): void => {
    const next = { ...settings, ...part };
    setSettings(next);
    try {
      localStorage.setItem(storageKey, JSON.stringify(next));
    } catch {
      // Holds until the page closes.
    }
  };
  return {
    ...settings,
    setTimes: (times) => change({ times }),
    setWrap: (wrap) => change({ wrap }),
    setOutputOnly: (outputOnly) => change({ outputOnly }),
  };
}

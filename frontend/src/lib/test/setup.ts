import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";
import { startLanguage } from "~/lib/language";

localStorage.setItem("goblinlab-language", "en");
await startLanguage();

// Mantine asks for these; happy-dom answers with nothing.
window.matchMedia ??= (query: string): MediaQueryList =>
  ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as unknown as MediaQueryList;
window.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

Object.defineProperty(document, "fonts", { configurable: true, value: new EventTarget() });

afterEach(cleanup);

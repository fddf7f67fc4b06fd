import "~/mantine.css";
import "@mantine/notifications/styles.css";
import "~/styles.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { Provider } from "urql";
import { createPageClient } from "~/lib/client";
import { startLanguage } from "~/lib/language";
import { router } from "~/pages/router";
import { theme } from "~/theme";

// public/scheme.js reads the same key before the first paint.
const schemes = localStorageColorSchemeManager({ key: "goblinlab-scheme" });

const root = document.getElementById("root");
if (!root) throw new Error("the document has no #root");

function render(place: HTMLElement): void {
  createRoot(place).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={schemes}>
        <Provider value={createPageClient()}>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
        </Provider>
      </MantineProvider>
    </StrictMode>,
  );
}

// A file of the page did not come: the network broke off, or a newer version
// replaced it. Once a minute that is worth a reload; then the page says it.
window.addEventListener("vite:preloadError", (event) => {
  const key = "goblinlab-reloaded";
  if (Date.now() - Number(sessionStorage.getItem(key) ?? 0) < 60_000) return;
  sessionStorage.setItem(key, String(Date.now()));
  event.preventDefault();
  location.reload();
});

// No words, no page: the language's file is small and asked for first.
void startLanguage().then(() => render(root));

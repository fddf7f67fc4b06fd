import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "~/styles.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { Provider } from "urql";
import { createPageClient } from "~/lib/client";
import { startLanguage } from "~/lib/language";
import { router } from "~/pages/router";
import { theme } from "~/theme";

startLanguage();

// public/scheme.js reads the same key before the first paint.
const schemes = localStorageColorSchemeManager({ key: "goblinlab-scheme" });

const root = document.getElementById("root");
if (!root) throw new Error("the document has no #root");

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={schemes}>
      <Provider value={createPageClient()}>
        <ModalsProvider>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
        </ModalsProvider>
      </Provider>
    </MantineProvider>
  </StrictMode>,
);

import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { documents } from "./build/documents.ts";

// The server of a developer; everything that is not the page's own goes there.
const server = process.env.GOBLINLAB_URL ?? "http://localhost:8080";
const proxied = { target: server, changeOrigin: false, ws: true };

export default defineConfig({
  plugins: [documents(), react()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    // public/.gitkeep comes back into dist, so that the Go package that embeds it compiles on a clean tree.
    target: "es2022",
    chunkSizeWarningLimit: 900,
    // Small assets stay files: the policy of the server allows no data: fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { "/graphql": proxied, "/auth": proxied, "/api": proxied, "/terminal": proxied },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/lib/test/setup.ts"],
    restoreMocks: true,
  },
});

import { defineConfig } from "playwright/test";
import { findBrowser } from "./generator/testing/browser.ts";

export default defineConfig({
  testDir: ".",
  testMatch: "**/*.spec.ts",
  testIgnore: ["**/node_modules/**", "**/dist/**", "snapshots/data/**"],
  // Node runs the sources as they are; compiling those that specs import would take longer than many specs.
  build: { external: ["**/{generator,sidecar,site,snapshots}/**"] },
  // A browser that has to start beside a build on two cores is slow, not broken.
  timeout: 240_000,
  // A browser that hangs must not hold the whole run.
  globalTimeout: 3_000_000,
  expect: { timeout: 20_000 },
  // One browser and one demo library serve all specs, one after the other.
  workers: 1,
  // A machine may be held up; what passed only the second time is told.
  retries: 1,
  forbidOnly: true,
  use: {
    headless: true,
    // What is not there to be clicked is told before a test's whole time is over.
    actionTimeout: 60_000,
    launchOptions: {
      executablePath: findBrowser() ?? "",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    },
  },
});

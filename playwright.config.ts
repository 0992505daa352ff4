import { defineConfig } from "playwright/test";

export default defineConfig({
  testDir: ".",
  testMatch: "**/*.spec.ts",
  testIgnore: ["**/node_modules/**", "**/dist/**", "snapshots/data/**"],
  // A browser that has to start beside a build on two cores is slow, not broken.
  timeout: 120_000,
  // A browser that hangs must not hold the whole run.
  globalTimeout: 1_200_000,
  expect: { timeout: 20_000 },
  workers: 2,
  retries: 0,
  forbidOnly: true,
  use: {
    headless: true,
    launchOptions: {
      executablePath: "/usr/bin/chromium",
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

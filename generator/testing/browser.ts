/** The browser of the tests. */
import { existsSync } from "node:fs";

/** The one without windows takes half of the other's processor. */
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** findBrowser returns the path of the browser that is installed, or null. */
export function findBrowser(): string | null {
  return BROWSERS.find((path) => existsSync(path)) ?? null;
}

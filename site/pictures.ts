/** The README's pictures: a proof record and an answer of the demo library, in light and dark. `npm run pictures` builds the demo into a folder
 *  of its own, serves it, and takes them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright";
import { copyBuiltDemo } from "#snapshots/contract";

const FOLDER = join(import.meta.dirname, "../generator/guides/pictures");
const CLI = join(import.meta.dirname, "../generator/cli.ts");
const PAGES = [
  ["record", "registry/CUB-0007/"],
  ["answer", `ask/?question=${encodeURIComponent("What is a Merkle tree?")}`],
] as const;
const SIZE = { width: 960, height: 600 };

const demo = await copyBuiltDemo();
const server = spawn(process.execPath, [CLI, "serve", "--config", join(demo, "proofshelf.yaml"), "--port", "0", "--json"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = once(server, "exit");
try {
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { readonly url: string };
  await mkdir(FOLDER, { recursive: true });
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme, viewport: SIZE });
    for (const [name, path] of PAGES) {
      await page.goto(`${url}/${path}`, { waitUntil: "networkidle" });
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
    }
  }
  await browser.close();
} finally {
  server.kill("SIGTERM");
  await ended;
  await rm(demo, { recursive: true, force: true });
}

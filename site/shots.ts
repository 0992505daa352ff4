/** Screenshots of every fixture page, in light and dark, on a phone and on a desk: `node site/shots.ts FOLDER [name …]`. */
import { createServer } from "node:http";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { mkdir } from "node:fs/promises";
import { chromium } from "playwright";
import { openRenderer } from "#snapshots/page";
import { CONTENT_SECURITY_POLICY, answerFixture } from "./fixture-server.ts";
import { fixtures } from "./fixtures.ts";

const [folder = "shots", ...names] = process.argv.slice(2);
const renderer = await openRenderer(join(import.meta.dirname, "dist"));
const server = createServer(async (request, response) => {
  const { status, type, body } = await answerFixture(renderer, request.url ?? "/");
  response.writeHead(status, { "content-type": type, "content-security-policy": CONTENT_SECURITY_POLICY }).end(body);
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as AddressInfo;
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [390, 1280]) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: width === 390 ? 844 : 900 } });
    page.on("console", (message) => message.type() === "error" && process.stderr.write(`${message.text()}\n`));
    for (const { name, input } of fixtures) {
      if (names.length > 0 && !names.includes(name)) continue;
      await page.goto(`http://127.0.0.1:${port}/${name}${input.chrome.path}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (overflow > 0) process.stderr.write(`${name} at ${width}: ${overflow} px too wide\n`);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
    await page.close();
  }
}
await browser.close();
server.close();

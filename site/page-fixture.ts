/** The parts that browser tests share: a page that remembers what should not happen, how pages are looked at, and a server of the fixture pages. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContextOptions, expect, type Page } from "playwright/test";
import { openRenderer } from "../snapshots/page/renderer.ts";
import { answerFixture, CONTENT_SECURITY_POLICY, type FixtureAnswer } from "./fixture-server.ts";
import { findSiteDist } from "./site-dist-fixture.ts";

type Look = { readonly width: number; readonly colorScheme: "light" | "dark" };

/** LOOKS are two looks, in which every theme and every width is seen once. */
export const LOOKS: readonly Look[] = [
  { width: 360, colorScheme: "dark" },
  { width: 1280, colorScheme: "light" },
];

/** ALL_LOOKS are every theme at every width. */
export const ALL_LOOKS: readonly Look[] = [360, 390, 1280].flatMap((width) => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark" },
]);

/** watched opens a page and fails when anything goes wrong on the way: errors, refusals of the policy, dialogs, missing files. */
export async function watched<T>(
  browser: Browser,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<T>,
  allowed: readonly RegExp[] = [],
): Promise<T> {
  const context = await browser.newContext(options);
  const troubles: string[] = [];
  try {
    const page = await context.newPage();
    page.on("console", (message) => {
      // The browser says a 404 twice; the request below says which.
      if (["error", "warning"].includes(message.type()) && !/Failed to load resource/.test(message.text()))
        troubles.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      troubles.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("response", (response) => {
      if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
    });
    page.on("requestfailed", (request) => {
      if (request.failure()?.errorText !== "net::ERR_ABORTED") troubles.push(`failed ${request.url()}: ${request.failure()?.errorText}`);
    });
    const result = await use(page);
    expect(troubles.filter((trouble) => !allowed.some((pattern) => pattern.test(trouble)))).toEqual([]);
    return result;
  } finally {
    await context.close();
  }
}

/** expectFine fails when the loaded page is wider than the window in any of the looks, or when axe finds anything: in one of them, another for
 *  another name, because it takes longer than all the rest. */
export async function expectFine(page: Page, name: string, looks: readonly Look[] = LOOKS): Promise<void> {
  // A page can be read before its stylesheet has come.
  await page.waitForLoadState("load");
  for (const [at, { width, colorScheme }] of looks.entries()) {
    const look = `${name} at ${width}, ${colorScheme}`;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${look}: too wide`).toBeLessThanOrEqual(0);
    if (at !== name.length % looks.length) continue;
    // axe takes what a closed disclosure holds for hidden, also where the stylesheet shows it.
    await page.locator(".spine > details").evaluateAll((folded) => folded.forEach((one) => one.setAttribute("open", "")));
    // All in one page: for frames, of which there are none, axe would open a window each time.
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode()
      .options({ resultTypes: ["violations"] })
      .analyze();
    expect(
      violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)}`),
      look,
    ).toEqual([]);
  }
}

/** expectSpineFree fails when at any of the widths something of the text lies under the narrow column, however far the page is scrolled, when a
 *  button
 *  covers a digest in it, or when the page is wider than the window. */
export async function expectSpineFree(page: Page, name: string, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 700 });
    const found = await page.evaluate(() => {
      const columns = [...document.querySelectorAll(".contents, .spine")];
      const under = new Set<string>();
      const { scrollHeight, scrollWidth } = document.documentElement;
      for (let scrolled = 0; columns.length > 0 && scrolled < scrollHeight; scrolled += 200) {
        scrollTo(0, scrolled);
        for (const column of columns) {
          const { left, right, top, bottom } = column.getBoundingClientRect();
          const others = columns.indexOf(column) === 0 ? ".body, .after, .lead" : ".body, .after, .lead, .contents";
          for (let y = Math.max(0, top + 2); y < Math.min(innerHeight, bottom - 2); y += 16)
            for (const x of [left + 1, left + 40, right - 1])
              for (const element of document.elementsFromPoint(x, y))
                if (element.closest(others) !== null) under.add(`${scrolled}: ${element.outerHTML.slice(0, 120)}`);
        }
      }
      const covered = [...document.querySelectorAll(".spine .digest")].filter((digest) => {
        const [code, button] = [digest.querySelector("code"), digest.querySelector(".copy")];
        return code !== null && button !== null && code.getBoundingClientRect().right > button.getBoundingClientRect().left + 1;
      });
      return { under: [...under], covered: covered.map(({ textContent }) => textContent), tooWide: Math.max(0, scrollWidth - innerWidth) };
    });
    expect(found, `${name} at ${width} px`).toEqual({ under: [], covered: [], tooWide: 0 });
  }
}

/** openFixtureSite serves the fixture pages on a port.
 *  @param more answers besides them; null for the rest
 *  @returns the address, without a slash at its end */
export async function openFixtureSite(
  more: (path: string) => FixtureAnswer | null = () => null,
): Promise<{ readonly url: string; close(): void }> {
  const renderer = await openRenderer(findSiteDist());
  const server = createServer(async (request, response) => {
    const { status, type, body } = more(request.url ?? "") ?? (await answerFixture(renderer, request.url ?? "/"));
    response.writeHead(status, { "content-type": type, "content-security-policy": CONTENT_SECURITY_POLICY }).end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

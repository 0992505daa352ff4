/** Requests of the search page on a plain host, in a real browser, over ten thousand pages: requests and bytes of bodies as they lie on the
 *  host, which compresses nothing. Queries are one to three words of the library's own texts; each first one has a browser of its own. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openStaticServer } from "../../snapshots/contract/static-server.ts";
import { type Corpus, writeCorpus } from "./corpus.ts";
import type { Figure, Skipped } from "./figure.ts";
import { measureBuild, runCommand, writeConfig } from "./library.ts";
import { findBrowser } from "../testing/browser.ts";

export const CHROMIUM = findBrowser() ?? "/usr/bin/chromium";
export const FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
const BROWSERS = 5;
const QUERIES = 5; // of each, the first of them new to it

/** benchBrowserSearch measures the search page on a plain host.
 *  @param objects at most 11,150, as many as the packages hold */
export async function benchBrowserSearch(folder: string, objects = 10_000): Promise<readonly Figure[] | Skipped> {
  if (!existsSync(CHROMIUM)) return { skipped: `there is no ${CHROMIUM}` };
  const corpus = await writeCorpus(join(folder, "library"), objects);
  if (typeof corpus === "string") return { skipped: corpus };
  const config = await writeConfig(folder, "Files of two Debian packages", corpus.collections);
  const { host, browser } = await openExported(folder, config);
  try {
    const queries = await makeQueries(corpus, BROWSERS * QUERIES);
    const first: Cost[] = [];
    const later: Cost[] = [];
    let unlike = 0;
    for (let run = 0; run < BROWSERS; run++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const cost = { requests: 0, bytes: 0 };
      page.on("requestfinished", async (request) => {
        // Drawn by the browser's frame, not by the search.
        if (request.url().endsWith(".svg")) return;
        cost.requests++;
        cost.bytes += (await (await request.response())?.body().catch(() => null))?.length ?? 0;
      });
      await page.goto(`${host.url}search/`, { waitUntil: "networkidle" });
      for (const [at, query] of queries.slice(run * QUERIES, (run + 1) * QUERIES).entries()) {
        Object.assign(cost, { requests: 0, bytes: 0 });
        await page.getByRole("searchbox").fill(query);
        await page.waitForURL((url) => url.searchParams.get("q") === query);
        await page.waitForLoadState("networkidle");
        (at === 0 ? first : later).push({ ...cost });
        const typed = await page.locator(".card-title").allTextContents();
        if (at > 0) continue;
        const sent = await context.newPage();
        await sent.goto(`${host.url}search/?q=${encodeURIComponent(query)}`, { waitUntil: "networkidle" });
        const entered = await sent.locator(".card-title").allTextContents();
        if (typed.slice(0, 5).join("\n") !== entered.slice(0, 5).join("\n")) unlike++;
        await sent.close();
      }
      await context.close();
    }
    return [
      most("requests of a first query", first, "requests", 20),
      most("kB of a first query", first, "bytes", 300),
      most("kB of a later query", later, "bytes", 100),
      {
        figure: "queries whose first five differ between typing and sending",
        value: unlike,
        unit: `of ${BROWSERS}`,
        target: { at: "most", value: 0 },
        note: `${objects} objects`,
      },
    ];
  } finally {
    await browser.close();
    await host.close();
  }
}

/** Builds a library, exports it beside itself, and opens a plain host of that and a browser. */
async function openExported(folder: string, config: string) {
  await measureBuild(config);
  const exported = join(folder, "export");
  await runCommand(["export", exported, "--config", config]);
  const host = await openStaticServer(exported);
  const { chromium } = await import("playwright");
  return { host, browser: await chromium.launch({ executablePath: CHROMIUM, args: FLAGS }) };
}

type Cost = { readonly requests: number; readonly bytes: number };

function most(figure: string, costs: readonly Cost[], of: keyof Cost, target: number): Figure {
  const scale = of === "bytes" ? 1000 : 1;
  const values = costs.map((cost) => cost[of] / scale);
  return {
    figure,
    value: Math.max(...values),
    unit: of === "bytes" ? "kB" : "",
    target: { at: "most", value: target },
    note: `the most of ${values.length}; mean ${(values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(1)}`,
  };
}

/** One to three words that stand side by side in files which lie far apart. */
async function makeQueries({ root, keys }: Corpus, count: number): Promise<string[]> {
  const queries: string[] = [];
  for (let at = 0; queries.length < count && at < keys.length * 7; at += Math.max(1, Math.floor((keys.length * 7) / (count * 3)))) {
    const words = (await readFile(join(root, keys[at % keys.length] ?? ""), "utf8")).match(/\p{L}[\p{L}\p{N}_]{2,}/gu) ?? [];
    const from = (at * 31) % Math.max(1, words.length - 3);
    const query = words.slice(from, from + 1 + (queries.length % 3)).join(" ");
    if (query !== "") queries.push(query);
  }
  return queries;
}

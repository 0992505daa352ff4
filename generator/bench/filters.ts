/** How long a filter of the registry takes on a host of plain files, in a real browser: the page is asked for as a reader asks who follows a
 *  filter's link, and is done when it says how many records are left. */
import { existsSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright";
import { CHROMIUM, openExported } from "./browser-search.ts";
import { type Figure, figuresAt, type Skipped } from "./figure.ts";
import { writeConfig } from "./library.ts";
import { writeNotes, writeRegistry } from "./notes.ts";

const RECORDS = 50_000;
const MAX_MS = 100;
const MAX_TEXT_KB = 300;
const TEXTS = ["q=insert", "q=sorted_digest", "q=claim+tree&kind=Lemma", "q=CUB-00777"];
const QUERIES = [
  "verification_state=NOT_VERIFIED",
  "kind=Lemma",
  "kind=Lemma&kind=Theorem&invocation=runtime",
  "repo=repo-7&verification_state=VERIFIED",
  "use_case=crypto&invocation=unwired&part=3",
  "formal_systems=Coq",
];

/** @param folder a new one */
export async function benchFilters(folder: string, records = RECORDS): Promise<readonly Figure[] | Skipped> {
  if (!existsSync(CHROMIUM)) return { skipped: `there is no ${CHROMIUM}` };
  await writeNotes(folder, 100);
  const config = await writeConfig(folder, "Records on a plain host", ["notes"], [], await writeRegistry(folder, records));
  const { host, browser } = await openExported(folder, config);
  try {
    const page = await browser.newPage();
    // The first one brings the columns that the others have then.
    const first = await filter(page, host.url, QUERIES[0] ?? "");
    const times: Times[] = [];
    for (const query of QUERIES.slice(1)) times.push(await filter(page, host.url, query));
    const read: number[] = [];
    for (const query of TEXTS) read.push(await readFor(await browser.newPage(), host.url, query));
    const most = figuresAt(`${records.toLocaleString("en")} records`);
    const worst = (of: keyof Times): number => Math.max(...times.map((one) => one[of]));
    return [
      most(
        "a filter, from the columns that are there to what is left and every count",
        worst("filter"),
        "ms",
        MAX_MS,
        `the worst of ${times.length}; the whole page, from its link to the cards, ${worst("page").toFixed(0)} ms, the first time ${first.page.toFixed(0)} ms`,
      ),
      most(
        "a text filter, what is read of the registry as hosts compress it",
        Math.max(...read),
        "kB",
        MAX_TEXT_KB,
        `the worst of ${TEXTS.join(", ")}, cards included, each in a browser that has nothing`,
      ),
    ];
  } finally {
    await browser.close();
    await host.close();
  }
}

type Times = { readonly filter: number; readonly page: number };

/** Kilobytes of the files that a page asks for besides itself. */
async function readFor(page: Page, url: string, query: string): Promise<number> {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/\/(?:registry|api)\/.*\.json$/.test(request.url())) asked.push(request.url());
  });
  await filter(page, url, query);
  await page.close();
  let bytes = 0;
  for (const one of asked) bytes += gzipSync(await (await fetch(one)).arrayBuffer()).length;
  return bytes / 1000;
}

async function filter(page: Page, url: string, query: string): Promise<Times> {
  const began = performance.now();
  await page.goto(`${url}registry/?${query}`, { waitUntil: "commit" });
  await page.locator("[data-status]", { hasText: / of / }).waitFor({ timeout: 120_000 });
  const took = performance.now() - began;
  const measured = await page.evaluate(() => performance.getEntriesByName("filter").at(-1)?.duration ?? Number.NaN);
  return { filter: measured, page: took };
}

/** The cost of a stranger's checks: a copy of a public shelf beside curl over the same bytes, and proofs in a log of a million publications. */
import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { blobPath } from "../../snapshots/format/layout.ts";
import { appendEntries, tileNodes } from "../../snapshots/log/tiles.ts";
import { hashLeaf, proveConsistency, proveInclusion, treeRoot, verifyConsistency, verifyInclusion } from "../../snapshots/log/tree.ts";
import { generateKey, parseSigningKey } from "../../snapshots/log/note.ts";
import { extendLog } from "../../snapshots/shelf/log.ts";
import { reachable } from "../../snapshots/shelf/reach.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { AT_ONCE } from "../annex/trust/origin.ts";
import { startServing } from "../testing/serving-process.ts";
import { writeCorpus } from "./corpus.ts";
import { CHROMIUM, FLAGS } from "./browser-search.ts";
import { type Figure, percentile, type Skipped } from "./figure.ts";
import { measureBuild, runCommand, writeConfig } from "./library.ts";
import { measure } from "./measure.ts";

const MAX_RATIO = 1.5;
const MAX_SHARE = 2;
/** Entries that are added to each root's log. */
const LOGGED = 20;
const MAX_PAGE_MS = 300;
const MAX_PAGE_KB = 40;
/** Pages that are verified. */
const VERIFIED = 10;
const PUBLICATIONS = 1_000_000;
const MAX_REQUESTS = 20;
const MAX_WORK_MS = 50;
/** Entries that are added to the log at a time. */
const STEP = 65_536;

/** benchOpenShelf measures a stranger's checks.
 *  @param objects at most 11,150, as many as the packages hold */
export async function benchOpenShelf(folder: string, objects = 10_000): Promise<readonly Figure[] | Skipped> {
  const corpus = await writeCorpus(join(folder, "library"), objects);
  if (typeof corpus === "string") return { skipped: corpus };
  const config = await writeConfig(folder, "Files of two Debian packages", corpus.collections);
  const { summary } = await measureBuild(config);
  const site = await startServing(["--only", "site", "--config", config]);
  try {
    const digests = await reachable(openDirectoryShelf(join(folder, "shelf/public")), [summary.snapshot]);
    await mkdir(join(folder, "curl"));
    const wanted = join(folder, "wanted");
    const lines = [...digests].map((digest) => `url = "${site.url}${blobPath(digest)}"\noutput = "${join(folder, "curl", digest)}"\n`);
    await writeFile(wanted, lines.join(""));
    const curl = ["curl", "--silent", "--show-error", "--fail", "--parallel", "--parallel-max", `${AT_ONCE}`, "--config", wanted];
    // The server finds out which blobs are in service with the first request.
    await measure([...curl, "--max-time", "600"], { limit_s: 600 });
    const copied = await measure(curl, { limit_s: 3_600 });
    const mirrored = await runCommand(["mirror", site.url, join(folder, "copy"), "--json"]);
    const { bytes, blobs } = JSON.parse(mirrored.stdout) as { bytes: number; blobs: number };
    return [
      {
        figure: `copying a shelf of ${objects.toLocaleString("en")} objects`,
        value: mirrored.wall_s / copied.wall_s,
        unit: "× curl",
        target: { at: "most", value: MAX_RATIO },
        note: `${mirrored.wall_s.toFixed(1)} s with its search index, curl ${copied.wall_s.toFixed(1)} s for ${blobs.toLocaleString("en")} files, ${Math.round(bytes / 1e6)} MB`,
      },
      ...(await benchPage(`${site.url}/browse/`)),
      await benchLog(folder, config, join(folder, "library", corpus.keys[0] ?? "")),
      ...(await benchProofs()),
    ];
  } finally {
    await site.stop();
  }
}

/** The log's share of a build that publishes one changed object: both roots' next entries and signed heads, on a copy of their logs. */
async function benchLog(folder: string, config: string, object: string): Promise<Figure> {
  await appendFile(object, "\nOne more line.\n");
  const { cost } = await measureBuild(config);
  const key = parseSigningKey(generateKey("bench.example/shelf").privateKey);
  const times: number[] = [];
  for (const view of ["public", "internal"]) {
    const root = join(folder, "logged", view);
    await cp(join(folder, "shelf", view), root, {
      recursive: true,
      filter: (path) => !/\/(blobs|packs|index|build|tmp)$/.test(path),
    });
    const shelf = openDirectoryShelf(root, view === "public" ? null : openDirectoryShelf(join(folder, "logged/public")));
    const last = (await shelf.history.listRecords()).at(-1);
    if (last === undefined) throw new Error("Nothing was published.");
    for (let sequence = last.sequence + 1; sequence <= last.sequence + LOGGED; sequence++) {
      const began = performance.now();
      await extendLog(shelf, { ...last, sequence }, { origin: "bench.example/shelf", key });
      times.push(performance.now() - began);
    }
  }
  const both =
    2 *
    percentile(
      times.sort((a, b) => a - b),
      0.5,
    );
  return {
    figure: "publishing with a signed log, of a build with one change",
    value: (100 * both) / (1000 * cost.wall_s),
    unit: "%",
    target: { at: "most", value: MAX_SHARE },
    note: `${both.toFixed(1)} ms for both views, the middle of ${times.length}; the build ${cost.wall_s.toFixed(1)} s`,
  };
}

/** "Verify this page" in a browser, from the click to what it says, and what it loads for that. */
async function benchPage(url: string): Promise<readonly Figure[]> {
  if (!existsSync(CHROMIUM)) return [];
  const { chromium } = await import("playwright");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const times: number[] = [];
    const bytes: number[] = [];
    for (let at = 0; at < VERIFIED; at++) {
      const page = await browser.newPage();
      await page.goto(url, { waitUntil: "networkidle" });
      let loaded = 0;
      page.on("requestfinished", async (request) => (loaded += (await request.sizes()).responseBodySize));
      const took = await page.evaluate(async () => {
        const began = performance.now();
        const done = new Promise((resolve) =>
          new MutationObserver(() => document.querySelector("[data-verified]") !== null && resolve(null)).observe(document.body, {
            subtree: true,
            childList: true,
            attributes: true,
          }),
        );
        (document.querySelector("[data-verify] button") as HTMLElement).click();
        await done;
        return performance.now() - began;
      });
      times.push(took);
      await page.waitForLoadState("networkidle");
      bytes.push(loaded / 1000);
      await page.close();
    }
    const most = (figure: string, values: readonly number[], unit: string, target: number): Figure => ({
      figure,
      value: Math.max(...values),
      unit,
      target: { at: "most", value: target },
      note: `the most of ${values.length}; a new page each`,
    });
    return [most("verifying a page in the browser", times, "ms", MAX_PAGE_MS), most("loaded for that", bytes, "kB", MAX_PAGE_KB)];
  } finally {
    await browser.close();
  }
}

async function benchProofs(): Promise<readonly Figure[]> {
  const files = new Map<string, Buffer>();
  const entryOf = (at: number): Buffer => Buffer.from(`{"sequence":${at + 1}}`);
  for (let size = 0; size < PUBLICATIONS; size += STEP) {
    const added = Array.from({ length: Math.min(STEP, PUBLICATIONS - size) }, (_, at) => entryOf(size + at));
    for (const { path, bytes } of await appendEntries(size, added, async (path) => files.get(path) ?? null)) files.set(path, bytes);
  }
  const [index, older] = [654_321, 333_333];
  const whole = async (path: string): Promise<Buffer | null> => files.get(path) ?? null;
  const root = await treeRoot(PUBLICATIONS, tileNodes(PUBLICATIONS, whole));
  const before = { size: older, root: await treeRoot(older, tileNodes(PUBLICATIONS, whole)) };
  const asked = new Set<string>();
  const began = performance.now();
  const nodes = tileNodes(PUBLICATIONS, async (path) => {
    asked.add(path);
    return files.get(path) ?? null;
  });
  const inclusion = await proveInclusion(index, PUBLICATIONS, nodes);
  const consistency = await proveConsistency(older, PUBLICATIONS, nodes);
  const holds =
    verifyInclusion(hashLeaf(entryOf(index)), index, PUBLICATIONS, inclusion, root) &&
    verifyConsistency(before, { size: PUBLICATIONS, root }, consistency);
  const work = performance.now() - began;
  if (!holds) throw new Error("The proofs do not hold.");
  const many = `in a log of ${PUBLICATIONS.toLocaleString("en")} publications`;
  return [
    {
      figure: `inclusion and consistency ${many}`,
      value: asked.size,
      unit: "requests",
      target: { at: "most", value: MAX_REQUESTS },
      note: `tiles of 256 hashes; ${inclusion.length} and ${consistency.length} hashes prove them`,
    },
    {
      figure: `the work of both ${many}`,
      value: work,
      unit: "ms",
      target: { at: "most", value: MAX_WORK_MS },
      note: "hashing what was read, without the network; once, cold",
    },
  ];
}

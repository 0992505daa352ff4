/** The cost of a long history: a shelf with ten thousand publications, and what readers and operators ask of it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { canonicalJson, sha256 } from "../../snapshots/digest.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { formatTree, parseTree } from "../../snapshots/format/tree.ts";
import { extendLog } from "../../snapshots/shelf/log.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { Changes, SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import { startServing } from "../testing/serving-process.ts";
import { type Figure, figuresAt, median, percentile } from "./figure.ts";
import { measureBuild, runCommand } from "./library.ts";

const PUBLICATIONS = 10_000;
const MAX_START_S = 1;
const MAX_AT_MS = 5;
const MAX_FIRST_PAGE_MS = 50;
const MAX_LIST_S = 1;
const ASKED = 500;
const ROUNDS = 3;
/** Names that the publications of the bench change, each in turn. */
const CHANGED = "notes/append-only-logs.md";

/** benchHistory measures a long history.
 *  @param config of a library that is built, with its shelf and its objects beside it
 *  @param folder of both */
export async function benchHistory(config: string, folder: string): Promise<readonly Figure[]> {
  const short = await startSeconds(config);
  const root = join(folder, "shelf/public");
  const ids = await writeHistory(root);
  const bare = await startSeconds(config);
  const shelf = openDirectoryShelf(root);
  await extendLog(shelf, (await shelf.readPointer()) as SnapshotRecord, { origin: "bench.example/shelf", key: null });
  await shelf.records.keep(PUBLICATIONS);
  const long = await startSeconds(config);
  const site = await startServing(["--only", "site", "--config", config]);
  try {
    const ask = async (path: string, status: number): Promise<number> => {
      const began = performance.now();
      const { statusCode, body } = await request(site.url + path);
      await body.dump({ limit: 1 << 30 });
      if (statusCode !== status) throw new Error(`${path} answered ${statusCode}, not ${status}.`);
      return performance.now() - began;
    };
    for (let n = 0; n < 20; n++) await ask(pagePath.at(ids[n] ?? "", "/api/catalog"), 200);
    const known: number[] = [];
    const unknown: number[] = [];
    for (let n = 0; n < ASKED; n++) {
      known.push(await ask(pagePath.at(ids[100 + n * 19] ?? "", "/api/catalog"), 200));
      unknown.push(await ask(pagePath.at(sha256(`unknown ${n}`), "/api/catalog"), 404));
    }
    const list = await ask(pagePath.snapshots, 200);
    const first = await ask(pagePath.object(CHANGED), 200);
    const pages: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await appendFile(join(folder, "library", CHANGED), `\nRound ${round}.\n`);
      const { summary } = await measureBuild(config);
      for (;;) {
        const { headers, body } = await request(`${site.url}/api/list`);
        await body.dump();
        if (headers["x-snapshot"] === summary.snapshot) break;
      }
      pages.push(await ask(pagePath.object(CHANGED), 200));
    }
    const lists: number[] = [];
    for (let round = 0; round < ROUNDS; round++) lists.push((await runCommand(["snapshots", "list", "--json", "--config", config])).wall_s);
    const sorted = [...known, ...unknown].sort((a, b) => a - b);
    const many = `${PUBLICATIONS.toLocaleString("en")} publications`;
    const most = figuresAt(many);
    return [
      most(
        "start of a server",
        long,
        "s",
        MAX_START_S,
        `the command line and the server; with one publication ${short.toFixed(2)} s, without the log ${bare.toFixed(2)} s`,
      ),
      most(
        "/at, p99",
        percentile(sorted, 0.99),
        "ms",
        MAX_AT_MS,
        `${ASKED} snapshots that were not open, p50 ${median(known).toFixed(1)} ms, and as many ids that are none, p50 ${median(unknown).toFixed(1)} ms; worst ${sorted.at(-1)?.toFixed(1)} ms`,
      ),
      most(
        "first object page after a publication",
        Math.max(...pages),
        "ms",
        MAX_FIRST_PAGE_MS,
        `the worst of ${ROUNDS} builds: ${pages.map((ms) => ms.toFixed(1)).join(", ")} ms; the first of all since the server was started, which reads the whole history, ${first.toFixed(0)} ms; a part of /snapshots/ ${list.toFixed(1)} ms`,
      ),
      most("snapshots list", median(lists), "s", MAX_LIST_S, `the 50 newest; ${lists.map((wall) => wall.toFixed(2)).join(", ")} s`),
    ];
  } finally {
    await site.stop();
    await rm(join(folder, "shelf"), { recursive: true });
  }
}

async function startSeconds(config: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const site = await startServing(["--only", "site", "--config", config]);
    times.push((performance.now() - began) / 1000);
    await site.stop();
  }
  return median(times);
}

/** Publications of a snapshot that is there, each with one other file in its root, so that each is a snapshot of its own.
 *  @param root of a shelf with one publication
 *  @returns their ids */
async function writeHistory(root: string): Promise<readonly string[]> {
  const shelf = openDirectoryShelf(root);
  const first = (await shelf.readPointer()) as SnapshotRecord;
  const tree = parseTree((await shelf.getBlob(first.snapshot)) as Uint8Array);
  const none = { objects: [], claims: [], records: [] };
  const changes: Changes = { added: none, changed: { ...none, objects: [CHANGED] }, removed: none };
  const write = (path: string, text: string | Uint8Array): void => writeFileSync(join(root, path), text);
  let last = first;
  const ids: string[] = [];
  for (let sequence = 2; sequence <= PUBLICATIONS; sequence++) {
    const text = String(sequence);
    const bytes = formatTree([...tree, { kind: "blob", name: "turn.txt", sha256: sha256(text), size: text.length, type: "text/plain" }]);
    const id = sha256(bytes);
    for (const [digest, blob] of [
      [sha256(text), text],
      [id, bytes],
    ] as const) {
      mkdirSync(join(root, "blobs", digest.slice(0, 2)), { recursive: true });
      write(`blobs/${digest.slice(0, 2)}/${digest}`, blob);
    }
    last = { ...first, sequence, snapshot: id, previous: last.snapshot };
    write(`changes/${sequence}.json`, canonicalJson(changes));
    write(`snapshots/${sequence}.json`, canonicalJson(last));
    ids.push(id);
  }
  await shelf.history.swapPointer(last, first);
  return ids;
}

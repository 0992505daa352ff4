/** The parts that grow with a library, at its full size and at a tenth of it: builds, and a server that has just been started. */
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Pool } from "undici";
import { objectPath, pagePath } from "../../snapshots/format/layout.ts";
import { startServing } from "../testing/serving-process.ts";
import { type Figure, figuresAt, percentile } from "./figure.ts";
import { measureBuild, runCommand, writeConfig } from "./library.ts";
import { type Cost, cpuOfTree, memoryOfTree } from "./measure.ts";
import { writeNotes, writeRegistry } from "./notes.ts";

const FULL = 100_000;
const SMALLER = 10;
const MAX_GROWTH = 1.15;
const MAX_PEAK_MB = 1500;
const MAX_UNCHANGED_S = 2;
const MAX_CHANGED_PERCENT = 1;
const MAX_START_S = 3;
const MAX_SERVER_MB = 600;
const MAX_PAGE_KB = 60;
const MIN_ARCHIVE_MB_S = 50;
const MAX_FILES = 4;
const MAX_FIRST_MS = 300;
const MAX_P95_MS = 20;
/** Over all records, the first of each kind when nothing like it was asked yet. */
const RECORD_QUERIES: readonly (readonly [what: string, path: string])[] = [
  ["two filters", "/api/cubs?verification_state=VERIFIED&wiring=DOC-REFERENCE"],
  ["words with many hits", "/api/cubs?q=insert"],
  ["words and counts of every filter", "/api/cubs?q=digest&facets=true"],
  ["the registry's page", "/registry/?q=sorted"],
];
const ROUNDS = 40;
/** The files that a server makes aside when it has been started. */
const SETTLED_MS = 5000;

/** benchScale measures what grows with a library.
 *  @param folder a new one
 *  @param objects and half as many records; a tenth of them in one folder */
export async function benchScale(folder: string, objects = FULL): Promise<readonly Figure[]> {
  const small = await buildCold(join(folder, "small"), objects / SMALLER);
  const full = await buildCold(join(folder, "full"), objects);
  const { cost: same, summary } = await measureBuild(full.config);
  if (summary.published) throw new Error("A build of an unchanged library published a snapshot.");
  await appendFile(join(folder, "full/library", full.keys[Math.floor(objects / 2)] ?? ""), "\nOne line more.\n");
  const { cost: one } = await measureBuild(full.config);
  const asked = await askRecords(full.config);
  const site = await readEverything(full.config, full.keys);
  const exported = await runCommand([
    "export",
    join(folder, "export"),
    "--without-shelf",
    "--without-search",
    "--json",
    "--config",
    full.config,
  ]);
  const { files } = JSON.parse(exported.stdout) as { readonly files: number };
  const at = `${objects.toLocaleString("en")} objects, ${(objects / 2).toLocaleString("en")} records`;
  const most = figuresAt(at);
  const tell = ({ cpu_s, wall_s, peak_mb }: Cost): string =>
    `${cpu_s.toFixed(1)} s of processor, ${wall_s.toFixed(1)} s by the clock, ${peak_mb.toFixed(0)} MB`;
  return [
    most(
      "cold build, of linear growth from a tenth",
      full.cost.cpu_s / small.cost.cpu_s / SMALLER,
      "×",
      MAX_GROWTH,
      `${tell(full.cost)}: ${programs(full.cost)}; a tenth ${tell(small.cost)}`,
    ),
    most(
      "cold build, peak memory of all its processes",
      full.cost.peak_mb,
      "MB",
      MAX_PEAK_MB,
      `a tenth ${small.cost.peak_mb.toFixed(0)} MB`,
    ),
    most("nothing changed, processor", same.cpu_s, "s", MAX_UNCHANGED_S, tell(same)),
    most("one changed, processor, of the cold build", (100 * one.cpu_s) / full.cost.cpu_s, "%", MAX_CHANGED_PERCENT, tell(one)),
    most(
      "server, start to the first answer",
      site.start_s,
      "s",
      MAX_START_S,
      `${site.start_cpu_s.toFixed(1)} s of processor; memory then ${site.fresh_mb.toFixed(0)} MB`,
    ),
    most(
      "server, resident memory",
      site.used_mb,
      "MB",
      MAX_SERVER_MB,
      `after ${site.requests} requests of each kind, /api/catalog included`,
    ),
    ...asked.flatMap(({ what, first_ms, p95_ms }) => [
      most(`${what}, first`, first_ms, "ms", MAX_FIRST_MS, "of a server that was started some seconds before"),
      most(`${what}, 95 of 100`, p95_ms, "ms", MAX_P95_MS, `each of ${ROUNDS} asked for another part, so that none was asked before`),
    ]),
    most(
      "export, files an object and record",
      files / (full.keys.length * 1.5),
      "",
      MAX_FILES,
      `${files} files, without shelf, twins and texts`,
    ),
    {
      figure: `archive of the snapshot, ${at}`,
      value: site.archive.mb / site.archive.s,
      unit: "MB/s",
      target: { at: "least", value: MIN_ARCHIVE_MB_S },
      note: `${site.archive.mb.toFixed(0)} MB in ${site.archive.s.toFixed(1)} s; the server's memory ${site.archive.grown_mb.toFixed(0)} MB higher after it`,
    },
    ...site.pages.map(([path, bytes]) =>
      most(`${path}, without its styles and scripts`, bytes / 1000, "kB", MAX_PAGE_KB, "not compressed"),
    ),
  ];
}

async function buildCold(
  folder: string,
  objects: number,
): Promise<{ readonly config: string; readonly keys: readonly string[]; readonly cost: Cost }> {
  await mkdir(folder, { recursive: true });
  const keys = await writeNotes(folder, objects, objects / 10);
  const registry = await writeRegistry(folder, objects / 2);
  const config = await writeConfig(folder, "Notes and records", ["notes"], [], registry);
  const { cost } = await measureBuild(config);
  return { config, keys, cost };
}

function programs({ by_process }: Cost): string {
  const parts = Object.entries(by_process).sort(([, a], [, b]) => b - a);
  return parts
    .filter(([, cpu]) => cpu >= 1)
    .map(([name, cpu]) => `${name} ${cpu.toFixed(0)}`)
    .join(", ");
}

/** askRecords asks a server each query, the first time and then for other parts.
 *  @returns milliseconds from a request to the end of its answer, one request at a time */
export async function askRecords(
  config: string,
  queries: typeof RECORD_QUERIES = RECORD_QUERIES,
): Promise<readonly { readonly what: string; readonly first_ms: number; readonly p95_ms: number }[]> {
  const site = await startServing(["--only", "site", "--config", config]);
  const pool = new Pool(site.url, { connections: 1, bodyTimeout: 0, headersTimeout: 0 });
  const ask = async (path: string): Promise<{ readonly ms: number; readonly text: string }> => {
    const began = performance.now();
    const { statusCode, body } = await pool.request({ path, method: "GET" });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}.`);
    return { ms: performance.now() - began, text };
  };
  try {
    await ask("/api/list");
    await setTimeout(SETTLED_MS);
    const found: { readonly what: string; readonly first_ms: number; readonly p95_ms: number }[] = [];
    for (const [what, path] of queries) {
      const { ms: first_ms, text } = await ask(path);
      const later: number[] = [];
      // A small library has fewer parts than there are rounds.
      const parts = Math.max(1, ...[...text.matchAll(/[?&;]part=(\d+)/g)].map(([, part]) => Number(part)));
      const other = path.startsWith("/api/") ? (at: number) => `limit=${at + 1}` : (at: number) => `part=${(at % parts) + 1}`;
      for (let at = 0; at < ROUNDS; at++) later.push((await ask(`${path}&${other(at)}`)).ms);
      found.push({
        what,
        first_ms,
        p95_ms: percentile(
          later.sort((a, b) => a - b),
          0.95,
        ),
      });
    }
    return found;
  } finally {
    await pool.destroy();
    await site.stop();
  }
}

/** Everything that readers ask of a server, some of each. */
async function readEverything(
  config: string,
  keys: readonly string[],
): Promise<{
  readonly start_s: number;
  readonly start_cpu_s: number;
  readonly fresh_mb: number;
  readonly used_mb: number;
  readonly requests: number;
  readonly archive: { readonly mb: number; readonly s: number; readonly grown_mb: number };
  readonly pages: readonly (readonly [path: string, bytes: number])[];
}> {
  const began = performance.now();
  const site = await startServing(["--only", "site", "--config", config]);
  const pool = new Pool(site.url, { connections: 4, bodyTimeout: 0, headersTimeout: 0 });
  const read = async (path: string): Promise<number> => {
    const { statusCode, body } = await pool.request({ path, method: "GET" });
    let bytes = 0;
    for await (const chunk of body) bytes += (chunk as Buffer).length;
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}.`);
    return bytes;
  };
  /** Megabytes of the command line and of the server that it has started. */
  const memory = (): number => memoryOfTree(site.child.pid ?? 0);
  try {
    await read("/api/list");
    const start_s = (performance.now() - began) / 1000;
    const start_cpu_s = cpuOfTree(site.child.pid ?? 0);
    const fresh_mb = memory();
    const requests = 20;
    for (let at = 0; at < requests; at++) {
      const key = keys[(at * 7919) % keys.length] ?? "";
      const id = `CUB-${String(((at * 7919) % Math.floor(keys.length / 2)) + 1).padStart(5, "0")}`;
      const folder = key.slice(0, key.lastIndexOf("/") + 1);
      for (const path of [
        objectPath(key),
        pagePath.object(key),
        pagePath.browse(folder),
        `/api/list?prefix=${folder}`,
        `/api/search?q=digest+${at}`,
        `/api/cubs?q=insert+${at}`,
        `/api/cubs/${id}`,
        pagePath.record(id),
        "/registry/",
      ])
        await read(path);
    }
    for (const path of ["/api/catalog", "/api/cubs.json", "/api/catalog"]) await read(path);
    const pages: (readonly [string, number])[] = [];
    for (const path of ["/", "/search/?q=digest", "/registry/", "/registry/?verification_state=VERIFIED", "/browse/notes/flat/"])
      pages.push([path, await read(path)]);
    const used_mb = memory();
    const asked = performance.now();
    const mb = (await read("/api/archive.tar")) / 1e6;
    const archive = { mb, s: (performance.now() - asked) / 1000, grown_mb: memory() - used_mb };
    return { start_s, start_cpu_s, fresh_mb, used_mb, requests, archive, pages };
  } finally {
    await pool.destroy();
    await site.stop();
  }
}

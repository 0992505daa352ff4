/** Prints how fast extract is on the files of a folder: `node generator/extract/bench.ts FOLDER [--pool] [--ext v,md]`. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { compileWorker, WORKER } from "./compile-worker.ts";
import { extract } from "./extract.ts";
import { parseExtract } from "./extract-json.ts";
import { openExtractPool } from "./pool.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pool: { type: "boolean", default: false },
    ext: { type: "string" },
    limit: { type: "string", default: "10000" },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("usage: node generator/extract/bench.ts FOLDER [--pool] [--ext v,md] [--limit N]");
const wanted = values.ext?.split(",");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((name) => join(folder, name))
  .filter((path) => (wanted === undefined || wanted.some((end) => path.endsWith(`.${end}`))) && statSync(path).isFile())
  .sort()
  .slice(0, Number(values.limit));
const objects = files.map((path) => ({ key: relative(folder, path), bytes: readFileSync(path) }));
const compiled = mkdtempSync(join(tmpdir(), "extract-bench-"));
if (values.pool) await compileWorker(compiled);
const pool = values.pool ? openExtractPool({ worker: join(compiled, WORKER) }) : null;
const run = async (key: string, bytes: Uint8Array): ReturnType<typeof extract> =>
  pool === null ? extract(key, bytes) : parseExtract((await pool.extract(key, bytes)).json);
for (const { key, bytes } of objects.slice(0, 200)) await run(key, bytes);
const kinds = new Map<string, { count: number; bytes: number; ms: number; html: number; passages: number; worst: number; key: string }>();
const started = performance.now();
const one = async ({ key, bytes }: (typeof objects)[number]): Promise<void> => {
  const before = performance.now();
  const { kind, language, html, passages } = await run(key, bytes);
  const ms = performance.now() - before;
  const name = language ?? kind;
  const sum = kinds.get(name) ?? { count: 0, bytes: 0, ms: 0, html: 0, passages: 0, worst: 0, key: "" };
  kinds.set(name, {
    count: sum.count + 1,
    bytes: sum.bytes + bytes.length,
    ms: sum.ms + ms,
    html: sum.html + (html?.length ?? 0),
    passages: sum.passages + passages.length,
    worst: Math.max(sum.worst, ms),
    key: ms > sum.worst ? key : sum.key,
  });
};
if (pool === null) for (const object of objects) await one(object);
else await Promise.all(objects.map(one));
const elapsed = performance.now() - started;
console.log(
  `${objects.length} objects, ${Math.round((objects.length / elapsed) * 1000)} objects/s, ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
);
for (const [name, sum] of kinds) {
  const each = pool === null ? `${(sum.ms / sum.count).toFixed(2)} ms each, worst ${sum.worst.toFixed(0)} ms (${sum.key}), ` : "";
  console.log(
    `  ${name}: ${sum.count} of ${(sum.bytes / sum.count / 1000).toFixed(1)} kB, ${each}` +
      `${(sum.html / Math.max(1, sum.bytes)).toFixed(2)} times the bytes in HTML, ${(sum.passages / sum.count).toFixed(1)} passages each`,
  );
}
await pool?.close();
rmSync(compiled, { recursive: true });

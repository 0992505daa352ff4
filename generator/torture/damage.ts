/** Each file of a shelf, damaged in every way: flipped, truncated, extended, zeroed, deleted, swapped.
 *
 *  One damage at a time is judged. Whatever a server then answers is what it answered before, or an error; and an error that nothing
 *  names, neither `verify` nor `/health`, is a failure. So each damage is refused, harmless or named. Files that only builds read are
 *  judged by a build, which gives the same snapshots. Then some damages together go to `repair`, after which verification is clean
 *  or names what is lost, and a build has nothing to do. */
import { appendFile, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { answer } from "../../snapshots/http/answer.ts";
import { openView, type View } from "../../snapshots/http/view.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { openRenderer, type Renderer } from "../../snapshots/page/renderer.ts";
import { storedPages } from "../../snapshots/page/stored-pages.ts";

import { SILENT } from "../testing/library.ts";
import { compileSite } from "../pages/compile-site.ts";
import { countErrors } from "../publish/verify-library.ts";

import { VERSION } from "../files/version.ts";
import type { DamagedLibrary } from "./damaged-library.ts";
import { openRandom, type Random } from "./random.ts";
import { build, openShelves, repair, verifyLibrary } from "../testing/whole.ts";
import { ROUTES } from "../../snapshots/service/routes.ts";
import { SERVICE } from "../../snapshots/service/service.ts";

const KINDS = ["flip", "truncate", "extend", "zero", "delete", "swap"] as const;
type Kind = (typeof KINDS)[number];

/** Kinds of files by where they lie; the first that fits. */
const CLASSES: readonly (readonly [name: string, path: RegExp])[] = [
  ["pointer", /^\w+\/current\.json$/],
  ["record", /^\w+\/snapshots\//],
  ["changes", /^\w+\/changes\//],
  ["log", /^\w+\/records\.log$/],
  ["checkpoint or tile", /^\w+\/(checkpoints|tile)\//],
  ["blob", /^\w+\/blobs\//],
  ["pack", /^\w+\/packs\//],
  ["index manifest", /^\w+\/index\/manifests\//],
  ["vectors", /^\w+\/index\/vectors-/],
  ["index", /^\w+\/index\//],
  ["vector cache", /^internal\/build\/vectors\//],
  ["state", /^internal\/build\/state\.v8$/],
  ["registry", /^internal\/build\/(registry|claims)\//],
  ["keys of the log", /^\w+\/keys\.json$/],
  ["notice", /^\w+\/redacted\//],
  ["out of service", /^\w+\/withdrawn\.json$/],
  ["lock or time", /./],
];
/** Read by builds alone. */
const OF_BUILDS: ReadonlySet<string> = new Set(["vector cache", "state", "registry", "lock or time"]);

type File = { readonly path: string; readonly name: string };
type Damage = File & { readonly kind: Kind; readonly other: string | null };
type Verdict = "same" | "harmless" | "refused and named" | "named";

export type DamageReport = {
  readonly damages: number;
  readonly repairs: number;
  /** "<class> <kind>" → verdict → how often. */
  readonly verdicts: ReadonlyMap<string, ReadonlyMap<Verdict, number>>;
  /** Faults that must not be, each with what makes it again. */
  readonly failures: readonly string[];
};

export type DamageOptions = {
  readonly seed: number;
  readonly count: number;
  /** Damages that one repair mends. */
  readonly together: number;
  onProgress?(done: number, failures: number): void;
  /** At once: the whole may take hours. */
  onFailure?(failure: string): void;
};

export async function tortureWithDamage(library: DamagedLibrary, options: DamageOptions): Promise<DamageReport> {
  const random = openRandom(options.seed);
  const files = await listFiles(library.whole);
  const classes = [...new Set(files.map(({ name }) => name))];
  const { dist } = await compileSite();
  const renderer = openRenderer(dist);
  const reference = await serve(library, renderer, null);
  const ids = await servedIds(library);
  const verdicts = new Map<string, Map<Verdict, number>>();
  const failures: string[] = [];
  const fail = (failure: string): void => {
    failures.push(failure);
    options.onFailure?.(failure);
  };
  let batch: Damage[] = [];
  let repairs = 0;
  for (let number = 0; number < options.count; number++) {
    const damage = chooseDamage(random, files, classes);
    const told = `damage ${number} of seed ${options.seed}: ${damage.kind} ${damage.path}${damage.other === null ? "" : ` with ${damage.other}`}`;
    const undo = await apply(library.shelf, damage, random);
    try {
      const verdict = OF_BUILDS.has(damage.name) ? await judgeByBuild(library, ids) : await judge(library, damage, renderer, reference);
      const row = `${damage.name} ${damage.kind}`;
      const counts = verdicts.get(row) ?? new Map<Verdict, number>();
      verdicts.set(row, counts.set(verdict, (counts.get(verdict) ?? 0) + 1));
    } catch (error) {
      fail(`${told}: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (OF_BUILDS.has(damage.name)) await library.reset();
    else await undo();
    batch.push(damage);
    if (batch.length === options.together || number === options.count - 1) {
      try {
        for (const one of batch) await apply(library.shelf, one, random);
        await judgeRepair(library, renderer, reference, ids);
        repairs++;
      } catch (error) {
        const what = batch.map(({ kind, path, other }) => `${kind} ${path}${other === null ? "" : ` with ${other}`}`).join(", ");
        fail(`repair after damage ${number} of seed ${options.seed} (${what}): ${error instanceof Error ? error.message : String(error)}`);
      }
      await library.reset();
      batch = [];
    }
    options.onProgress?.(number + 1, failures.length);
  }
  return { damages: options.count, repairs, verdicts, failures };
}

async function listFiles(root: string): Promise<readonly File[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
    .map((path) => ({ path, name: CLASSES.find(([, pattern]) => pattern.test(path))?.[0] ?? "" }));
}

/** Each class as often as any other, however many files it has; but what only builds read, which takes a build each, one time in ten. */
function chooseDamage(random: Random, files: readonly File[], classes: readonly string[]): Damage {
  const ofBuilds = random.below(10) === 0;
  const name = random.pick(classes.filter((one) => OF_BUILDS.has(one) === ofBuilds));
  const of = files.filter((file) => file.name === name);
  const file = random.pick(of);
  const kind = random.pick(KINDS);
  const others = of.filter(({ path }) => path !== file.path);
  // One that is alone in its class changes places with one of another class that is judged in the same way.
  const alike = files.filter(({ name: as, path }) => OF_BUILDS.has(as) === OF_BUILDS.has(name) && path !== file.path);
  const other = kind === "swap" ? random.pick(others.length > 0 ? others : alike).path : null;
  return { ...file, kind, other };
}

/** @returns puts back what was there */
async function apply(root: string, { path, kind, other }: Damage, random: Random): Promise<() => Promise<void>> {
  const file = join(root, path);
  const bytes = await readFile(file).catch(() => null);
  const twin = other === null ? null : join(root, other);
  const twinBytes = twin === null ? null : await readFile(twin).catch(() => null);
  if (bytes !== null) {
    const at = random.below(Math.max(1, bytes.length));
    if (kind === "flip" && bytes.length > 0)
      await writeFile(file, Buffer.from(bytes).fill((bytes[at] ?? 0) ^ (1 << random.below(8)), at, at + 1));
    else if (kind === "truncate") await truncate(file, at);
    else if (kind === "extend") await appendFile(file, random.pick(["\n", "\0", " ", "{}", "x".repeat(100)]));
    else if (kind === "zero") await writeFile(file, Buffer.from(bytes).fill(0, random.pick([0, at])));
    else if (kind === "delete") await rm(file);
    else if (kind === "swap" && twin !== null && twinBytes !== null) {
      await writeFile(file, twinBytes);
      await writeFile(twin, bytes);
    }
  }
  return async () => {
    if (bytes !== null) await writeFile(file, bytes);
    if (twin !== null && twinBytes !== null) await writeFile(twin, twinBytes);
  };
}

/** "<view> <target>" → status and body. */
type Served = ReadonlyMap<string, { readonly status: number; readonly body: string }>;

/** Everything that a server that starts now answers. @param targets null for all that there are */
async function serve(library: DamagedLibrary, renderer: Promise<Renderer>, targets: readonly string[] | null): Promise<Served> {
  const shelves = openShelves(library.config);
  const served = new Map<string, { status: number; body: string }>();
  for (const name of ["public", "internal"] as const) {
    const shelf = shelves[name];
    const view = openView({
      service: SERVICE,
      view: name,
      shelf,
      renderer: () => renderer,
      index: () => openIndex(shelf.indexUri, shelf.sharedIndexUri),
      runtime: { version: VERSION, components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } },
      now: () => Date.parse("2026-04-04T01:00:00Z"),
      listing: null,
    });
    const wanted =
      targets === null
        ? await allTargets(view)
        : targets.filter((target) => target.startsWith(`${name} `)).map((target) => target.slice(name.length + 1));
    for (const target of wanted) {
      const { status, body } = await answer(view, { method: "GET", target, header: () => null });
      const chunks: Uint8Array[] = [];
      if (body instanceof Uint8Array) chunks.push(body);
      else if (body !== null) for await (const chunk of body) chunks.push(chunk);
      served.set(`${name} ${target}`, { status, body: Buffer.concat(chunks).toString("latin1") });
    }
    await view
      .peek()
      ?.reader()
      .then(
        (reader) => reader.close(),
        () => undefined,
      );
  }
  return served;
}

async function allTargets(view: View): Promise<readonly string[]> {
  const open = await view.current();
  if (open === null) throw new Error("the library has no snapshot");
  const data = await open.snapshot.data();
  const unread = (): never => {
    throw new Error("no page is read here");
  };
  const old = (await view.records())[0]?.snapshot ?? "";
  const objects = data.objects.map(({ key }) => `/objects/${key}`);
  const api = ["catalog", "claims", "cubs", "cubs/meta", "rejected", "list?prefix=notes/", "search?q=zebra", "search?q=turn"];
  return [
    ...objects,
    ...objects.map((target) => `/at/${old}${target}`),
    ...[...storedPages(data, ROUTES, { digest: unread, read: unread })].map(({ path }) => path),
    "/snapshots/",
    "/llms.txt",
    `/at/${old}/`,
    ...api.map((name) => `/api/${name}`),
    `/at/${old}/api/search?q=zebra`,
    "/health",
  ];
}

async function servedIds({ config }: DamagedLibrary): Promise<string> {
  const shelves = openShelves(config);
  return `${(await shelves.public.readPointer())?.snapshot} ${(await shelves.internal.readPointer())?.snapshot}`;
}

/** @throws Error for another answer than before, or for an error that nothing names */
async function judge(library: DamagedLibrary, damage: Damage, renderer: Promise<Renderer>, reference: Served): Promise<Verdict> {
  const served = await serve(library, renderer, [...reference.keys()]);
  const { refused, others } = compare(served, reference);
  const findings = await verifyLibrary(library.config, { snapshots: "all", derive: false });
  const unwell = [...served].some(([target, { body }]) => target.endsWith("/health") && !body.includes('"status":"pass","snapshot"'));
  // Where a record is gone, or the list of what is out of service, pages tell of a history without it, as after a prune; verify sees that something is missing. And a page
  // says itself of which snapshot it cannot tell.
  const less = (target: string): boolean =>
    findings.length > 0 &&
    !/\/(objects|api)\//.test(target) &&
    (["record", "out of service"].includes(damage.name) ||
      hitsHistory(damage) ||
      served.get(target)?.body.includes("annot be read here") === true);
  const wrong = others.find((target) => !less(target));
  if (wrong !== undefined) throw new Error(`${wrong} answers ${served.get(wrong)?.status} with other bytes`);
  if (findings.length > 0) return refused.length > 0 ? "refused and named" : "named";
  if (refused.length > 0 && !unwell) throw new Error(`refused and named by nobody: ${refused.slice(0, 3).join(", ")}`);
  return refused.length > 0 ? "refused and named" : "harmless";
}

/** Lists of changes have no second copy: without one, pages say less of what a publication changed. */
function hitsHistory({ path, other }: Damage): boolean {
  return [path, other ?? ""].some((file) => /\/changes\//.test(file));
}

/** @returns what is an error now, and what has other bytes without being one */
function compare(served: Served, reference: Served): { readonly refused: readonly string[]; readonly others: readonly string[] } {
  const [refused, others]: [string[], string[]] = [[], []];
  for (const [target, before] of reference) {
    if (target.endsWith("/health")) continue;
    const now = served.get(target);
    if (now?.status === before.status && now.body === before.body) continue;
    if (now === undefined || now.status < 400) others.push(target);
    else refused.push(target);
  }
  return { refused, others };
}

async function judgeByBuild(library: DamagedLibrary, ids: string): Promise<Verdict> {
  await build(library.config, { progress: SILENT });
  if ((await servedIds(library)) !== ids) throw new Error("a build gives another snapshot");
  const findings = await verifyLibrary(library.config, { snapshots: "all", derive: false });
  if (countErrors(findings) > 0) throw new Error(`after a build verify finds ${JSON.stringify(findings[0])}`);
  return "same";
}

async function judgeRepair(library: DamagedLibrary, renderer: Promise<Renderer>, reference: Served, ids: string): Promise<void> {
  const { findings } = await repair(library.config, SILENT);
  const built = await build(library.config, { progress: SILENT }).catch((error: unknown) => {
    // A log of which nothing is left is not begun anew behind everybody's back.
    if (error instanceof ShelfError && error.code === "bad_log" && findings.some(({ code }) => code === "log_damaged")) return null;
    throw error;
  });
  if (built === null) return;
  if ((await servedIds(library)) !== ids) throw new Error("other snapshots are served");
  if (built.published) throw new Error("a build after it has something to do");
  // The snapshot that is served now is whole, whatever is lost of older ones; pages tell of the history, which may have gone on.
  const current = new Map(
    [...reference].filter(([target]) => /^\w+ \/(objects|api)\//.test(target) && !target.endsWith("/api/search?q=turn")),
  );
  const { refused, others } = compare(await serve(library, renderer, [...current.keys()]), current);
  if (others.length > 0) throw new Error(`${others[0]} answers with other bytes`);
  if (refused.length > 0) throw new Error(`refused: ${refused.slice(0, 3).join(", ")}; found ${JSON.stringify(findings.slice(0, 2))}`);
  const again = await verifyLibrary(library.config, { snapshots: "all", derive: false });
  if (countErrors(again) > countErrors(findings)) throw new Error(`verify finds more than repair said: ${JSON.stringify(again[0])}`);
}

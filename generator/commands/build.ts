/** `proofshelf build` */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { parseJson, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { formatBytes, countOf } from "#snapshots/format";
import type { Rejection } from "#snapshots/schema";
import { type Accepted, type Annexes, build, type BuildOptions, type BuildSummary } from "#generator/pipeline";
import { pruneByConfig, shelfSize } from "./prune.ts";
import { type CommonOptions, configOf, print, REFUSED } from "./options.ts";
import { type Config, foldAlike, NO_NEWS, openConfig } from "#generator/config";
import { keptFile, type KeptFile } from "#generator/files";
import { type Embedding, embedViews } from "#generator/index";
import { countJournal } from "#generator/kept";
import type { Shelves } from "#generator/shelves";
import { describeFindings } from "#generator/sources";

/** Findings in the registry that are told. */
const MAX_FINDINGS = 20;

/** Exit code after Ctrl-C, as shells have it. */
const INTERRUPTED = 130;

export async function runBuild(
  options: CommonOptions & {
    readonly now?: string;
    readonly acceptLoss?: boolean;
    readonly adopt?: boolean;
    readonly keepHistory?: boolean;
    readonly accept?: readonly string[];
    readonly reason?: string;
    readonly keys?: string;
  },
  annexes: Annexes,
): Promise<void> {
  const accept = acceptedBy(options);
  const keys = options.keys === undefined ? null : await readKeys(options.keys);
  const config = await openConfig(configOf(options));
  const { now, ...rest } = options;
  const { refused } = await buildAndEmbed(config, annexes, {
    ...rest,
    ...(now === undefined ? {} : { now: fixedClock(now) }),
    accept,
    keys,
  });
  if (refused) process.exitCode = REFUSED;
}

/** @param file with a JSON list of keys; "-" is standard input. @throws ShelfError "bad_config" */
async function readKeys(file: string): Promise<readonly string[]> {
  const bad = (why: string): ShelfError =>
    new ShelfError("bad_config", `--keys ${file}: ${why}; give a file with a JSON list of keys, as ["notes/a.md"]`);
  const json = await (file === "-" ? text(process.stdin) : readFile(file, "utf8")).catch((error: NodeJS.ErrnoException) => {
    throw bad(error.code === "ENOENT" ? "there is no such file" : `cannot be read (${error.code ?? "unknown error"})`);
  });
  const parsed = z.array(z.string()).safeParse(parseJson(json));
  if (!parsed.success) throw bad("is no list of keys");
  return parsed.data;
}

/** @throws ShelfError "bad_config" when only one of the two is there */
function acceptedBy({ accept = [], reason }: { readonly accept?: readonly string[]; readonly reason?: string }): Accepted {
  if (accept.length === 0 && reason === undefined) return new Map();
  if (accept.length === 0) throw new ShelfError("bad_config", "--reason says why something is accepted; name it with --accept.");
  if (reason === undefined || reason.trim() === "")
    throw new ShelfError(
      "bad_config",
      "--accept needs --reason: why it may get weaker. It is kept with the snapshot, for everybody to read.",
    );
  return new Map(accept.map((id) => [id, reason]));
}

/** Objects whose vectors take so long that whoever waits is told why. */
const MANY = 50;

/** buildAndEmbed builds, tells of the build as soon as it is published, and then makes its vectors. JSON is one document, so the vectors are told
 *  on stderr beside it. */
export async function buildAndEmbed(
  config: Config,
  annexes: Annexes,
  options: Omit<CommonOptions, "config"> &
    BuildOptions & {
      /** Everything on stderr: standard output is another's. */
      readonly beside?: boolean;
      readonly signal?: AbortSignal;
      /** Each line with its time, for a log. */
      readonly stamped?: boolean;
    },
): Promise<BuildSummary> {
  const { json, signal } = options;
  const line = options.stamped === true ? stamp : (text: string): string => text;
  let shelves: Shelves | null = null;
  const summary = await onInterrupt(
    () => endBuild(shelves),
    () => build(config, annexes, { ...options, opened: (open) => (shelves = open) }),
  );
  const told = line(describe(summary, options, openTold(shelves)));
  if (options.beside === true) process.stderr.write(told);
  else print(options, summary, told);
  if (config.embeddings.kind !== "none" && options.quiet !== true && json !== true && summary.added + summary.changed > MANY)
    process.stderr.write("Made now: vectors for search by meaning. All else is served. Ctrl-C stops this, and the next build goes on.\n");
  const stop = new AbortController();
  const interrupt = (): void => {
    process.exitCode = INTERRUPTED;
    stop.abort();
  };
  const signals = AbortSignal.any(signal === undefined ? [stop.signal] : [stop.signal, signal]);
  const embedding = await onInterrupt(interrupt, () => embedViews(config, annexes, { signal: signals }));
  const beside = json === true || options.beside === true ? process.stderr : process.stdout;
  beside.write(line(describeEmbedding(embedding)));
  if (!signals.aborted && (summary.published || summary.internal.published)) {
    beside.write(line(await pruneByConfig(config, annexes)));
    if (shelves !== null) beside.write(line(await tellGrowth(shelves, config)));
  }
  return summary;
}

/** stamp puts the time before each line of a log. */
export function stamp(text: string): string {
  return text.replaceAll(/^(?=.)/gm, `${new Date().toISOString().slice(0, 19)}Z `);
}

const WORTH_TELLING = 100_000_000; // bytes of a shelf

/** tellGrowth says how large the shelf is when it has doubled since that was said. */
async function tellGrowth(shelves: Shelves, { keep }: Config): Promise<string> {
  const told = keptFile(z.number(), join(shelves.buildDir, "size"));
  const size = await shelfSize(shelves);
  if (size < Math.max(WORTH_TELLING, 2 * (told.read() ?? 0))) return "";
  told.write(size);
  const how = keep === null ? "keep in the configuration bounds how many snapshots there are" : `keep: ${keep} bounds it`;
  return `Note: the shelf takes ${formatBytes(size)} now; ${how}.\n`;
}

/** Ctrl-C does this, once, while the work goes on. */
async function onInterrupt<T>(handle: () => void, work: () => Promise<T>): Promise<T> {
  process.once("SIGINT", handle);
  try {
    return await work();
  } finally {
    process.off("SIGINT", handle);
  }
}

/** Ends the process as Ctrl-C would: what is stopped half way is not published, and what was read is kept. */
function endBuild(shelves: Shelves | null): void {
  // Blobs in a pack that is not sealed are lost with its writer.
  if (shelves !== null) for (const view of ["public", "internal"] as const) void shelves[view].blobs.seal();
  const count = shelves === null ? 0 : countJournal(shelves.buildDir);
  process.stderr.write(
    `\nStopped; what is published is served on. ${countOf(count, "object that was read is", "objects that were read are")} kept: the next build goes on there.\n`,
  );
  process.removeAllListeners("SIGINT");
  process.kill(process.pid, "SIGINT");
}

function fixedClock(text: string): () => Date {
  const time = new Date(text);
  if (!z.iso.datetime({ offset: true }).safeParse(text).success)
    throw new ShelfError("bad_config", "--now takes an RFC 3339 time like 2026-01-31T12:00:00Z.");
  return () => time;
}

/** Digests of the lines that the last build told of what is wrong: `--quiet` does not say them again. No lines, since they may name what is
 *  gated. */
const openTold = (shelves: Shelves | null): KeptFile<string[]> | null =>
  shelves === null ? null : keptFile(z.array(z.string()), join(shelves.buildDir, "told"));

function describe(summary: BuildSummary, { quiet = false, verbose = false }: CommonOptions, told: KeptFile<string[]> | null): string {
  const { snapshot, sequence, published, added, changed, removed, unchanged, rejected, duration_ms: ms, work, notes, unreadable } = summary;
  const findings = describeFindings(summary.registry);
  const shown = verbose ? findings : findings.slice(0, MAX_FINDINGS);
  const done = [
    published
      ? `Published snapshot ${sequence} (${snapshot}): ${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged.`
      : summary.internal.published
        ? `The public view has not changed; snapshot ${sequence} (${snapshot}) is served on. The internal view was published.`
        : `Nothing has changed; snapshot ${sequence} (${snapshot}) is served on.`,
    `Read ${countOf(work.read, "object")}, rendered ${countOf(work.rendered, "page")}, indexed ${countOf(work.indexed, "document")} in ${(ms / 1000).toFixed(1)} s.`,
  ];
  const had = new Set(told?.read());
  const lineOf = ({ source, key, reason }: Rejection): string => `Rejected ${source} ${JSON.stringify(key)}: ${reason}`;
  const isOld = (item: Rejection): boolean => item.source === "store" && had.has(sha256(lineOf(item)));
  const meant = rejected.filter((item) => NO_NEWS.has(item.reason));
  const news = rejected.filter((item) => !meant.includes(item));
  const old = verbose || quiet ? 0 : meant.length + news.filter(isOld).length;
  const wrong = [
    ...(verbose ? rejected : news).map(lineOf),
    ...unreadable.map((item) => `Not read in full ${JSON.stringify(item.key)}: ${item.notes.join("; ")}`),
    ...notes.map((note) => `Note: ${note}`),
    ...shown.map((finding) => `Registry: ${finding}`),
    ...(shown.length < findings.length ? [`Registry: and ${findings.length - shown.length} more; --verbose tells all.`] : []),
  ];
  told?.write(wrong.map((line) => sha256(line)));
  const isSaid = new Set(verbose ? [] : quiet ? wrong.filter((line) => had.has(sha256(line))) : news.filter(isOld).map(lineOf));
  const said = wrong.filter((line) => !isSaid.has(line));
  const before = old === 0 ? [] : [`Left out by store.exclude, as files of the program, or told before: ${old}; --verbose names them.`];
  const lines = [...(quiet ? [] : [...done, ...before]), ...(verbose ? said : foldAlike(said))];
  return lines.map((line) => `${line}\n`).join("");
}

export function describeEmbedding({ written, embedded, left, notice, duration_ms: ms }: Embedding): string {
  const made =
    written === 0 ? "" : `Made vectors of ${countOf(written, "passage")} in ${(ms / 1000).toFixed(1)} s; the model ran for ${embedded}.\n`;
  const few =
    left === 0
      ? ""
      : `So large a library has vectors of what opens documents and sections; ${countOf(left, "other passage is", "other passages are")} found by words alone.\n`;
  return made + few + (notice === "" ? "" : `Note: ${notice}\n`);
}

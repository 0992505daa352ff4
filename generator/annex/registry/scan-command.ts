/** `proofshelf registry init | scan | diff | import`: what is read without a prover. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parse as parseCsv } from "csv-parse/sync";
import { stringify } from "yaml";
import { ShelfError } from "../../../snapshots/errors.ts";
import { OPEN } from "../../../snapshots/shelf/modes.ts";
import { writeWhole } from "../../../snapshots/shelf/write-whole.ts";
import { type CommonOptions, print } from "../../commands/options.ts";
import { openConfig } from "../../config/config.ts";
import { openRegistrySources, type RegistrySources } from "./config.ts";
import { findDatabases } from "./metamath.ts";
import { isSourceOf, PROVERS } from "./provers.ts";
import { type Drift, type LockLine, matchLock, writeLock } from "./lock.ts";
import { overlayJsonSchema, overlaySchema } from "./overlay.ts";
import { type Checks, readChecks } from "./checks.ts";
import { causeOf, describeMoved, type Moved } from "./drift.ts";
import { describeRefused, type Scan, scanAll, writeRegistry } from "./records.ts";
import { readRevision } from "./revision.ts";
import { scanSource, type ScannedSource } from "./scan.ts";

export type SourceOptions = CommonOptions & { readonly sources?: string };
export const REFUSED = 5;
const USUAL = "registry.yaml";
const MAX_LOOKED_AT = 256 * 1024 * 1024; // bytes of a database

/** The file that names the sources: of the option, of the configuration, or registry.yaml. */
export async function openSources({ sources, config }: SourceOptions): Promise<RegistrySources> {
  const configured = config === undefined ? null : await openConfig(config, { checkSources: false });
  const { registry = null, baseUrl = "" } = configured ?? {};
  const opened = openRegistrySources(sources ?? (registry !== null && "sources" in registry ? registry.sources : USUAL));
  // An address of this machine alone is nobody's.
  const isPublic = baseUrl !== "" && !/^https?:\/\/(?:localhost|127\.|\[::1\])/.test(baseUrl);
  return isPublic && opened.checks.base_url === undefined ? { ...opened, checks: { ...opened.checks, base_url: baseUrl } } : opened;
}

/** Looks at a repository, and writes a first registry.yaml. @throws ShelfError "bad_config" when one is there */
export async function runRegistryInit(options: SourceOptions & { readonly git: string }): Promise<void> {
  const file = options.sources ?? USUAL;
  if (existsSync(file)) throw new ShelfError("bad_config", `${file} is there already; it was left as it is.`);
  const { files, head } = await readRevision(
    { git: options.git, rev: "HEAD" },
    (path) => /(?:^|\/)(?:_CoqProject|lakefile\.(?:lean|toml))$|\.(?:v|lean|mm|thy|agda|lagda|lagda\.md|lagda\.tex)$/.test(path),
    MAX_LOOKED_AT,
  );
  const place = relative(dirname(resolve(file)), resolve(options.git));
  const git = place.startsWith(".") ? place : `./${place}`;
  const repo =
    basename(resolve(options.git))
      .replace(/\.git$/, "")
      .replaceAll(/[^A-Za-z0-9._-]/g, "-")
      .replace(/^[^A-Za-z0-9]+/, "") || "sources";
  const project = new TextDecoder().decode(files.get("_CoqProject") ?? new Uint8Array());
  const roots = [...project.matchAll(/^\s*-[QR]\s+(\S+)\s+(\S+)/gm)].map(([, root = ".", logical = ""]) => ({
    root: root === "." ? "" : root.replace(/^\.\/|\/$/g, ""),
    logical: logical.replaceAll('"', ""),
  }));
  const rows: string[] = [];
  const row = (prover: string, root: string, logical: string): void => {
    const [path, name, below] = [git, logical, root].map((text) => JSON.stringify(text));
    rows.push(
      `  - { repo: ${JSON.stringify(repo)}, git: ${path}, rev: HEAD, prover: ${prover}, root: ${below}, logical: ${name}, kinds: [theorem] }`,
    );
  };
  const has = (extension: string): boolean => [...files.keys()].some((path) => path.endsWith(extension));
  if (has(".v")) for (const { root, logical } of roots.length > 0 ? roots : [{ root: "", logical: "" }]) row("coq", root, logical);
  if (has(".lean") && [...files.keys()].some((path) => /lakefile/.test(path) || !path.endsWith(".v"))) row("lean", "", "");
  // Each database is a library of its own; what another includes is a part of it.
  const texts = new Map(
    [...files].filter(([path]) => path.endsWith(".mm")).map(([path, bytes]) => [path, Buffer.from(bytes).toString("latin1")]),
  );
  for (const prover of ["agda", "isabelle"] as const) if ([...files.keys()].some((path) => isSourceOf(prover, path))) row(prover, "", "");
  for (const path of findDatabases(texts)) row("metamath", path, "");
  if (rows.length === 0)
    throw new ShelfError(
      "bad_source",
      `${options.git} has no file of ${Object.values(PROVERS)
        .map(({ title }) => title)
        .join(", ")} at ${head.slice(0, 12)}.`,
    );
  const text = [
    "# Where the records of this library come from. proofshelf registry scan reads the revisions and gives each record its id;",
    "# proofshelf registry recheck runs the prover. Both write beside this file, and what they write belongs into version control.",
    "lock: ./registry.lock.jsonl",
    "# overlay: ./registry.overlay.yaml   # what only people know: titles, notes, what runs where",
    "code: ./code                         # where scan puts the files of each revision, for whoever may download them",
    "# Checks lie in the library, so that each has a page, and its digest can be looked up.",
    "checks: { store: ./library/checks }",
    "policy: { axioms: [] }               # full names of axioms that a VERIFIED record may rest on",
    "sources:",
    ...rows,
    "",
  ].join("\n");
  writeWhole(file, text, { modes: OPEN });
  openRegistrySources(file);
  const library = join(dirname(file), "proofshelf.yaml");
  const makesLibrary = !existsSync(library);
  if (makesLibrary) {
    mkdirSync(join(dirname(file), "library", "checks"), { recursive: true });
    writeWhole(library, libraryOf(repo, basename(file)), { modes: OPEN });
  }
  print(
    options,
    { file, sources: rows.length, library: makesLibrary ? library : null },
    `Wrote ${file} with ${rows.length} ${rows.length === 1 ? "source" : "sources"}${makesLibrary ? `, and ${library}` : `. Into proofshelf.yaml belongs: registry: { sources: ./${basename(file)} }`}. Look through ${makesLibrary ? "both" : "it"}; then:\n  proofshelf registry recheck\n  proofshelf serve --build\n`,
  );
}

/** A library that has nothing yet but its records and their checks. */
function libraryOf(repo: string, sources: string): string {
  return `title: ${JSON.stringify(`Proofs of ${repo}`)}
baseUrl: http://127.0.0.1:4321
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: checks, prefix: checks/, title: Checks, visibility: public, summary: What provers said of the proofs }
registry: { sources: ./${sources} }
code: { kind: directory, root: ./code }
`;
}

/** writeScan writes the lock and the files of the revisions. */
export function writeScan(config: RegistrySources, scan: Pick<Scan, "lock" | "sources">): void {
  writeLock(config.lock, scan.lock);
  if (config.code !== undefined) writeCode(config.code, scan.sources);
}

type ScanCommand = SourceOptions & {
  readonly source?: string;
  readonly rev?: string;
  readonly plan?: boolean;
  readonly accept?: string[];
  readonly reason?: string;
  readonly out?: string;
};

/** Reads the revisions, and writes the lock and the code store. Nothing is written when a statement that a prover accepted has changed and
 *  nobody has accepted that. */
export async function runRegistryScan(options: ScanCommand): Promise<void> {
  if ((options.accept ?? []).length > 0 && (options.reason ?? "").trim() === "")
    throw new ShelfError("bad_config", "--accept needs --reason: say why, for whoever reads the lock.");
  if (options.rev !== undefined && options.source === undefined)
    throw new ShelfError("bad_config", "--rev needs --source: say whose revision it is.");
  const config = await openSources(options);
  if (options.source !== undefined && !config.sources.some(({ repo }) => repo === options.source))
    throw new ShelfError(
      "bad_config",
      `--source: there is no source ${JSON.stringify(options.source)}; there is ${config.sources.map(({ repo }) => repo).join(", ")}.`,
    );
  const scan = await scanAll(config, options);
  const refused = scan.drift.filter((drift) => drift.refused);
  const writes = options.plan !== true && refused.length === 0;
  if (writes) {
    writeScan(config, scan);
    if (options.out !== undefined) writeWhole(options.out, writeRegistry(config, scan), { modes: OPEN });
  }
  const lines = [
    ...scan.notes.map((note) => `Note: ${note}`),
    ...scan.sources.map(
      ({ source, head, found }) => `${source.repo} at ${head.slice(0, 12)} (${source.prover}): ${found.length} declarations`,
    ),
    ...[...Map.groupBy(scan.drift, ({ what, refused }) => `${what} ${refused}`).values()].flatMap(describeAlike),
    ...describeRefused(scan),
    refused.length > 0
      ? `Nothing was written: what ${refused.length} of them state is not what a prover accepted. If that is meant: --accept ${refused.map(({ id }) => id).join(" ")} --reason …`
      : `${scan.records.length} records${options.plan === true ? "; nothing was written" : ""}.`,
  ];
  print(options, { records: scan.records.length, drift: scan.drift, notes: scan.notes, written: writes }, `${lines.join("\n")}\n`);
  if (refused.length > 0) process.exitCode = REFUSED;
}

const SHOWN = 20;

/** A first scan finds hundreds of one kind; --json has them all. */
function describeAlike(drift: readonly Drift[]): string[] {
  const shown = drift[0]?.refused === true ? drift : drift.slice(0, SHOWN);
  return [...shown.map(describeDrift), ...(shown.length < drift.length ? [`${drift[0]?.what}: ${drift.length - shown.length} more`] : [])];
}

function describeDrift({ what, id, key, from, refused }: Drift): string {
  const name = JSON.stringify(key).slice(1, -1);
  if (what === "renamed?") return `renamed?  ${name} states what ${id} did; a new id was given. To keep ${id}: --accept ${id} --reason …`;
  return `${what.padEnd(9)} ${id} ${name}${from === undefined ? "" : ` (was ${from})`}${refused ? "  a prover accepted another statement" : ""}`;
}

function writeCode(store: string, sources: Awaited<ReturnType<typeof scanAll>>["sources"]): void {
  for (const { source, head, files } of sources)
    for (const [path, bytes] of files) {
      const file = join(store, source.repo, head, path);
      if (existsSync(file)) continue;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
}

/** What a source declares at two revisions, compared as a scan would. */
export async function runRegistryDiff(a: string, b: string, options: SourceOptions & { readonly source?: string }): Promise<void> {
  const config = await openSources(options);
  const source = options.source === undefined ? config.sources[0] : config.sources.find(({ repo }) => repo === options.source);
  if (source === undefined) throw new ShelfError("bad_config", `--source: there is no source ${JSON.stringify(options.source)}.`);
  const [before, after] = [await scanSource({ ...source, rev: a }), await scanSource({ ...source, rev: b })];
  const lines = before.found.map(
    ({ key, digest }, at): LockLine => ({
      id: `CUB-${String(at + 1).padStart(4, "0")}`,
      key,
      first: before.head,
      seen: before.head,
      statement: digest,
      was: [],
      state: "live",
    }),
  );
  const { drift } = matchLock(lines, after.found, {
    heads: new Map([[source.repo, after.head]]),
    renames: new Map(),
    accept: new Set(),
    reason: undefined,
    reserved: [],
  });
  // Ids were made up here, and say nothing.
  const keyOf = new Map(lines.map(({ id, key }) => [id, key]));
  const moved = movedBetween(readChecks(config.checks), before, after);
  const shown = drift
    .filter(({ what, key }) => what !== "changed" || moved.get(key) === undefined)
    .map(({ what, id, key, from }) => ({
      what: what === "changed" ? "words" : what,
      key,
      ...(what === "renamed?" ? { from: keyOf.get(id) ?? "" } : from === undefined ? {} : { from }),
    }));
  const causes = [...moved].flatMap(([key, one]) => (one === null ? [] : [{ ...one, key, name: key.split(" ").slice(2).join(" ") }]));
  const text = shown.map(({ what, key, from }) => `${what.padEnd(9)} ${key}${from === undefined ? "" : ` (was ${from})`}\n`).join("");
  print(
    options,
    { a: before.head, b: after.head, drift: shown, moved: causes.map(({ name: _, ...one }) => one), printed: moved.size },
    `${text}${describeMoved(causes)
      .map((line) => `${line}\n`)
      .join(
        "",
      )}${before.found.length} declarations, then ${after.found.length}; ${shown.length + causes.length} differ; a prover has printed ${moved.size} at both revisions${moved.size === 0 ? ", so that only words are compared" : ""}.\n`,
  );
}

/** What moved of each declaration that a prover printed at both revisions, by key; null where nothing did. */
function movedBetween(checks: Checks, before: ScannedSource, after: ScannedSource): Map<string, Moved | null> {
  const was = new Map(before.found.map((one) => [one.key, checks.of(one, before)[0]]));
  return new Map(
    after.found.flatMap((one): [string, Moved | null][] => {
      const [then, now] = [was.get(one.key), checks.of(one, after)[0]];
      return then?.meaning_sha256 == null || now?.meaning_sha256 == null ? [] : [[one.key, causeOf(then, now)]];
    }),
  );
}

/** A table as an overlay. Columns are members of records; id, or repo, module and name, say of which. */
export function runRegistryImport(options: SourceOptions & { readonly csv: string; readonly out?: string }): void {
  let rows: Record<string, string>[];
  try {
    rows = parseCsv(readFileSync(options.csv), { columns: true, bom: true, skip_empty_lines: true, trim: true });
  } catch (cause) {
    throw new ShelfError("bad_config", `${options.csv}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  const types = (overlayJsonSchema as unknown as { properties: { records: { items: { properties: Record<string, { type?: string }> } } } })
    .properties.records.items.properties;
  const records = rows.map((row) => {
    const { id, repo = "*", module = "*", name, theorem_name = name, name: _, ...members } = row;
    const said = Object.entries(members).filter(([, value]) => value !== "");
    return {
      ...(id === undefined || id === "" ? { match: `${repo}/${module}/${theorem_name ?? "*"}` } : { ids: [id] }),
      ...Object.fromEntries(said.map(([member, value]) => [member, valueOf(value, types[member]?.type)])),
    };
  });
  const text = stringify({ records });
  const target = options.out ?? "registry.overlay.yaml";
  if (existsSync(target)) throw new ShelfError("bad_config", `${target} is there already; it was left as it is. Name another with --out.`);
  overlaySchema.parse({ records });
  writeWhole(target, text, { modes: OPEN });
  print(options, { file: target, records: records.length }, `Wrote ${target}: ${records.length} entries.\n`);
}

function valueOf(value: string, type: string | undefined): unknown {
  if (type === "boolean") return /^(?:true|yes|1)$/i.test(value) ? true : /^(?:false|no|0)$/i.test(value) ? false : value;
  return type === "array" ? value.split(";").map((part) => part.trim()) : value;
}

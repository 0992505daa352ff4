/** Sources → declarations, each with the key that its id stays with. No prover runs. */
import { posix } from "node:path";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { wordsOf } from "#snapshots/format";
import type { SourceConfig } from "./config.ts";
import { scanAgda } from "./agda.ts";
import { scanCoq } from "./coq.ts";
import { expandLoads, findLoaded, namedByLoad, placeIn } from "./coq-load.ts";
import { agdaFoldersOf, agdaPathIn } from "./agda-paths.ts";
import { coqModuleOf, coqPathsOf, folderOf, isBelow } from "./coq-paths.ts";
import type { Declaration } from "./declaration.ts";
import { scanIsabelle } from "./isabelle.ts";
import { scanLean } from "./lean.ts";
import { findDatabases, scanMetamath } from "./metamath.ts";
import { isSourceOf, PROVERS } from "./provers.ts";
import { readRevision, type Revision } from "./revision.ts";

export type FoundDeclaration = Declaration & {
  /** Repository, prover and full name: what is the same thing at another revision. Neither path nor line is part of it. */
  readonly key: string;
  readonly repo: string;
  readonly prover: SourceConfig["prover"];
  readonly path: string;
  /** The file that is read for it: the database that includes `path`, the module that loads it; mostly `path` itself. */
  readonly main: string;
  readonly module: string;
  readonly theorem: string;
  /** Digest of its kind, and of its words and those of its sections, however they are spaced. */
  readonly digest: string;
};

/** fullName gives the name by which the prover is asked for it. */
export function fullName({ prover, module, theorem }: FoundDeclaration): string {
  return nameIn(prover, module, theorem);
}

type Place = { readonly path: string; readonly line: number; readonly endLine: number };

export type ScannedSource = Revision & {
  readonly source: SourceConfig;
  readonly found: readonly FoundDeclaration[];
  /** Full names of all that these files claim to prove, whatever becomes a record. */
  readonly stated: readonly string[];
  /** Those of them that are theorems. */
  readonly proved: readonly string[];
  /** Where each thing that these files declare stands, by its full name. */
  readonly places: ReadonlyMap<string, Place>;
};

/** Scan reads one file. @param read other files of the source @param load what `Load` of Coq names, path and text */
type Scan = (
  path: string,
  text: string,
  read: (path: string) => string | undefined,
  load: (name: string, from: string) => readonly [string, string] | null,
) => {
  readonly declarations: readonly Declaration[];
  readonly problems: readonly string[];
};
const SCANNERS: Readonly<Record<SourceConfig["prover"], Scan>> = {
  coq: (path, text, _read, load) => {
    const whole = expandLoads(path, text, load);
    const declarations = scanCoq(whole.text).map((declared) => placeIn(whole, declared));
    return {
      declarations,
      problems: declarations.length === 0 && VERILOG.test(text) ? [`${JSON.stringify(path)} is Verilog, not Coq`] : [],
    };
  },
  lean: (_path, text) => ({ declarations: scanLean(text), problems: [] }),
  isabelle: (_path, text) => ({ declarations: scanIsabelle(text), problems: [] }),
  agda: (path, text) => ({ declarations: scanAgda(text, path), problems: [] }),
  metamath: (path, _text, read) => scanMetamath(path, read),
};
/** The first word of a file of Coq's that has none of its commands is mostly that of a circuit: the two share an extension. */
const VERILOG = /^\s*(?:module\s+\w+|`(?:timescale|include|define))\b/m;
const RESERVED: Readonly<Partial<Record<SourceConfig["prover"], RegExp>>> = {
  coq: /^(?:Coq|Corelib|Stdlib|Ltac2)(?:\.|$)/,
  agda: /^Agda\.(?:Builtin|Primitive)(?:\.|$)/,
};
const MAX_DECLARATIONS = 1_000_000;

/** scanSource reads a revision and finds what its files declare.
 *  @param others further files of the revision that are read, for records name them
 *  @throws ShelfError "bad_source" when a revision cannot be read, or has no file of the source */
export async function scanSource(source: SourceConfig, others: ReadonlySet<string> = new Set()): Promise<ScannedSource> {
  const { prover } = source;
  const { isSource, moduleOf, isMain } = openPlaces(source);
  const revision = await readSources(source, isSource, others);
  const files = new Map(revision.files);
  const problems = [...revision.problems];
  const stated: string[] = [];
  const proved: string[] = [];
  const found = new Map<string, FoundDeclaration>();
  const places = new Map<string, Place>();
  const { loaded, ...texts } = textsOf(files, isSource, prover);
  const mains = (prover === "metamath" ? findDatabases(texts.all()) : texts.paths).filter(isMain);
  for (const path of mains.filter((one) => !loaded.has(one))) {
    const scanned = SCANNERS[prover](path, texts.of(path) ?? "", texts.of, texts.load);
    const { declarations } = scanned;
    problems.push(...scanned.problems);
    const file = moduleOf(path);
    // It would be taken for the prover's own, and its axioms for those that a policy allows.
    if (RESERVED[prover]?.test(file) === true) {
      problems.push(`${JSON.stringify(path)} is named like a module of ${PROVERS[prover].title}'s own library`);
      files.delete(path);
      continue;
    }
    for (const declared of declarations) {
      const { line, endLine } = declared;
      places.set(nameIn(prover, file, declared.name), { path: declared.path ?? path, line, endLine });
      if (declared.class === "theorem" || declared.class === "definition") stated.push(nameIn(prover, file, declared.name));
      if (declared.class === "theorem") proved.push(nameIn(prover, file, declared.name));
      if (!source.kinds.includes(declared.class) || declared.kind === "Goal") continue;
      const one = locate(declared, source, path, file);
      const other = found.get(one.key);
      if (other !== undefined) problems.push(tellAgain(one, other));
      else found.set(one.key, one);
      if (found.size > MAX_DECLARATIONS)
        throw new ShelfError("bad_source", `${source.repo} has more than ${MAX_DECLARATIONS} declarations; leave some out.`);
    }
  }
  return { ...revision, files, source, found: [...found.values()], stated, proved, places, problems };
}

/** tellAgain says that two places declare one key. */
export function tellAgain(one: FoundDeclaration, first: FoundDeclaration): string {
  return `${JSON.stringify(one.path)}:${one.line} declares ${one.key} again, and is left out; the first is in ${JSON.stringify(first.path)}:${first.line}`;
}

/** openPlaces says which paths are of a source, and what their modules are called. */
function openPlaces({ prover, root: written, logical, paths, flags, exclude }: SourceConfig) {
  const root = folderOf(written);
  // Where a database is named itself, the files beside it may be parts of it.
  const isOne = isSourceOf(prover, root);
  const folder = isOne ? posix.dirname(root).replace(/^\.$/, "") : root;
  const coq = prover === "coq" ? coqPathsOf({ root, logical, paths }) : null;
  const agda = prover === "agda" ? agdaFoldersOf({ root, flags }) : null;
  const has = (path: string): boolean =>
    coq !== null ? coqModuleOf(coq, path) !== null : agda !== null ? agdaPathIn(agda, path) !== null : isBelow(path, folder);
  return {
    isSource: (path: string): boolean => isSourceOf(prover, path) && has(path) && !exclude.some((glob) => posix.matchesGlob(path, glob)),
    // Agda's sources import from their other folders: such a file is read, and belongs to another source.
    isMain: (path: string): boolean => (agda === null ? !isOne || path === root : isBelow(path, folder)),
    moduleOf(path: string): string {
      if (coq !== null) return coqModuleOf(coq, path) ?? "";
      const ending = PROVERS[prover].endings.find((one) => path.endsWith(one)) ?? "";
      const below = (folder === "" ? path : path.slice(folder.length + 1)).slice(0, -ending.length).replaceAll("/", ".");
      return logical === "" ? below : `${logical}.${below}`;
    },
  };
}

/** readSources reads the files of a source, those that records name, and those that a file loads, wherever they lie. */
async function readSources(source: SourceConfig, isSource: (path: string) => boolean, others: ReadonlySet<string>): Promise<Revision> {
  const { prover, repo } = source;
  const [before = "", after = ""] = source.pair?.split("{x}") ?? [];
  const isPair = (path: string): boolean => source.pair !== undefined && path.startsWith(before) && path.endsWith(after);
  const elsewhere = new Set<string>();
  const read = (also: (path: string) => boolean): Promise<Revision> =>
    readRevision(
      source,
      (path) => {
        const is = isSource(path);
        if (!is && isSourceOf(prover, path)) elsewhere.add(path);
        return is || others.has(path) || isPair(path) || also(path);
      },
      PROVERS[prover].maxFile,
    );
  const revision = await read(() => false);
  if (![...revision.files.keys()].some(isSource)) {
    const folders = [...new Set([...elsewhere].map((path) => posix.dirname(path)))].sort();
    const there =
      folders.length === 0 ? "" : `it has such files in ${folders.slice(0, 5).join(", ")}${folders.length > 5 ? " and others" : ""}`;
    const where = [source.root, ...source.paths].filter((one) => one !== "").map((one) => JSON.stringify(one));
    throw new ShelfError(
      "bad_source",
      `${repo} has no file of ${PROVERS[prover].title}${where.length === 0 ? "" : ` in ${where.join(", ")}`} at ${[revision.head.slice(0, 12), there, ...revision.problems.slice(0, 1)].filter((what) => what !== "").join("; ")}.`,
    );
  }
  if (prover !== "coq") return revision;
  const decoder = new TextDecoder();
  const wanted = new Set([...revision.files].flatMap(([path, bytes]) => (isSource(path) ? namedByLoad(decoder.decode(bytes)) : [])));
  const missing = [...wanted].filter((name) => findLoaded(name, "", [...revision.files.keys()]) === null);
  return missing.length === 0 ? revision : read((path) => missing.some((name) => findLoaded(name, "", [path]) !== null));
}

/** Texts of the sources, read when they are asked for. */
function textsOf(files: ReadonlyMap<string, Uint8Array>, isSource: (path: string) => boolean, prover: SourceConfig["prover"]) {
  const all = [...files.keys()].filter((path) => isSourceOf(prover, path));
  const paths = all.filter(isSource);
  const known = new Map<string, string>();
  const decoder = new TextDecoder();
  const read = (path: string): string | undefined => {
    const bytes = files.get(path);
    if (bytes === undefined || prover !== "metamath") return bytes === undefined ? undefined : decoder.decode(bytes);
    const text = known.get(path) ?? decoder.decode(bytes);
    known.set(path, text);
    return text;
  };
  const of = (path: string): string | undefined => (isSource(path) ? read(path) : undefined);
  const load = (name: string, from: string): readonly [string, string] | null => {
    const path = findLoaded(name, from, all);
    return path === null ? null : [path, read(path) ?? ""];
  };
  const loaded = new Set(
    prover === "coq" ? all.flatMap((path) => namedByLoad(read(path) ?? "").map((name) => findLoaded(name, path, all))) : [],
  );
  return { paths, of, load, loaded, all: () => new Map(paths.map((path) => [path, of(path) ?? ""])) };
}

/** The full name by which a prover is asked. A Lean name begins at its namespace, wherever the file lies. */
function nameIn(prover: SourceConfig["prover"], file: string, name: string): string {
  return prover === "lean" ? name : `${file}.${name}`;
}

function locate(declared: Declaration, { repo, prover }: SourceConfig, main: string, file: string): FoundDeclaration {
  // A name of Lean or Metamath may have dots of its own; of the others what is before them are modules of the file.
  const nests = prover === "coq" || prover === "agda";
  const inner = nests ? declared.name.split(".").slice(0, -1) : [];
  const theorem = nests ? (declared.name.split(".").at(-1) ?? "") : declared.name;
  const module = [file, ...inner].join(".");
  const words = wordsOf([declared.class, ...declared.context, declared.statement].join("\n"));
  return {
    ...declared,
    repo,
    prover,
    path: declared.path ?? main,
    main,
    module,
    theorem,
    key: `${repo} ${prover} ${nameIn(prover, module, theorem)}`,
    digest: sha256(words.join(" ")),
  };
}

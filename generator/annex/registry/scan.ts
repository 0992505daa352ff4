/** Sources → declarations, each with the key that its id stays with. No prover runs. */
import { posix } from "node:path";
import { sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import type { SourceConfig } from "./config.ts";
import { scanAgda } from "./agda.ts";
import { scanCoq } from "./coq.ts";
import type { Declaration } from "./declaration.ts";
import { scanIsabelle } from "./isabelle.ts";
import { scanLean } from "./lean.ts";
import { findDatabases, scanMetamath } from "./metamath.ts";
import { isSourceOf, PROVERS } from "./provers.ts";
import { readRevision, type Revision } from "./revision.ts";

export type Found = Declaration & {
  /** Repository, prover and full name: what is the same thing at another revision. Neither path nor line is part of it. */
  readonly key: string;
  readonly repo: string;
  readonly prover: SourceConfig["prover"];
  readonly path: string;
  readonly module: string;
  readonly theorem: string;
  /** Of its kind, and of its words and those of its sections, however they are spaced. */
  readonly digest: string;
};

/** As the prover is asked for it. */
export function fullName({ prover, module, theorem }: Found): string {
  return nameIn(prover, module, theorem);
}

export type ScannedSource = Revision & {
  readonly source: SourceConfig;
  readonly found: readonly Found[];
  /** Full names of all that these files claim to prove, whatever becomes a record. */
  readonly stated: readonly string[];
  /** Those of them that are theorems. */
  readonly proved: readonly string[];
};

/** What each reads of one file. @param read other files of the source */
type Scan = (
  path: string,
  text: string,
  read: (path: string) => string | undefined,
) => {
  readonly declarations: readonly Declaration[];
  readonly problems: readonly string[];
};
const SCANNERS: Readonly<Record<SourceConfig["prover"], Scan>> = {
  coq: (path, text) => {
    const declarations = scanCoq(text);
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
  coq: /^(?:Coq|Corelib|Stdlib)\./,
  agda: /^Agda\.(?:Builtin|Primitive)(?:\.|$)/,
};
const MAX_DECLARATIONS = 1_000_000;

/** @param others further files of the revision that are read, for records name them
 *  @throws ShelfError "bad_source" when a revision cannot be read */
export async function scanSource(source: SourceConfig, others: ReadonlySet<string> = new Set()): Promise<ScannedSource> {
  const { prover } = source;
  const root = source.root.replace(/^\.?\/+|\/+$/g, "");
  // Of a database that is named itself, the files beside it may be parts.
  const isOne = isSourceOf(prover, root);
  const folder = isOne ? posix.dirname(root).replace(/^\.$/, "") : root;
  const isSource = (path: string): boolean =>
    isSourceOf(prover, path) &&
    (folder === "" || path.startsWith(`${folder}/`)) &&
    !source.exclude.some((glob) => posix.matchesGlob(path, glob));
  const paired = source.pair?.replaceAll("{x}", "**") ?? null;
  const revision = await readRevision(
    source,
    (path) => isSource(path) || others.has(path) || (paired !== null && posix.matchesGlob(path, paired)),
    PROVERS[prover].maxFile,
  );
  const files = new Map(revision.files);
  const problems = [...revision.problems];
  const stated: string[] = [];
  const proved: string[] = [];
  const found = new Map<string, Found>();
  const texts = textsOf(revision.files, isSource, prover);
  const mains = prover === "metamath" ? findDatabases(texts.all()) : texts.paths;
  for (const path of isOne ? mains.filter((one) => one === root) : mains) {
    const scanned = SCANNERS[prover](path, texts.of(path) ?? "", texts.of);
    const { declarations } = scanned;
    problems.push(...scanned.problems);
    const file = moduleOf(path, isOne ? folder : root, prover, source.logical);
    // It would be taken for the prover's own, and its axioms for those that a policy allows.
    const reserved = RESERVED[prover];
    if (source.logical === "" && reserved?.test(file) === true) {
      problems.push(`${JSON.stringify(path)} is named like a module of ${PROVERS[prover].title}'s own library`);
      files.delete(path);
      continue;
    }
    for (const declared of declarations) {
      if (declared.class === "theorem" || declared.class === "definition") stated.push(nameIn(prover, file, declared.name));
      if (declared.class === "theorem") proved.push(nameIn(prover, file, declared.name));
      if (!source.kinds.includes(declared.class) || declared.kind === "Goal") continue;
      const one = locate(declared, source, declared.path ?? path, file);
      const other = found.get(one.key);
      if (other !== undefined)
        problems.push(`${JSON.stringify(one.path)}:${one.line} declares ${one.key} again; the first is in ${other.path}:${other.line}`);
      else found.set(one.key, one);
      if (found.size > MAX_DECLARATIONS)
        throw new ShelfError("bad_source", `${source.repo} has more than ${MAX_DECLARATIONS} declarations; leave some out.`);
    }
  }
  return { ...revision, files, source, found: [...found.values()], stated, proved, problems };
}

/** Texts of the sources, read when they are asked for. */
function textsOf(files: ReadonlyMap<string, Uint8Array>, isSource: (path: string) => boolean, prover: SourceConfig["prover"]) {
  const paths = [...files.keys()].filter(isSource);
  const known = new Map<string, string>();
  const decoder = new TextDecoder();
  const of = (path: string): string | undefined => {
    const bytes = isSource(path) ? files.get(path) : undefined;
    if (bytes === undefined || prover !== "metamath") return bytes === undefined ? undefined : decoder.decode(bytes);
    const text = known.get(path) ?? decoder.decode(bytes);
    known.set(path, text);
    return text;
  };
  return { paths, of, all: () => new Map(paths.map((path) => [path, of(path) ?? ""])) };
}

/** The full name by which a prover is asked. A Lean name begins at its namespace, wherever the file lies. */
function nameIn(prover: SourceConfig["prover"], file: string, name: string): string {
  return prover === "lean" ? name : `${file}.${name}`;
}

function moduleOf(path: string, root: string, prover: SourceConfig["prover"], logical: string): string {
  const ending = PROVERS[prover].endings.find((one) => path.endsWith(one)) ?? "";
  const below = (root === "" ? path : path.slice(root.length + 1)).slice(0, -ending.length).replaceAll("/", ".");
  return logical === "" ? below : `${logical}.${below}`;
}

function locate(declared: Declaration, { repo, prover }: SourceConfig, path: string, file: string): Found {
  // A name of Lean or Metamath may have dots of its own; of the others what is before them are modules of the file.
  const nests = prover === "coq" || prover === "agda";
  const inner = nests ? declared.name.split(".").slice(0, -1) : [];
  const theorem = nests ? (declared.name.split(".").at(-1) ?? "") : declared.name;
  const module = [file, ...inner].join(".");
  const words = [declared.class, ...declared.context, declared.statement].join("\n").match(/[\p{L}\p{N}_'.]+|[^\s\p{L}\p{N}_'.]/gu) ?? [];
  return {
    ...declared,
    repo,
    prover,
    path,
    module,
    theorem,
    key: `${repo} ${prover} ${nameIn(prover, module, theorem)}`,
    digest: sha256(words.join(" ")),
  };
}

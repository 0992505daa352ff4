/** Sources → declarations, each with the key that its id stays with. No prover runs. */
import { posix } from "node:path";
import { sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import type { SourceConfig } from "./config.ts";
import { scanCoq } from "./coq.ts";
import type { Declaration } from "./declaration.ts";
import { scanLean } from "./lean.ts";
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

export type ScannedSource = Revision & {
  readonly source: SourceConfig;
  readonly found: readonly Found[];
  /** Full names of all that these files claim to prove, whatever becomes a record. */
  readonly stated: readonly string[];
  /** Those of them that are theorems. */
  readonly proved: readonly string[];
};

const EXTENSIONS = { coq: ".v", lean: ".lean" } as const;
const SCANNERS = { coq: scanCoq, lean: scanLean } as const;
/** The first word of a file of Coq's that has none of its commands is mostly that of a circuit: the two share an extension. */
const VERILOG = /^\s*(?:module\s+\w+|`(?:timescale|include|define))\b/m;
const MAX_DECLARATIONS = 1_000_000;

/** @param others further files of the revision that are read, for records name them
 *  @throws ShelfError "bad_source" when a revision cannot be read */
export async function scanSource(source: SourceConfig, others: ReadonlySet<string> = new Set()): Promise<ScannedSource> {
  const root = source.root.replace(/^\.?\/+|\/+$/g, "");
  const extension = EXTENSIONS[source.prover];
  const isSource = (path: string): boolean =>
    path.endsWith(extension) &&
    (root === "" || path.startsWith(`${root}/`)) &&
    !source.exclude.some((glob) => posix.matchesGlob(path, glob));
  const paired = source.pair?.replaceAll("{x}", "**") ?? null;
  const revision = await readRevision(
    source,
    (path) => isSource(path) || others.has(path) || (paired !== null && posix.matchesGlob(path, paired)),
  );
  const files = new Map(revision.files);
  const problems = [...revision.problems];
  const stated: string[] = [];
  const proved: string[] = [];
  const found = new Map<string, Found>();
  for (const [path, bytes] of revision.files) {
    if (!isSource(path)) continue;
    const text = new TextDecoder().decode(bytes);
    const declarations = SCANNERS[source.prover](text);
    if (source.prover === "coq" && declarations.length === 0 && VERILOG.test(text))
      problems.push(`${JSON.stringify(path)} is Verilog, not Coq`);
    const file = moduleOf(path, root, extension, source.logical);
    // It would be taken for Coq's own, and its axioms for those that a policy allows.
    if (source.prover === "coq" && source.logical === "" && /^(?:Coq|Corelib|Stdlib)\./.test(file)) {
      problems.push(`${JSON.stringify(path)} is named like a module of Coq's own library`);
      files.delete(path);
      continue;
    }
    for (const declared of declarations) {
      if (declared.class === "theorem" || declared.class === "definition") stated.push(`${file}.${declared.name}`);
      if (declared.class === "theorem") proved.push(`${file}.${declared.name}`);
      if (!source.kinds.includes(declared.class) || declared.kind === "Goal") continue;
      const one = locate(declared, source, path, file);
      const other = found.get(one.key);
      if (other !== undefined)
        problems.push(`${JSON.stringify(path)}:${one.line} declares ${one.key} again; the first is in ${other.path}:${other.line}`);
      else found.set(one.key, one);
      if (found.size > MAX_DECLARATIONS)
        throw new ShelfError("bad_source", `${source.repo} has more than ${MAX_DECLARATIONS} declarations; leave some out.`);
    }
  }
  return { ...revision, files, source, found: [...found.values()], stated, proved, problems };
}

function moduleOf(path: string, root: string, extension: string, logical: string): string {
  const below = (root === "" ? path : path.slice(root.length + 1)).slice(0, -extension.length).replaceAll("/", ".");
  return logical === "" ? below : `${logical}.${below}`;
}

function locate(declared: Declaration, { repo, prover }: SourceConfig, path: string, file: string): Found {
  // A Lean name begins at its namespace, wherever the file lies; a Coq name at its file.
  const inner = prover === "coq" ? declared.name.split(".").slice(0, -1) : [];
  const theorem = prover === "coq" ? (declared.name.split(".").at(-1) ?? "") : declared.name;
  const module = [file, ...inner].join(".");
  const words = [declared.class, ...declared.context, declared.statement].join("\n").match(/[\p{L}\p{N}_'.]+|[^\s\p{L}\p{N}_'.]/gu) ?? [];
  return {
    ...declared,
    repo,
    prover,
    path,
    module,
    theorem,
    key: prover === "coq" ? `${repo} coq ${module}.${theorem}` : `${repo} lean ${theorem}`,
    digest: sha256(words.join(" ")),
  };
}

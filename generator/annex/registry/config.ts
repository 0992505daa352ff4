/** registry.yaml: where records come from. Closed like proofshelf.yaml, with every mistake at once and its line. */
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { Formalization } from "#snapshots/schema";
import { type ConfigProblem, readLocated } from "#generator/config";
import { findListProblem, isListAddress } from "#generator/annex/recall";
import { folderOf, readCoqPath, reservedIn } from "./coq-paths.ts";

const KINDS = ["theorem", "definition", "type", "axiom"] as const;
const PROVERS = ["coq", "lean", "metamath", "agda", "isabelle"] as const;

const some = (what: string) => z.string().min(1, `is empty; write ${what}`);
const path = (what: string) => some(what).refine((value) => !value.startsWith("-"), "begins with a hyphen; write ./ before it");

const adapter = z.strictObject({
  command: z.array(some("a program or an argument")).min(1, "is empty; name the program"),
  prover: some("the prover's name").meta({ description: "What it speaks for, as in coq" }),
});

const source = z.strictObject({
  repo: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "is no name of a repository; letters, digits, dot, hyphen")
    .meta({ description: "Name of the repository in records" }),
  git: path("a folder").optional().meta({ description: "A git repository, relative to this file" }),
  folder: path("a folder").optional().meta({ description: "Or a folder that holds exactly the files of rev" }),
  rev: some("a revision")
    .refine((value) => !value.startsWith("-"), "begins with a hyphen")
    .default("HEAD")
    .meta({
      description: "Branch, tag or commit; of a folder the name of its revision",
    }),
  ref: z.string().default("").meta({ description: "Branch or tag to show beside the revision, where rev names none" }),
  web: z
    .url({ protocol: /^https?$/, error: "is no address; write https://…" })
    .optional()
    .meta({ description: "Address of a line of its files, with {rev}, {path} and {line}: each record links it" }),
  prover: z
    .enum([...PROVERS, "rocq"])
    .transform((name) => (name === "rocq" ? "coq" : name))
    .meta({ description: "Language of the sources; rocq is Coq by its newer name" }),
  adapter: adapter.optional().meta({ description: "A program that runs the prover, instead of the one that is built in" }),
  root: z
    .string()
    .transform(folderOf)
    .default("")
    .meta({ description: "Folder in the revision below which modules lie, or the one database of Metamath to read" }),
  logical: z.string().default("").meta({ description: "Name before that of each module: Bertrand" }),
  paths: z
    .array(
      some("-R folder Name").refine((line) => readCoqPath(line) !== null, "is no folder of Coq's; write -R folder Name or -Q folder Name"),
    )
    .default([])
    .meta({ description: "Of Coq, instead of root and logical: its folders with their names, as _CoqProject has them" }),
  flags: z.array(z.string()).default([]).meta({ description: "Further arguments of the prover" }),
  exported: path("a file").optional().meta({ description: "Of Lean: a file of lean4export, with FILE.sha256 of the sources beside it" }),
  kinds: z.array(z.enum(KINDS)).default(["theorem"]).meta({ description: "What becomes a record" }),
  exclude: z.array(some("a pattern")).default([]).meta({ description: "Files to leave out; globs of paths in the revision" }),
  pair: some("a pattern").optional().meta({ description: "The same in Lean, {x} for the module's path: lean/{x}.lean" }),
});

const RESERVED = ["coq", "coqchk", "metamath", "proofshelf-metamath", "agda", "lean4export"];
const kernel = z.strictObject({
  name: some("its name")
    .refine((name) => !RESERVED.includes(name), "is the name of one that is built in")
    .meta({ description: "Its name in checks" }),
  prover: z.enum(["coq", "lean", "metamath"]).meta({ description: "Whose files it reads" }),
  version: z.string().default("").meta({ description: "Shown in checks; the digest of its files is told beside it" }),
  command: z.array(some("a program or an argument")).min(1, "is empty; name the program").meta({
    description:
      "What is run, with the file after it: an export of Lean, a database of Metamath, compiled files of Coq. It ends with 0 to accept, 1 to reject, 2 to decline",
  }),
});

const size = z.int("is not a whole number").min(1, "is under 1");

const registrySchema = z.strictObject({
  lock: path("a file").default("./registry.lock.jsonl").meta({ description: "Ids of records; written by scan, kept in version control" }),
  overlay: path("a file").optional().meta({ description: "YAML: what only people know" }),
  records: path("a file").optional().meta({ description: "A registry written by hand: its ids are taken over, its other records stay" }),
  code: path("a folder").optional().meta({ description: "Code store that scan writes: {repo}/{head}/{path}" }),
  checks: z
    .strictObject({
      store: path("a folder").default("./checks").meta({ description: "Where checks lie, by digest" }),
      trust: z
        .array(some("a public key"))
        .default([])
        .meta({ description: "Ed25519 public keys whose checks count; without any, all that hold" }),
      base_url: z
        .url({ protocol: /^https?$/, error: "is no address; write https://…" })
        .exactOptional()
        .meta({ description: "Address of the library, by default that of the configuration: the type of checks lies under it" }),
    })
    .prefault({}),
  policy: z
    .strictObject({
      axioms: z
        .array(z.union([some("a full name"), z.record(z.string(), some("a full name"))], "is no axiom; write its full name, or repo: name"))
        .nullish() // all lines of it may be comments
        .transform((names) => (names ?? []).flatMap(readAxiom))
        .meta({
          description:
            "Axioms that a VERIFIED record may rest on, of libraries that are installed; ax-* is all that begin so. repo: name is one of that repository's own",
        }),
      kernels: size
        .default(1)
        .meta({ description: "Kernels that have to accept a VERIFIED record, the prover among them, and none of which may reject it" }),
    })
    .prefault({}),
  limits: z
    .strictObject({
      wall: size.default(1800).meta({ description: "Seconds of one run" }),
      cpu: size.default(1800).meta({ description: "Seconds of processor of one program" }),
      memory: size.default(8192).meta({ description: "MiB of one program" }),
      output: size.default(256).meta({ description: "MiB that a program may print or write into one file" }),
      processes: size.default(64).meta({ description: "Programs at once" }),
    })
    .prefault({}),
  meta: z.record(z.string(), z.unknown()).default({}).meta({ description: "Members of the registry's metadata that nothing here counts" }),
  formalizations: z.array(Formalization).default([]).meta({
    description:
      "What projects say of themselves in their formalization.yaml, as registry init took it over; the front page names their main results",
  }),
  kernels: z.array(kernel).default([]).meta({ description: "Further checkers of proofs" }),
  advisories: z
    .array(
      path("a file").superRefine((list, context) => {
        const message = findListProblem(list);
        if (message !== null) context.addIssue({ code: "custom", message });
      }),
    )
    .default([])
    .meta({
      description:
        "Further lists of checkers with known holes: files, or addresses that end with #sha256= and their digest; FILE.note is signed by a key in checks.trust",
    }),
  reviews: z.array(path("a file")).default([]).meta({
    description: "Files of who has read a statement, or doubts it; registry sign makes signed statements of them",
  }),
  sources: z.array(source, "is missing or no list; name at least one source").min(1, "is empty; name at least one source"),
});

/** readAxiom writes an axiom as it is compared: one of a repository's own after its name. */
function readAxiom(said: string | Readonly<Record<string, string>>): string[] {
  return typeof said === "string" ? [said] : Object.entries(said).map(([repo, name]) => `${repo}: ${name}`);
}

type Parsed = z.infer<typeof registrySchema>;
export type SourceConfig = Parsed["sources"][number];
export type Limits = Parsed["limits"];
/** RegistrySources is a registry.yaml as it was read, with absolute paths. */
export type RegistrySources = Parsed & { readonly file: string };

export const sourcesJsonSchema = z.toJSONSchema(registrySchema, { io: "input" });

/** openRegistrySources reads a registry.yaml. @throws ShelfError "bad_config" with every mistake and its line */
export function openRegistrySources(file: string): RegistrySources {
  const parsed = readLocated(
    file,
    registrySchema,
    sourcesJsonSchema,
    "a registry.yaml, which proofshelf registry init makes",
    checkSources,
  );
  const folder = dirname(resolve(file));
  const at = (name: string): string => resolve(folder, name);
  return {
    ...parsed,
    file: resolve(file),
    lock: at(parsed.lock),
    ...(parsed.overlay === undefined ? {} : { overlay: at(parsed.overlay) }),
    ...(parsed.records === undefined ? {} : { records: at(parsed.records) }),
    ...(parsed.code === undefined ? {} : { code: at(parsed.code) }),
    checks: { ...parsed.checks, store: at(parsed.checks.store) },
    advisories: parsed.advisories.map((list) => (isListAddress(list) ? list : at(list))),
    reviews: parsed.reviews.map(at),
    sources: parsed.sources.map(({ git, folder: files, exported, ...rest }) => ({
      ...rest,
      ...(exported === undefined ? {} : { exported: at(exported) }),
      ...(git === undefined ? {} : { git: at(git) }),
      ...(files === undefined ? {} : { folder: at(files) }),
    })),
  };
}

/** RENAME says what to do about a library that has the name of the prover's own. */
export const RENAME = "its axioms would pass for those of Coq; give the library another name, in its _CoqProject, too";

function checkSources({ sources, kernels }: Parsed): ConfigProblem[] {
  const seen = new Map<string, number>();
  const doubled = kernels.flatMap(({ name }, index) =>
    kernels.findIndex((one) => one.name === name) === index ? [] : [{ path: ["kernels", index, "name"], what: "stands twice" }],
  );
  const found = sources.flatMap((entry, index) => {
    const problems: ConfigProblem[] = [];
    if ((entry.git === undefined) === (entry.folder === undefined))
      problems.push({
        path: ["sources", index],
        what: entry.git === undefined ? "names no place; write git or folder" : "has both git and folder; keep one",
      });
    if (entry.exported !== undefined && entry.prover !== "lean")
      problems.push({ path: ["sources", index, "exported"], what: "is of lean4export, and the prover is another" });
    if (entry.folder !== undefined && entry.rev === "HEAD")
      problems.push({ path: ["sources", index], what: "has a folder and no rev; write the name of its revision" });
    if (entry.paths.length > 0 && (entry.prover !== "coq" || entry.root !== "" || entry.logical !== ""))
      problems.push({
        path: ["sources", index, "paths"],
        what: entry.prover === "coq" ? "stands beside root or logical; write all folders in paths" : "is of Coq, and the prover is another",
      });
    const reserved = entry.prover === "coq" ? reservedIn(entry) : null;
    if (reserved !== null)
      problems.push({ path: ["sources", index], what: `has the name ${reserved}, which is of Coq's own library: ${RENAME}` });
    const other = sources.slice(0, index).find(({ repo }) => repo === entry.repo);
    if (other !== undefined && (other.git !== entry.git || other.folder !== entry.folder || other.rev !== entry.rev))
      problems.push({
        path: ["sources", index, "repo"],
        what: "is the name of another place or revision, too; a repository has one revision here, so give this one another name",
      });
    const name = [entry.repo, entry.prover, entry.root, ...entry.paths].join(" ");
    if (seen.has(name))
      problems.push({
        path: ["sources", index, "repo"],
        what: `stands twice with this prover and root; the other is entry ${(seen.get(name) ?? 0) + 1}`,
      });
    seen.set(name, index);
    return problems;
  });
  return [...doubled, ...found];
}

/** `proofshelf registry init`: looks at a repository, and writes a first registry.yaml and a library around it. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join, posix, relative, resolve } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { nameSome, countOf } from "#snapshots/format";
import { generateKey } from "#snapshots/log";
import type { Formalization } from "#snapshots/schema";
import { OPEN, writeWhole } from "#snapshots/shelf";
import { print, writeLibrary } from "#generator/commands";
import { SAFE_GIT, safeGitEnvironment } from "#generator/sources";
import { readAgdaLib } from "./agda-lib.ts";
import { openRegistrySources, RENAME } from "./config.ts";
import { FORMALIZATION, readFormalization } from "./formalization.ts";
import { findLoaded, namedByLoad } from "./coq-load.ts";
import { coqModuleOf, folderOf, isReserved, readCoqPath } from "./coq-paths.ts";
import { readCoqProject } from "./coq-project.ts";
import { findDatabases } from "./metamath.ts";
import { type SourceOptions, USUAL } from "./open-sources.ts";
import { isSourceOf, type ProverName, PROVERS } from "./provers.ts";
import { readRevision } from "./revision.ts";

const MAX_LOOKED_AT = 256 * 1024 * 1024; // bytes of a database
const LOOKED_AT =
  /(?:^|\/)(?:_CoqProject|_RocqProject|Make|Makefile|dune|formalization\.yaml|lakefile\.(?:lean|toml))$|\.(?:v|lean|mm|thy|agda|lagda|lagda\.md|lagda\.tex|agda-lib)$/;
/** Where Debian keeps the libraries of Agda, by the names that an `.agda-lib` depends on. */
const AGDA_LIBRARIES: Readonly<Record<string, string>> = { "standard-library": "/usr/share/agda-stdlib" };

/** A row of `sources`, and what was left out of the project's own words. */
type Row = { readonly source: Readonly<Record<string, unknown>>; readonly told: readonly string[] };
type Texts = ReadonlyMap<string, string>;

/** runRegistryInit looks at a repository, and writes a first registry.yaml. @throws ShelfError "bad_config" when one is there */
export async function runRegistryInit(options: SourceOptions & { readonly git: string; readonly name?: string }): Promise<void> {
  const file = options.sources ?? USUAL;
  const { files, head } = await readRevision({ git: options.git, rev: "HEAD" }, (path) => LOOKED_AT.test(path), MAX_LOOKED_AT);
  const texts = new Map([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString(path.endsWith(".mm") ? "latin1" : "utf8")]));
  const place = relative(dirname(resolve(file)), resolve(options.git));
  const git = place.startsWith(".") ? place : `./${place}`;
  const origin = originOf(options.git);
  const repo = options.name ?? nameOf(origin ?? resolve(options.git));
  const web = origin === null ? null : webOf(origin);
  const rows = [...coqRows(texts), ...agdaRows(texts), ...otherRows(texts)];
  if (rows.length === 0)
    throw new ShelfError(
      "bad_source",
      `${options.git} has no file of ${Object.values(PROVERS)
        .map(({ title }) => title)
        .join(", ")} at ${head.slice(0, 12)}.`,
    );
  const shared = { repo, git, rev: "HEAD", ...(web === null ? {} : { web }) };
  const lines = rows.flatMap(({ source, told }) => [
    ...told.map((what) => `  # ${what}`),
    `  - ${flow({ ...shared, ...source, kinds: ["theorem"] })}`,
  ]);
  if (existsSync(file))
    throw new ShelfError("bad_config", `${file} is there already; it was left as it is.`, {
      fixes: [`To take ${repo} in as well, put below its sources:`, ...lines],
    });
  const key = generateKey(repo);
  const own = files.get(FORMALIZATION);
  const said = own === undefined ? null : readFormalization(repo, own);
  writeWhole(file, textOf(key.publicKey, rows, lines, typeof said === "string" ? null : said), { modes: OPEN });
  openRegistrySources(file);
  const library = join(dirname(file), "proofshelf.yaml");
  const makesLibrary = !existsSync(library);
  if (makesLibrary) {
    mkdirSync(join(dirname(file), "library", "checks"), { recursive: true });
    await writeLibrary(join(dirname(file), "library"), library, {
      title: `Proofs of ${repo}`,
      folders: ["checks"],
      sources: basename(file),
    });
  }
  const told = [...rows.flatMap((row) => row.told), ...tellFormalization(said)];
  print(
    options,
    { file, sources: rows.length, library: makesLibrary ? library : null, told, RECHECK_KEY: key.privateKey },
    [
      `Wrote ${file} with ${countOf(rows.length, "source")} of ${JSON.stringify(repo)}, a name that ids keep (--name gives another)${makesLibrary ? `, and ${library}` : ""}.`,
      ...(makesLibrary
        ? []
        : [`Into proofshelf.yaml belongs: registry: { sources: ./${basename(file)} } and code: { kind: directory, root: ./code }`]),
      ...told.map((what) => `Note: ${what}`),
      "The key that signs checks is told this once; keep it out of version control:",
      `  export RECHECK_KEY='${key.privateKey}'`,
      `Look through ${makesLibrary ? "both files" : "the file"}; then:`,
      "  proofshelf registry recheck",
      "  proofshelf serve --build",
      "",
    ].join("\n"),
  );
}

function tellFormalization(said: ReturnType<typeof readFormalization> | null): string[] {
  if (said === null) return [];
  if (typeof said === "string") return [`${said}; nothing of it was taken over`];
  return [`${FORMALIZATION} was taken over with ${said.main.length} main results; the front page names them as its authors' word`];
}

/** flow writes a row as YAML of one line. */
function flow(row: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(row).map(([name, value]) => `${name}: ${name === "prover" ? String(value) : JSON.stringify(value)}`);
  return `{ ${members.join(", ")} }`;
}

/** originOf reads where a clone comes from; null where it says nothing, or a folder of this machine. */
function originOf(git: string): string | null {
  try {
    const args = ["-C", git, "-c", "safe.directory=*", ...SAFE_GIT, "config", "--get", "remote.origin.url"];
    const origin = execFileSync("git", args, { encoding: "utf8", env: safeGitEnvironment(), stdio: ["ignore", "pipe", "ignore"] }).trim();
    return /^(?:https?|ssh|git):\/\/|^[\w.-]+@[\w.-]+:/.test(origin) ? origin : null;
  } catch {
    return null;
  }
}

function nameOf(place: string): string {
  const name = basename(place.replace(/\/+$/, "")).replace(/\.git$/, "");
  return name.replaceAll(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "sources";
}

/** webOf makes the address of a line out of a clone's; null where the host's form of it is not known. No name and no password is taken over. */
function webOf(origin: string): string | null {
  const [, host = "", path = ""] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([\w.-]+)(?::\d+)?\/(.+)$/.exec(origin) ?? /^[\w.-]+@([\w.-]+):(.+)$/.exec(origin) ?? [];
  const base = `https://${host}/${path.replace(/\/+$/, "").replace(/\.git$/, "")}`;
  if (/[{}\s]/.test(base)) return null;
  if (host === "github.com") return `${base}/blob/{rev}/{path}#L{line}`;
  if (/(?:^|\.)gitlab\./.test(host)) return `${base}/-/blob/{rev}/{path}#L{line}`;
  if (host === "codeberg.org") return `${base}/src/commit/{rev}/{path}#L{line}`;
  return null;
}

/** coqRows gives one source that sees all folders of a development. */
function coqRows(texts: Texts): Row[] {
  const all = [...texts.keys()].filter((path) => path.endsWith(".v"));
  if (all.length === 0) return [];
  const project = readCoqProject(texts);
  const paths = project?.paths ?? [];
  const places = paths.map(readCoqPath).filter((path) => path !== null);
  const reserved = places.find(({ name }) => isReserved(name));
  if (reserved !== undefined)
    throw new ShelfError(
      "bad_source",
      `The project gives ${reserved.folder || "its root"} the name ${reserved.name}, which is of Coq's own library: ${RENAME}.`,
    );
  const loaded = new Set(all.flatMap((path) => namedByLoad(texts.get(path) ?? "").map((name) => findLoaded(name, path, all))));
  const listed = new Set(project?.files);
  const unlisted =
    listed.size === 0
      ? []
      : all.filter((path) => !listed.has(path) && !loaded.has(path) && (places.length === 0 || coqModuleOf(places, path) !== null));
  const flags = project?.flags ?? [];
  return [
    {
      source: {
        prover: "coq",
        ...(paths.length === 0 ? {} : { paths }),
        ...(flags.length === 0 ? {} : { flags }),
        ...(unlisted.length === 0 ? {} : { exclude: unlisted.map((path) => path.replaceAll(/[*?[\]{}()!\\]/g, "[$&]")) }),
      },
      told: [
        ...(project === null || project.dropped.length === 0 ? [] : [`left out of the project's options: ${project.dropped.join(" ")}`]),
        ...(unlisted.length === 0 ? [] : [`not in the list of the project, and left out by exclude: ${nameSome(unlisted, 5)}`]),
      ],
    },
  ];
}

/** agdaRows gives a source for each `.agda-lib`, and one for all where there is none. */
function agdaRows(texts: Texts): Row[] {
  if (![...texts.keys()].some((path) => isSourceOf("agda", path))) return [];
  const libraries = [...texts].filter(([path]) => path.endsWith(".agda-lib"));
  if (libraries.length === 0) return [{ source: { prover: "agda" }, told: [] }];
  return libraries.map(([path, text]) => {
    const { include, depend, flags } = readAgdaLib(text);
    const [root = "", ...more] = (include.length === 0 ? ["."] : include).map((folder) =>
      folderOf(posix.join(posix.dirname(path), folder)),
    );
    const known = depend.flatMap((name) => AGDA_LIBRARIES[name.replace(/-[\d.]+$/, "")] ?? []);
    const all = [...more, ...known].flatMap((folder) => ["-i", folder]).concat(flags);
    const lacking = depend.filter((name) => AGDA_LIBRARIES[name.replace(/-[\d.]+$/, "")] === undefined);
    return {
      source: { prover: "agda", root, ...(all.length === 0 ? {} : { flags: all }) },
      told: lacking.map((name) => `${path} needs the library ${name}: write flags: ["-i", "its folder"]`),
    };
  });
}

/** otherRows gives a source for Lean, for Isabelle, and for each database: what another includes is a part of it. */
function otherRows(texts: Texts): Row[] {
  const has = (prover: ProverName): boolean =>
    [...texts.keys()].some((path) => isSourceOf(prover, path) && !path.endsWith("lakefile.lean"));
  const databases = findDatabases(new Map([...texts].filter(([path]) => path.endsWith(".mm"))));
  /** Two databases of one name are told apart by their folders. */
  const named = (root: string): object =>
    databases.some((other) => other !== root && posix.basename(other) === posix.basename(root)) && root.includes("/")
      ? { logical: posix.dirname(root).replaceAll("/", ".") }
      : {};
  return [
    ...(["lean", "isabelle"] as const).filter(has).map((prover) => ({ source: { prover }, told: [] })),
    ...databases.map((root) => ({ source: { prover: "metamath", root, ...named(root) }, told: [] })),
  ];
}

/** The axioms that a development of each prover usually rests on, and that many a policy allows. */
const USUAL_AXIOMS: Readonly<Partial<Record<string, readonly string[]>>> = {
  coq: [
    "Coq.Logic.Classical_Prop.classic",
    "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",
    "Coq.Logic.PropExtensionality.propositional_extensionality",
    "Coq.Logic.Eqdep.Eq_rect_eq.eq_rect_eq",
    "Coq.Logic.ProofIrrelevance.proof_irrelevance",
    "Coq.Logic.ClassicalEpsilon.constructive_indefinite_description",
    "Coq.Logic.Description.constructive_definite_description",
    "Coq.Reals.ClassicalDedekindReals.sig_forall_dec",
    "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
    "Coq.Logic.ClassicalUniqueChoice.dependent_unique_choice",
    "Coq.Logic.RelationalChoice.relational_choice",
    "Coq.Sets.Ensembles.Extensionality_Ensembles",
  ],
  lean: ["propext", "Quot.sound", "Classical.choice"],
  metamath: ["ax-mp", "ax-1", "ax-2", "ax-3", "ax-gen"],
};

function textOf(publicKey: string, rows: readonly Row[], lines: readonly string[], said: Formalization | null): string {
  const axioms = [...new Set(rows.map(({ source }) => String(source["prover"])))].flatMap((prover) => USUAL_AXIOMS[prover] ?? []);
  return [
    "# Where the records of this library come from. proofshelf registry scan reads the revisions and gives each record its id;",
    "# proofshelf registry recheck runs the prover. Both write beside this file, and what they write belongs into version control.",
    "lock: ./registry.lock.jsonl",
    "# overlay: ./registry.overlay.yaml   # what only people know: titles, notes, what runs where",
    "code: ./code                         # where scan puts the files of each revision, for whoever may download them",
    "# Checks lie in the library, so that each has a page, and its digest can be looked up. Only those that one of these keys signed count.",
    `checks: { store: ./library/checks, trust: [${JSON.stringify(publicKey)}] }`,
    "# Axioms that a VERIFIED record may rest on, by their full names. To allow one, take its # away.",
    "policy:",
    "  axioms:",
    ...axioms.map((name) => `    # - ${name}`),
    ...(said === null ? [] : [`# As ${FORMALIZATION} says.`, "formalizations:", `  - ${JSON.stringify(said)}`]),
    "sources:",
    ...lines,
    "",
  ].join("\n");
}

/** `proofshelf init`: a first configuration, from the folders that are there. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ShelfError } from "#snapshots/errors";
import { findKeyProblem, nameSome, README, countOf } from "#snapshots/format";
import { howToInstallModel } from "#snapshots/embedders";
import { blocksOf, headingsOf } from "#snapshots/blocks";
import { mediaTypeOfName } from "#generator/extract";
import { NO_NEWS, openLeavingOut, parseConfig } from "#generator/config";
import { isPackage } from "#generator/files";
import { openDirectoryStore } from "#generator/sources";
import { MAX_LEFT_OUT, PROPOSED, jsonSchemas } from "./config.ts";
import { type CommonOptions, print } from "./options.ts";

/** Names that sound as if not everybody may read what lies there. */
const GATED = /draft|private|internal|secret|confidential|restricted|review|closed|gated|embargo/i;
/** Schemas for editors: a dot folder, which no store takes in. */
const SCHEMA_FOLDER = ".proofshelf";
const SCHEMA = `${SCHEMA_FOLDER}/proofshelf.schema.json`;
/** Files of proof checkers. */
const PROOFS = /\.(?:v|lean|thy|agda|mm)$/i;
const CLAIMS = "claims.yaml";
/** NOTHING_MADE is what there is where `registry init` made nothing; it writes the sources under that name. */
const NOTHING_MADE = { title: null, folders: [], sources: "registry.yaml" };
const CODE = "code: { kind: directory, root: ./code }";

/** runInit writes the file that `--config` names, or proofshelf.yaml here without it, and says what belongs to be looked at.
 *  @param folder that holds the library */
export async function runInit(folder: string, options: CommonOptions): Promise<void> {
  const shown = options.config ?? "proofshelf.yaml";
  const { folders, keys, leftOut, names, firstClaims } = await writeLibrary(folder, shown);
  const gated = folders.filter((name) => GATED.test(name));
  const proofs = keys.filter((key) => PROOFS.test(key)).length;
  const named = options.config === undefined ? "" : ` --config ${shown}`;
  const lines = [
    `Wrote ${[shown, ...(firstClaims ? [CLAIMS] : [])].join(", ")} and, for editors, the schemas in ${SCHEMA_FOLDER}/.`,
    gated.length === 0
      ? "Everything is public. To gate a folder, write visibility: email-gated at its collection."
      : `Gated by their names: ${gated.join(", ")}. Everything else is public. Look through it before you publish.`,
    ...(leftOut.length === 0 ? [] : [`Left out: ${nameSome(leftOut, MAX_LEFT_OUT)}. build --verbose says why.`]),
    ...(proofs === 0
      ? []
      : [`${countOf(proofs, "file of a proof checker is", "files of proof checkers are")} here. ${howToRecord(folder, names)}`]),
    "Next:",
    `  proofshelf config check${named}`,
    `  proofshelf serve --build --try-internal${named}`,
  ];
  print(options, { file: resolve(shown), collections: folders.length, gated, proofs }, `${lines.join("\n")}\n`);
}

/** writeLibrary writes a first configuration, a first file of claims where there is none, and the schemas for editors beside them.
 *  @param folder that holds the library
 *  @param shown where the configuration is written
 *  @param made what is there to come: a title where the folder says none, folders, and the name of the file of sources
 *  @throws ShelfError "bad_config" when one is there already, or the folder is not */
export async function writeLibrary(
  folder: string,
  shown: string,
  made: { readonly title: string | null; readonly folders: readonly string[]; readonly sources: string } = NOTHING_MADE,
) {
  const file = resolve(shown);
  const beside = dirname(file);
  if (existsSync(file)) throw new ShelfError("bad_config", `${shown} is there already; it was left as it is.`);
  refuseClone(beside);
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new ShelfError("bad_config", `${folder} is not a folder that can be read; name the one that holds your files.`, { cause });
  });
  const root = relative(beside, resolve(folder));
  // A folder of this name is the code of records only where there are records.
  const isRecorded = [made.sources, PROPOSED.registry].some((name) => existsSync(join(beside, name)));
  const own = root === "" ? [basename(file), ...Object.values(PROPOSED), ...(isRecorded ? ["code"] : [])] : [];
  const { keys, leftOut } = await lookThrough(folder, own);
  const tops = new Set([...made.folders, ...keys.flatMap((key) => (key.includes("/") ? [key.slice(0, key.indexOf("/"))] : []))]);
  const folders = [...tops].filter((name) => findKeyProblem(name) === null).sort();
  const hasFiles = folders.length === 0 || keys.some((key) => !key.includes("/"));
  const said = await readAbout(folder);
  const about = { ...said, title: said.title ?? made.title };
  const summaries = new Map<string, string>();
  for (const name of folders) summaries.set(name, (await readAbout(join(folder, name))).summary);
  const found = { sources: made.sources, isRecorded, root, folders, hasFiles, beside, own, about, summaries };
  const firstClaims = !existsSync(join(beside, CLAIMS));
  const text = describe(found);
  parseConfig(Buffer.from(text), file, { checkSources: false });
  await writeFile(file, text, { flag: "wx" });
  if (firstClaims) await writeFile(join(beside, CLAIMS), FIRST_CLAIMS, { flag: "wx" });
  await mkdir(join(beside, SCHEMA_FOLDER), { recursive: true });
  for (const [name, schema] of Object.entries(jsonSchemas()))
    await writeFile(join(beside, SCHEMA_FOLDER, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
  return { folders, keys, leftOut, names, firstClaims };
}

/** The program's own folder is no library. @throws ShelfError "bad_config" */
function refuseClone(folder: string): void {
  const clone = isPackage ? null : fileURLToPath(new URL("../..", import.meta.url));
  if (clone === null || resolve(folder) !== resolve(clone)) return;
  throw new ShelfError("bad_config", `${folder} is the clone of proofshelf itself; your library has a folder of its own.`, {
    fixes: [
      `Go to your folder, and there: npm --prefix ${folder} run -s proofshelf -- init`,
      "Or name the file: init FOLDER --config FOLDER/proofshelf.yaml",
    ],
  });
}

/** About is what a folder's README says of it. */
type About = { readonly title: string | null; readonly summary: string; readonly readme: string | null };

async function readAbout(folder: string): Promise<About> {
  const names = await readdir(folder).catch(() => []);
  const found = names
    .filter((name) => README.test(name) || /^index\.(?:md|markdown)$/i.test(name))
    .map((name) => ({ name, ...mediaTypeOfName(name) }));
  const { name: readme, kind } = found.find((one) => one.kind === "markdown") ?? found[0] ?? { name: null, kind: "binary" };
  const text = readme === null ? "" : await readFile(join(folder, readme), "utf8").catch(() => "");
  const title = (kind === "org" ? /^#\+title:[ \t]*(.+)$/im.exec(text)?.[1] : headingsOf(text, kind)[0]?.title) ?? null;
  const plain = blocksOf(text, kind).find((block) => block.form === "prose" && /^[\p{L}\p{N}"']/u.test(block.plain))?.plain ?? "";
  return { title, summary: plain.length <= MAX_SUMMARY ? plain : `${plain.slice(0, MAX_SUMMARY).replace(/\s+\S*$/, "")} …`, readme };
}

/** lookThrough sorts the keys of a folder into those that a build would take, readable or not, and what it would leave out. What begins with a
 *  dot, and what belongs to the program, is not said. */
async function lookThrough(folder: string, own: readonly string[]): Promise<{ keys: readonly string[]; leftOut: readonly string[] }> {
  const findLeftOut = openLeavingOut({ include: [], exclude: own }, []);
  const keys: string[] = [];
  const leftOut = new Set<string>();
  for await (const { key, ignored, problem } of openDirectoryStore(folder).list()) {
    const found = findLeftOut(key, ignored);
    if (found === null && (problem === null || key.endsWith("/"))) keys.push(key);
    else if (found !== null && !NO_NEWS.has(found.reason) && !/(?:^|\/)\.[^/]*\/?$/.test(found.key)) leftOut.add(found.key);
  }
  return { keys: keys.sort(), leftOut: [...leftOut].sort() };
}

/** A registry is made of revisions, so the proofs must lie in a repository. */
function howToRecord(folder: string, names: readonly string[]): string {
  return names.includes(".git")
    ? `To make records of what they prove: proofshelf registry init --git ${folder}`
    : "The guide registry-from-proofs.md says how they get records.";
}

const MAX_SUMMARY = 240; // UTF-16 units

const FIRST_CLAIMS = `# yaml-language-server: $schema=./${SCHEMA_FOLDER}/claims.schema.json
# What the library claims, and what each claim rests on. Take the # away, change the example to something of your own, and run:
#   proofshelf config check
meta:
  title: Claims
claims: []
#  - id: lists-are-sorted                # stays the same for ever; it is the claim's address
#    title: The output is sorted
#    status: partial                     # verified, scoped or partial
#    scope: Lists of whole numbers       # what the claim covers
#    statement: Whatever list is given, the result is ascending.
#    evidence:                           # a build compares each digest with the file, and says when it differs
#      - { artifact: The proof, kind: coq, access: public, path: proofs/Sort.v, sha256: "64 hex digits of sha256sum" }
#    reproduce: [coqc proofs/Sort.v]
#    gaps: [Other orders are not covered.]
`;

type Found = {
  readonly sources: string;
  readonly isRecorded: boolean;
  readonly root: string;
  readonly folders: readonly string[];
  readonly hasFiles: boolean;
  readonly beside: string;
  readonly own: readonly string[];
  readonly about: About;
  /** By folder. */
  readonly summaries: ReadonlyMap<string, string>;
};

function describe({ sources, isRecorded, root, folders, hasFiles, beside, own, about, summaries }: Found): string {
  const ids = new Set<string>();
  const collection = (prefix: string, title: string, visibility: string, summary = ""): string => {
    const plain =
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "-")
        .replaceAll(/^-+|-+$/g, "")
        .slice(0, 50) || "collection";
    let id = plain;
    for (let number = 2; ids.has(id); number++) id = `${plain}-${number}`;
    ids.add(id);
    return `  - { id: ${JSON.stringify(id)}, prefix: ${JSON.stringify(prefix)}, title: ${JSON.stringify(title)}, visibility: ${visibility}${summary === "" ? "" : `, summary: ${JSON.stringify(summary)}`} }`;
  };
  const collections = folders.map((name) =>
    collection(`${name}/`, titleOf(name), GATED.test(name) ? "email-gated" : "public", summaries.get(name)),
  );
  if (hasFiles) collections.push(collection("", "Other files", "public"));
  const source = (line: string, path: string): string => `${path === CLAIMS || existsSync(join(beside, path)) ? "" : "# "}${line}`;
  const isScanned = existsSync(join(beside, sources));
  const front = about.readme === null ? "# front: README.md" : `front: ${JSON.stringify(about.readme)}`;
  // Files in the library's own folder that belong to the program are no objects.
  const exclude = own.length === 0 ? "" : `, exclude: ${JSON.stringify(own)}`;
  const isInside = /^(\.\.(\/|$))*$/.test(root);
  const shelf = isInside ? relative(beside, `${resolve(beside, root)}-shelf`) : "./shelf";
  const how = howToInstallModel();
  return `# yaml-language-server: $schema=./${SCHEMA}
# What proofshelf publishes, and to whom. Paths are relative to this file. Check it with: proofshelf config check
title: ${JSON.stringify(about.title ?? titleOf(basename(resolve(beside, root))))}
# The address that readers will use. Links and the snapshot's id follow from it.
baseUrl: http://127.0.0.1:4321
store: { kind: directory, root: ${JSON.stringify(root === "" ? "." : root)}${exclude} }
# Where snapshots are written. Not inside the store.
shelf: { kind: directory, root: ${JSON.stringify(shelf)} }
# Which part of the store is whose: the longest prefix wins; what lies under none is left out and said.
# visibility: public for everybody; email-gated for those whom access lets in.
collections:
${collections.join("\n")}
# The object whose text opens the front page.
${front}
# Who sees what is gated: nobody until this is filled in. On your own machine: proofshelf serve --try-internal
# access:
#   kind: oidc                                 # sign people in with an OpenID provider; a gateway in front is the other way
#   issuer: https://idp.example.org            # the provider's address
#   clientId: library                          # what the provider calls this library; OIDC_CLIENT_SECRET is in the environment
#   allow: { emails: [ada@example.org], domains: [example.org], groups: [] }   # who is let in
#   contact: library@example.org               # whom a person who is refused may ask
# Where an object's time comes from: auto (its commit in a git checkout, else its file), git, mtime or none.
uploaded: auto
# Newest snapshots that are kept when a build has published; all of them when left out.
keep: 30
# What the library claims, proof records, and their code at exact revisions ({repo}/{head}/{path}).
${source("claims: { path: ./claims.yaml }", "claims.yaml")}
${isScanned ? `registry: { sources: ./${sources} }` : source("registry: { path: ./registry.json }", "registry.json")}
# What is served no more: key, record or claim, reason (legal, privacy, error, superseded), date, note.
${source("withdrawals: { path: ./withdrawals.yaml }", "withdrawals.yaml")}
${isScanned ? CODE : isRecorded ? source(CODE, "code") : `# ${CODE}`}
# Pages of each PDF, from the first, that stand as images beside their text; 0 for none.
pdf: { pageImages: 20 }
# Search by meaning, beside that by words. What each kind costs:
#   embedded: a model of 30 MB that needs no network${how === null ? "" : `; not installed here: ${how}`}
#   openai: an endpoint, on your own machine too, { kind: openai, baseUrl: http://127.0.0.1:11434/v1, model: name, dimensions: 768 }; nothing is installed
#   none: nothing
embeddings: { kind: ${how === null ? "embedded" : "none"} }
`;
}

function titleOf(name: string): string {
  const words = name.replaceAll(/[-_]+/g, " ").trim();
  return words === "" ? "Library" : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

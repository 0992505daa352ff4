/** `proofshelf init`: a first configuration, from the folders that are there. */
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { ShelfError } from "../../snapshots/errors.ts";
import { findKeyProblem } from "../../snapshots/format/layout.ts";
import { missingPackages } from "../../snapshots/embed/open-embedder.ts";
import { configJsonSchema, parseConfig } from "../config/config.ts";
import { type CommonOptions, print } from "./options.ts";

/** Names that sound as if not everybody may read what lies there. */
const GATED = /draft|private|internal|secret|confidential|restricted|review|closed|gated|embargo/i;
const SCHEMA = "proofshelf.schema.json";

/** Writes the file that `--config` names, proofshelf.yaml here without it, and the schema for editors beside it.
 *  @param folder that holds the library
 *  @throws ShelfError "bad_config" when one is there already, or the folder is not */
export async function runInit(folder: string, options: CommonOptions): Promise<void> {
  const file = resolve(options.config ?? "proofshelf.yaml");
  const beside = dirname(file);
  if (existsSync(file))
    throw new ShelfError("bad_config", `${options.config ?? "proofshelf.yaml"} is there already; it was left as it is.`);
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new ShelfError("bad_config", `${folder} is not a folder that can be read; name the one that holds your files.`, { cause });
  });
  const root = relative(beside, resolve(folder));
  const own = [basename(file), SCHEMA];
  const seen = entries.filter(({ name }) => !name.startsWith(".") && name.isWellFormed() && findKeyProblem(name) === null);
  const sources = root === "" ? { claims: "claims.yaml", registry: "registry.json", withdrawals: "withdrawals.yaml" } : {};
  const isOwn = (name: string): boolean => root === "" && [...own, ...Object.values(sources), "code"].includes(name);
  const folders = seen.filter((entry) => entry.isDirectory() && !isOwn(entry.name)).map(({ name }) => name);
  const hasFiles = seen.some((entry) => entry.isFile() && !isOwn(entry.name));
  const text = describe({ root, folders: folders.sort(), hasFiles: hasFiles || folders.length === 0, beside, own });
  parseConfig(Buffer.from(text), file);
  await writeFile(file, text, { flag: "wx" });
  await writeFile(join(beside, SCHEMA), `${JSON.stringify(configJsonSchema, null, 2)}\n`);
  const shown = options.config ?? "proofshelf.yaml";
  print(
    options,
    { file, collections: folders.length },
    `Wrote ${shown} and, for editors, ${SCHEMA}. Look through it, above all at who may see what; then:\n  proofshelf build --config ${shown}\n  proofshelf serve --config ${shown}\n`,
  );
}

type Found = {
  readonly root: string;
  readonly folders: readonly string[];
  readonly hasFiles: boolean;
  readonly beside: string;
  readonly own: readonly string[];
};

function describe({ root, folders, hasFiles, beside, own }: Found): string {
  const ids = new Set<string>();
  const collection = (prefix: string, title: string, visibility: string): string => {
    const plain =
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "-")
        .replaceAll(/^-+|-+$/g, "")
        .slice(0, 50) || "collection";
    let id = plain;
    for (let number = 2; ids.has(id); number++) id = `${plain}-${number}`;
    ids.add(id);
    return `  - { id: ${JSON.stringify(id)}, prefix: ${JSON.stringify(prefix)}, title: ${JSON.stringify(title)}, visibility: ${visibility} }`;
  };
  const collections = folders.map((name) => collection(`${name}/`, titleOf(name), GATED.test(name) ? "email-gated" : "public"));
  if (hasFiles) collections.push(collection("", "Other files", "public"));
  const source = (line: string, path: string): string => `${existsSync(join(beside, path)) ? "" : "# "}${line}`;
  // What lies in the library's own folder and belongs to the program is no object.
  const exclude = root === "" ? `, exclude: ${JSON.stringify([...own, "claims.yaml", "registry.json", "withdrawals.yaml", "code"])}` : "";
  const isInside = /^(\.\.(\/|$))*$/.test(root);
  const shelf = isInside ? relative(beside, `${resolve(beside, root)}-shelf`) : "./shelf";
  return `# yaml-language-server: $schema=./${SCHEMA}
# What proofshelf publishes, and to whom. Paths are relative to this file. Check it with: proofshelf config check --config FILE
title: ${JSON.stringify(titleOf(basename(resolve(beside, root))))}
# The address that readers will use. Links and the snapshot's id follow from it.
baseUrl: http://127.0.0.1:4321
store: { kind: directory, root: ${JSON.stringify(root === "" ? "." : root)}${exclude} }
# Where snapshots are written. Not inside the store.
shelf: { kind: directory, root: ${JSON.stringify(shelf)} }
# Which part of the store is whose: the longest prefix wins; what lies under none is left out and said.
# visibility: public for everybody; email-gated for those whom access lets in (see access in the README).
collections:
${collections.join("\n")}
# Where an object's time comes from: auto (its commit in a git checkout, else its file), git, mtime or none.
uploaded: auto
# Newest snapshots that schedule, serve and reindexing keep; all of them when left out.
keep: 30
# What the library claims, proof records, and their code at exact revisions ({repo}/{head}/{path}).
${source("claims: { path: ./claims.yaml }", "claims.yaml")}
${source("registry: { path: ./registry.json }", "registry.json")}
# What is served no more: key, record or claim, reason (legal, privacy, error, superseded), date, note.
${source("withdrawals: { path: ./withdrawals.yaml }", "withdrawals.yaml")}
${source("code: { kind: directory, root: ./code }", "code")}
# Pages of each PDF, from the first, that stand as images beside their text; 0 for none.
pdf: { pageImages: 20 }
# Search by meaning, beside that by words. What each kind costs:
#   embedded: a model of 30 MB that needs no network${howToAdd("embedded")}
#   local: one of your own, { kind: local, path: ./model, dimensions: 384 }, and 180 MB for what runs it${howToAdd("local")}
#   openai: an endpoint, { kind: openai, baseUrl: http://127.0.0.1:11434/v1, model: name, dimensions: 768 }; nothing is installed
#   none: nothing
embeddings: { kind: ${missingPackages("embedded").length === 0 ? "embedded" : "none"} }
`;
}

/** "" of what is installed. */
function howToAdd(kind: "embedded" | "local"): string {
  const missing = missingPackages(kind);
  return missing.length === 0 ? "" : `; not installed here: npm install ${kind === "local" ? "--ignore-scripts " : ""}${missing.join(" ")}`;
}

function titleOf(name: string): string {
  const words = name.replaceAll(/[-_]+/g, " ").trim();
  return words === "" ? "Library" : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

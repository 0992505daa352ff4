/** `proofshelf registry init`: looks at a repository, and writes a first registry.yaml and a library around it. */
import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { ShelfError } from "../../../snapshots/errors.ts";
import { OPEN } from "../../../snapshots/shelf/modes.ts";
import { writeWhole } from "../../../snapshots/shelf/write-whole.ts";
import { print } from "../../commands/options.ts";
import { openRegistrySources } from "./config.ts";
import { findDatabases } from "./metamath.ts";
import { type SourceOptions, USUAL } from "./open-sources.ts";
import { isSourceOf, PROVERS } from "./provers.ts";
import { readRevision } from "./revision.ts";

const MAX_LOOKED_AT = 256 * 1024 * 1024; // bytes of a database

/** runRegistryInit looks at a repository, and writes a first registry.yaml. @throws ShelfError "bad_config" when one is there */
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

/** libraryOf gives a library that has nothing yet but its records and their checks. */
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

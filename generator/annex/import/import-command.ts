/** `proofshelf import bibtex|zenodo-json|csv FILE`: writes an object for each work of a list, and into the configuration who made it and where
 *  it comes from. The list is a stranger's: its names become names of files by letters and digits alone, nothing that is there is written
 *  over, and nothing is fetched. */
import { lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { parseDocument } from "yaml";
import { ShelfError } from "#snapshots/errors";
import { findCollection, findKeyProblem, countOf } from "#snapshots/format";
import { OPEN, writeWhole } from "#snapshots/shelf";
import { type CommonOptions, configOf, print } from "#generator/commands";
import { type Config, openConfig, parseConfig } from "#generator/config";
import { addressOf, type ImportEntry, formatEntry, slugOf } from "./entry.ts";

type Form = "bibtex" | "zenodo-json" | "csv";

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 10_000;

/** Works, and in words what of the list could not be read. */
type Works = { readonly entries: readonly ImportEntry[]; readonly left: readonly string[] };

const READERS: Readonly<Record<Form, (text: string) => Promise<Works>>> = {
  bibtex: async (text) => (await import("./bibtex.ts")).readBibtex(text),
  "zenodo-json": async (text) => ({ entries: (await import("./zenodo.ts")).readZenodo(text), left: [] }),
  csv: async (text) => ({ entries: (await import("./table.ts")).readTable(text), left: [] }),
};

type Planned = { readonly key: string; readonly text: string; readonly entry: ImportEntry };

export async function runImport(form: Form, file: string, options: CommonOptions & { readonly to: string }): Promise<void> {
  const path = configOf(options);
  const config = await openConfig(path);
  const prefix = options.to.endsWith("/") ? options.to : `${options.to}/`;
  const [place, list] = await Promise.allSettled([(async () => checkPlace(config, prefix))(), readEntries(form, file)]);
  if (place.status === "rejected" && list.status === "rejected")
    throw new ShelfError("bad_config", [list.reason, place.reason].map((error: unknown) => (error as Error).message).join("\n"), {
      fixes: (place.reason as ShelfError).fixes ?? [],
    });
  if (place.status === "rejected") throw place.reason;
  if (list.status === "rejected") throw list.reason;
  const [root, { entries, left }] = [place.value, list.value];
  const taken = new Set<string>();
  const planned = entries.map((entry): Planned => {
    const slug = slugOf(entry.id, taken);
    taken.add(slug.toLowerCase());
    return { key: `${prefix}${slug}.md`, text: formatEntry(entry), entry };
  });
  const differing = planned.filter(({ key, text }) => isOther(join(root, key), text));
  if (differing.length > 0)
    throw new ShelfError("bad_source", `${differing[0]?.key} is there already, and is another text; nothing was written.`, {
      fixes: ["Name another folder with --to, or move that file away."],
    });
  const changed = withOrigins(path, planned);
  assertInside(root, prefix);
  mkdirSync(join(root, prefix), { recursive: true });
  for (const { key, text } of planned) writeWhole(join(root, key), text, { modes: OPEN });
  if (changed !== null) writeWhole(path, changed, { modes: OPEN });
  const { visibility = "none" } = findCollection(config.collections, prefix) ?? {};
  print(
    options,
    { files: planned.map(({ key }) => key), left, config: path },
    `Wrote ${countOf(planned.length, "file")} under ${prefix} (${visibility})${changed === null ? "" : `, and who made them and where they come from into ${path}`}.\n${left.map((one) => `Left out, because it cannot be read: ${one}\n`).join("")}Next: proofshelf build\n`,
  );
}

/** @returns the folder of the store. @throws ShelfError "bad_config" */
function checkPlace({ store, collections }: Config, prefix: string): string {
  if (store.kind !== "directory") throw new ShelfError("bad_config", "The store is a bucket; import writes into a folder.");
  const problem = findKeyProblem(`${prefix}a.md`);
  if (problem !== null || prefix.startsWith(".") || prefix.includes("/."))
    throw new ShelfError("bad_config", `--to ${prefix}: ${problem ?? "is hidden"}.`);
  if (findCollection(collections, prefix) === null)
    throw new ShelfError("bad_config", `No collection has keys that begin with ${prefix}.`, {
      fixes: [`Add one to the configuration: - { id: works, prefix: ${prefix}, title: Works, visibility: public }`],
    });
  return store.root;
}

/** Nothing leads out of the library, were it a link that lay there before. @throws ShelfError "bad_source" */
function assertInside(root: string, prefix: string): void {
  let there = join(root, prefix);
  while (lstatSync(there, { throwIfNoEntry: false }) === undefined) there = dirname(there);
  if (!`${realpathSync(there)}${sep}`.startsWith(`${realpathSync(root)}${sep}`))
    throw new ShelfError("bad_source", `${prefix} leads out of the library; nothing was written.`);
}

/** @throws ShelfError "bad_source": nothing is written of a list of which nothing can be read */
async function readEntries(form: Form, file: string): Promise<Works> {
  const refuse = (why: string, cause?: unknown): ShelfError =>
    new ShelfError("bad_source", `${file}: ${why}; nothing was written.`, { cause });
  let bytes: Buffer;
  try {
    if (statSync(file).size > MAX_BYTES) throw refuse(`the file is over ${MAX_BYTES} bytes`);
    bytes = readFileSync(file);
  } catch (cause) {
    if (cause instanceof ShelfError) throw cause;
    const { code = "" } = cause as NodeJS.ErrnoException;
    throw refuse({ ENOENT: "does not exist", EISDIR: "is a folder; name a file" }[code] ?? "cannot be read", cause);
  }
  const text = decode(bytes);
  if (text === null) throw refuse("is neither UTF-8 nor UTF-16; save it as UTF-8");
  let works: Works;
  try {
    works = await READERS[form](text);
  } catch (cause) {
    const [why = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw refuse(`is no ${form} that can be read (${explainBibtex(why.slice(0, 200))})`, cause);
  }
  const { entries } = works;
  if (entries.length === 0) throw refuse("holds no work");
  if (entries.length > MAX_ENTRIES) throw refuse(`holds ${entries.length} works, and at most ${MAX_ENTRIES} are taken at once`);
  return works;
}

/** explainBibtex puts what the parser of BibTeX says into words. */
function explainBibtex(why: string): string {
  const [, wanted, got, line] = /^expected "(\w+)", got (.+?) at line (\d+)/.exec(why) ?? [];
  if (why.startsWith("This format is not supported")) return "it has no entry, as in @book{a, title = {A}}";
  if (wanted === undefined) return why;
  const sign = { lbrace: "an opening brace", rbrace: "a closing brace", comma: "a comma", equals: "an equals sign" }[wanted] ?? wanted;
  return `line ${line}: ${sign} is missing before ${got === "EOF" ? "the end of the file" : got}`;
}

function decode(bytes: Uint8Array): string | null {
  const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  try {
    const text = new TextDecoder(mark, { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** isOther tells whether something else lies there; a link is something else, wherever it leads. */
function isOther(path: string, text: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !(stats.isFile() && readFileSync(path, "utf8") === text);
}

/** The configuration with credits and sources of what is not in it yet; comments and order stay.
 *  @returns null when it has them all. @throws ShelfError "bad_config" when it would not be right any more */
function withOrigins(path: string, planned: readonly Planned[]): string | null {
  const document = parseDocument(readFileSync(path, "utf8"));
  const named = (list: string): Set<unknown> => {
    const { [list]: found } = document.toJS() as Record<string, { prefix?: unknown }[] | undefined>;
    return new Set(found?.map(({ prefix }) => prefix));
  };
  const add = (list: string, values: readonly object[]): void => {
    if (values.length === 0) return;
    if (document.get(list) === undefined || document.get(list) === null) document.set(list, document.createNode([]));
    for (const value of values) document.addIn([list], document.createNode(value, { flow: true }));
  };
  const [credited, sourced] = [named("credits"), named("sources")];
  const credits = planned.flatMap(({ key, entry: { authors, license } }) =>
    credited.has(key) || (authors.length === 0 && license === null)
      ? []
      : [{ prefix: key, ...(authors.length === 0 ? {} : { authors: [...authors] }), ...(license === null ? {} : { license }) }],
  );
  const sources = planned.flatMap(({ key, entry }) => {
    const repo = addressOf(entry);
    return sourced.has(key) || repo === null ? [] : [{ prefix: key, repo, ref: entry.doi ?? entry.date ?? entry.id, path: "" }];
  });
  if (credits.length + sources.length === 0) return null;
  add("credits", credits);
  add("sources", sources);
  const text = document.toString({ lineWidth: 0 });
  parseConfig(Buffer.from(text), path);
  return text;
}

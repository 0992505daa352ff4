/** The disk space of a library: bytes for each byte of input and files for each object, public and internal together, with half
 *  of the objects gated, after the first build and after many that each changed one object. */
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Sha256 } from "../../snapshots/digest.ts";
import { parseTree } from "../../snapshots/format/tree.ts";
import { openPacks } from "../../snapshots/shelf/packs.ts";
import { openAtOnce } from "../../snapshots/shelf/checked-read.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { Figure } from "./figure.ts";
import { measureBuild, runCommand, writeConfig } from "./library.ts";

const MAX_BYTES = 4;
const MAX_FILES = 0.2;
const BUILDS = 30;
const PRUNE_EVERY = 10;
const KEEP = 3;
/** Objects of the library that is made up. */
const OBJECTS = 2_000;
const PARAGRAPHS = 12;
/** Headers of an entry in a pack. */
const ENTRY_BYTES = 30 + 46 + 2 * 67;
/** The search index's, by table and the engine's folder in it. */
const INDEX_PARTS: Readonly<Record<string, string>> = {
  "passages/data": "rows",
  "passages/_indices": "full text",
  "words/data": "words",
};

/** benchDisk measures the disk space of a library.
 *  @param folder a new one
 *  @param given a folder of files to take; without it, texts are made up */
export async function benchDisk(folder: string, given: string | null): Promise<readonly Figure[]> {
  const files = given === null ? madeUp() : filesOf(given);
  const keys: string[] = [];
  let input = 0;
  for await (const [name, bytes] of files) {
    const key = `${keys.length % 2 === 0 ? "open" : "gated"}/${name}`;
    await mkdir(dirname(join(folder, "library", key)), { recursive: true });
    await writeFile(join(folder, "library", key), bytes);
    keys.push(key);
    input += bytes.length;
  }
  const config = await writeConfig(folder, "Measured on the disk", ["open"], ["gated"]);
  const shelf = join(folder, "shelf");
  await measureBuild(config);
  const first = await measureShelf(shelf);
  for (let number = 1; number <= BUILDS; number++) {
    await appendFile(join(folder, "library", keys[(number * 7919) % keys.length] ?? ""), "\nOne line more.\n");
    await measureBuild(config);
    if (number % PRUNE_EVERY === 0) await runCommand(["prune", "--keep", String(KEEP), "--config", config]);
  }
  const last = await measureShelf(shelf);
  await runCommand(["verify", "--config", config]);
  const of = `${keys.length.toLocaleString("en")} objects, ${(input / 1e6).toFixed(1)} MB${given === null ? ", made up" : ""}`;
  const after = `${BUILDS} builds that changed one object each, prune --keep ${KEEP} after each ${PRUNE_EVERY}th`;
  return [
    { ...inBytes(first, input), figure: "bytes on the shelf for each of input, half gated", note: `${of}: ${told(first, input)}` },
    { ...inFiles(first, keys.length), figure: "files on the shelf for each object", note: `${first.files} files` },
    { ...inBytes(last, input), figure: `bytes, after ${BUILDS} builds more`, note: `${after}: ${told(last, input)}` },
    { ...inFiles(last, keys.length), figure: `files, after ${BUILDS} builds more`, note: `${last.files} files` },
  ];
}

type Measured = { readonly files: number; readonly bytes: number; readonly kinds: ReadonlyMap<string, number> };

function inBytes({ bytes }: Measured, input: number): Omit<Figure, "figure" | "note"> {
  return { value: bytes / input, unit: "bytes", target: { at: "most", value: MAX_BYTES } };
}

function inFiles({ files }: Measured, objects: number): Omit<Figure, "figure" | "note"> {
  return { value: files / objects, unit: "files", target: { at: "most", value: MAX_FILES } };
}

function told({ kinds }: Measured, input: number): string {
  const rows = [...kinds].map(([kind, bytes]) => [kind, bytes / input] as const).filter(([, share]) => share >= 0.01);
  return rows
    .sort(([, a], [, b]) => b - a)
    .map(([kind, share]) => `${kind} ${share.toFixed(2)}`)
    .join(", ");
}

/** Sizes of files, by what is in them: blobs by where the served snapshot has them. */
async function measureShelf(folder: string): Promise<Measured> {
  const kinds = new Map<string, number>();
  const add = (kind: string, bytes: number): void => void kinds.set(kind, (kinds.get(kind) ?? 0) + bytes);
  let [files, all] = [0, 0];
  const open = openDirectoryShelf(join(folder, "public"));
  for (const [view, shelf] of [
    ["public", open],
    ["internal", openDirectoryShelf(join(folder, "internal"), open)],
  ] as const) {
    const root = join(folder, view);
    const kindOf = new Map<Sha256, string>();
    const walk = async (digest: Sha256, path: string): Promise<void> => {
      kindOf.set(digest, "trees");
      for (const entry of parseTree((await shelf.getBlob(digest)) ?? new Uint8Array()))
        if (entry.kind === "tree") await walk(entry.sha256, `${path}${entry.name}/`);
        else kindOf.set(entry.sha256, `${path}${entry.name}`.split("/")[0] ?? "");
    };
    await walk((await shelf.readPointer())?.snapshot ?? "", "");
    const packs = openPacks(root, async (path) => openAtOnce(path));
    for (const directory of (await packs.list()).values())
      for (const [digest, { length }] of directory?.entries() ?? [])
        add(`${view} ${kindOf.get(digest) ?? "earlier blobs"}`, length + ENTRY_BYTES);
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const { size } = await stat(join(entry.parentPath, entry.name));
      const [part = "", table = "", folder = ""] = join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .split("/");
      files++;
      all += size;
      if (part === "blobs") add(`${view} ${kindOf.get(entry.name) ?? "earlier blobs"}`, size);
      else if (part === "index") add(`${view} index, ${INDEX_PARTS[`${table.split("-")[0]}/${folder}`] ?? "the engine's notes"}`, size);
      else if (part === "build") add(`${view} ${part}`, size);
      else if (part !== "packs") add(`${view} history`, size);
    }
  }
  return { files, bytes: all, kinds };
}

async function* filesOf(folder: string): AsyncGenerator<readonly [name: string, bytes: Buffer]> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) yield [path.slice(folder.length + 1), await readFile(path)];
  }
}

/** Texts in which no sentence comes twice, in words of a vocabulary that a text of this length has. */
async function* madeUp(): AsyncGenerator<readonly [name: string, bytes: Buffer]> {
  let seed = 1;
  const next = (below: number): number => {
    seed = (seed * 48_271) % 0x7fffffff;
    return seed % below;
  };
  const syllables = "ba co di fu ga he ki lo mu na pe qui ro su ta ve wi xo ya zu".split(" ");
  const vocabulary = Array.from({ length: 5_000 }, () =>
    Array.from({ length: 2 + next(3) }, () => syllables[next(syllables.length)]).join(""),
  );
  const sentence = (): string => Array.from({ length: 12 }, () => vocabulary[Math.floor(next(5_000) * (next(1_000) / 1_000))]).join(" ");
  for (let number = 0; number < OBJECTS; number++) {
    const paragraphs = Array.from({ length: PARAGRAPHS }, () => `## ${vocabulary[next(5_000)]}\n\n${sentence()}.\n${sentence()}.\n`);
    yield [`${number % 40}/${number}.md`, Buffer.from(`# Text ${number} of ${vocabulary[next(5_000)]}\n\n${paragraphs.join("\n")}`)];
  }
}

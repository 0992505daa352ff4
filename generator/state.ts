/** What the last build knew, so that the next one reads, extracts, renders and indexes only what changed.
 *  A cache: losing it costs time, never truth. It names gated keys, so it lies beside the internal root. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { type Sha256, sha256 } from "../snapshots/digest.ts";
import type { Rejection } from "../snapshots/schema/resources.ts";
import type { FileEntry } from "../snapshots/format/tree.ts";
import type { ReadRow } from "./record-set.ts";

/** Grows when the shape of this file or the meaning of anything in it changes. */
const STATE_VERSION = 2;

export type KnownObject = ReadRow & {
  /** Version that the object store gave when it was read. */
  readonly version: string;
  /** Root that holds its blobs. */
  readonly root: "public" | "internal";
};

export type KnownFile = { readonly facts: string; readonly sha256: string; readonly size: number };

export type ViewState = {
  /** Snapshot that this describes. */
  readonly snapshot: string;
  /** Document id → digest of what was indexed. */
  readonly documents: Readonly<Record<string, string>>;
};

/** Of a view's snapshot, what is not written again. */
export type Written = {
  /** JSON but the catalog, and the digest of what decides it. */
  readonly api: { readonly facts: string; readonly files: readonly FileEntry[] };
  /** Digests of all its trees. */
  readonly trees: readonly Sha256[];
};

export type BuildState = {
  /** Digest of all inputs of the last build: equal means that nothing changed. */
  readonly fingerprint: string;
  readonly objects: readonly KnownObject[];
  /** Objects that were listed but could not be read: the next build tries again, also when nothing else has changed. */
  readonly refused: readonly Rejection[];
  /** Path in the tree → what it was rendered from, and its blob. */
  readonly pages: Readonly<Record<string, KnownFile>>;
  /** Digest of what those pages share: with another one, each is compared by its own facts. */
  readonly shared: string;
  /** Pagefind bundle number → what it was made from, and its files. */
  readonly bundles: Readonly<
    Record<
      string,
      {
        readonly facts: string;
        readonly files: readonly FileEntry[];
      }
    >
  >;
  readonly written: Readonly<Record<"public" | "internal", Written>>;
  readonly public: ViewState | null;
  readonly internal: ViewState | null;
  /** Digest of what may not be public; the public snapshot above was clean of it. */
  readonly secrets: string;
};

const NOTHING_WRITTEN: Written = { api: { facts: "", files: [] }, trees: [] };

export const EMPTY_STATE: BuildState = {
  fingerprint: "",
  objects: [],
  refused: [],
  pages: {},
  shared: "",
  bundles: {},
  written: { public: NOTHING_WRITTEN, internal: NOTHING_WRITTEN },
  public: null,
  internal: null,
  secrets: "",
};

/** In the form that V8 copies values in: of megabytes of small strings, JSON takes three times as long to write. */
const NAME = "state.v8";

/** The last state, or the empty one when there is none that this version understands.
 *  @param basis as for `formatState`; may still be on its way */
export async function readState(dir: string, basis: string | Promise<string>): Promise<BuildState> {
  try {
    const [bytes, expected] = await Promise.all([readFile(join(dir, NAME)), Promise.resolve(basis).then(version)]);
    const value = deserialize(bytes) as { version: string; state: BuildState };
    return value.version === expected ? value.state : EMPTY_STATE;
  } catch {
    return EMPTY_STATE;
  }
}

/** The bytes of a state: made while others work, written when what it says is true.
 *  @param basis what the work in it depends on beside the generator's own text; with another one it is done again */
export async function formatState(basis: string, state: BuildState): Promise<Uint8Array> {
  return serialize({ version: await version(basis), state });
}

/** Leaves no half file behind when it fails.
 *  @param bytes of `formatState` */
export async function writeState(dir: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dir, { recursive: true });
  const temporary = join(dir, `${NAME}.${process.pid}`);
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, join(dir, NAME));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first error is the one to hear about
    throw error;
  }
}

/** Removes what builds left that were killed while they wrote. Only under the build lock. */
export async function clearHalfStates(dir: string): Promise<void> {
  for (const name of await readdir(dir)) if (name.startsWith(`${NAME}.`)) await rm(join(dir, name), { force: true });
}

const GENERATOR = new URL("./", import.meta.url);

/** Covers the generator's own text: a number that somebody has to raise would be forgotten, and old work be kept. */
async function version(basis: string): Promise<string> {
  const folders = await Promise.all(
    ["", "extract/", "index/", "pages/", "publish/", "sources/"].map(async (folder) =>
      (await readdir(new URL(folder, GENERATOR))).map((name) => folder + name),
    ),
  );
  const names = folders
    .flat()
    .filter((name) => name.endsWith(".ts") && !/\.(test|spec)\.ts$/.test(name))
    .sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, GENERATOR))));
  const lines = names.map((name, at) => `${name} ${sha256(texts[at] ?? "")}\n`);
  return `${STATE_VERSION}.${sha256([`${basis}\n`, ...lines].join(""))}`;
}

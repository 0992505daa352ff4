/** Keeps what the last build knew, so that the next one reads, extracts, renders and indexes only what changed. It is a cache: losing it costs
 *  time, never truth. It names gated keys, so it lies beside the internal root. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Sha256 } from "#snapshots/digest";
import { writeWhole } from "#snapshots/shelf";
import type { About, PageImage, Rejection } from "#snapshots/schema";
import { type FileEntry, lazily, type ObjectRow } from "#snapshots/format";
import type { Config } from "#generator/config";
import type { Asked } from "#generator/extract";
import { seal, unseal } from "#generator/files";

/** A ReadRow is an object as it was read, with the digest of its extract. */
export type ReadRow = ObjectRow & {
  readonly extract: { readonly sha256: string; readonly size: number };
  /** Parts of it that could not be read, in words. */
  readonly notes: readonly string[];
  /** The facts that the object states about itself. */
  readonly about?: About;
};

export type KnownObject = ReadRow & {
  /** Version that the object store gave when it was read. */
  readonly version: string;
  /** Root that holds its blobs. */
  readonly root: "public" | "internal";
  /** Keys and prefixes that its links lead to. */
  readonly links: readonly string[];
  /** Finds in it that look like secrets. */
  readonly secrets: readonly string[];
  /** Needs and offers of its text; absent where it has none. */
  readonly asked?: Asked;
  /** Digest of what it was told of others; absent where that is nothing. */
  readonly told?: string;
  /** Images of a PDF's pages, or of a notebook's cells; and how many pages were to be drawn. */
  readonly drawn?: { readonly limit: number; readonly images: readonly Omit<PageImage, "width" | "height">[] };
};

export type KnownFile = { readonly facts: string; readonly sha256: string; readonly size: number };

export type ViewState = {
  /** Snapshot that this describes. */
  readonly snapshot: string;
  /** Document id → digest of what was indexed. */
  readonly documents: Readonly<Record<string, string>>;
};

/** WrittenFiles is what is not written again of a view's snapshot. */
type WrittenFiles = {
  /** Data files but the parts of the objects, and the digest of what decides it. */
  readonly api: { readonly facts: string; readonly files: readonly FileEntry[] };
  /** Digests of all its trees. */
  readonly trees: readonly Sha256[];
};

/** SaidOfObjects is what a build says of its objects. A build that finds nothing to do need not read them for it. */
export type SaidOfObjects = {
  /** How many there are. */
  readonly objects: number;
  readonly unreadable: readonly { readonly key: string; readonly notes: readonly string[] }[];
  readonly deadLinks: readonly { readonly key: string; readonly target: string }[];
  readonly notes: readonly string[];
};

export type BuildState = {
  /** Digest of all inputs of the last build: equal means that nothing changed. */
  readonly fingerprint: string;
  /** Digest of the program that did all the work in here: what another one did is void. Empty when nothing is known. */
  readonly program: string;
  readonly objects: readonly KnownObject[];
  readonly said: SaidOfObjects;
  /** Where their times came from; null when that is not known. */
  readonly times: string | null;
  /** Objects that were listed but could not be read: the next build tries again, also when nothing else has changed. */
  readonly refused: readonly Rejection[];
  /** Path in the tree → what it was rendered from, and its blob. */
  readonly pages: Readonly<Record<string, KnownFile>>;
  /** Digest of what those pages share: with another one, each is compared by its own facts. */
  readonly shared: string;
  readonly written: Readonly<Record<"public" | "internal", WrittenFiles>>;
  readonly public: ViewState | null;
  readonly internal: ViewState | null;
  /** Digest of what decides which earlier snapshots hold something that is gated now; all of that was looked after. */
  readonly gating: string;
};

const NOTHING_WRITTEN: WrittenFiles = { api: { facts: "", files: [] }, trees: [] };

export const EMPTY_STATE: BuildState = {
  fingerprint: "",
  program: "",
  objects: [],
  times: null,
  said: { objects: 0, unreadable: [], deadLinks: [], notes: [] },
  refused: [],
  pages: {},
  shared: "",
  written: { public: NOTHING_WRITTEN, internal: NOTHING_WRITTEN },
  public: null,
  internal: null,
  gating: "",
};

/** timesOf returns what the configuration says of where times come from, as a value to compare. */
export function timesOf({ uploaded, store }: Pick<Config, "uploaded" | "store">): string {
  return store.kind === "s3" && store.uploadedFrom !== null ? `${uploaded} ${store.uploadedFrom}` : uploaded;
}

const NAME = "state.v8";
const QUICK = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A file holds sections in the form that V8 copies values in, each compressed: these are megabytes of small strings, and a build that
 *  has nothing to do asks for few of them. */
type Sections = {
  readonly program: string;
  readonly views: Readonly<Record<View, ViewSections | null>>;
  readonly state: Packed<BuildState>;
};
type ViewSections = Packed<ViewState>;
type Packed<T> = { readonly [K in keyof T]: Uint8Array };
type View = "public" | "internal";

/** readState reads the last state, or the empty one when there is none that is whole, or another program wrote it.
 *  @param program digest of this one; of another one's state nothing but its digest is known */
export async function readState(dir: string, program: Sha256): Promise<BuildState> {
  try {
    const bytes = unseal(await readFile(join(dir, NAME)));
    if (bytes === null) return EMPTY_STATE;
    const file = deserialize(bytes) as Sections;
    if (file.program !== program) return { ...EMPTY_STATE, program: file.program };
    const view = (name: View): ViewState | null => (file.views[name] === null ? null : unpack<ViewState>(file.views[name]));
    return Object.defineProperties(unpack<BuildState>(file.state), {
      public: { enumerable: true, value: view("public") },
      internal: { enumerable: true, value: view("internal") },
    });
  } catch {
    return EMPTY_STATE;
  }
}

/** formatState returns the bytes of a state: made while others work, written when what it says is true. */
export function formatState(state: BuildState): Uint8Array {
  const view = (one: ViewState | null): ViewSections | null => (one === null ? null : pack(one));
  const views = { public: view(state.public), internal: view(state.internal) };
  const file: Sections = { program: state.program, views, state: pack({ ...state, public: null, internal: null }) };
  return seal(serialize(file));
}

function pack<T extends object>(value: T): Packed<T> {
  const packed = Object.entries(value).map(([name, member]) => [name, zstdCompressSync(serialize(member), QUICK)]);
  return Object.fromEntries(packed) as Packed<T>;
}

/** Members are read when they are asked for. */
function unpack<T extends object>(packed: Packed<T>): T {
  return lazily(
    Object.fromEntries(
      Object.entries(packed).map(([name, bytes]) => [name, () => deserialize(zstdDecompressSync(bytes as Uint8Array)) as unknown]),
    ) as { readonly [K in keyof T]: () => T[K] },
  );
}

/** writeState writes a state. A power cut may take it: what is not whole counts as none.
 *  @param bytes of `formatState` */
export function writeState(dir: string, bytes: Uint8Array): void {
  writeWhole(join(dir, NAME), bytes, { durable: false });
}

/** forgetState removes the state, so that the next build is as from nothing. Only under the build lock. */
export async function forgetState(dir: string): Promise<void> {
  await rm(join(dir, NAME), { recursive: true, force: true });
}

/** clearHalfFiles removes what builds left that were killed while they wrote. Only under the build lock. */
export async function clearHalfFiles(dir: string): Promise<void> {
  for (const name of await readdir(dir)) if (name.endsWith(".tmp")) await rm(join(dir, name), { force: true });
}

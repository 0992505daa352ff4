/** What the last build knew, so that the next one reads, extracts, renders and indexes only what changed.
 *  A cache: losing it costs time, never truth. It names gated keys, so it lies beside the internal root. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXTRACT_VERSION } from "./extract/extract.ts";
import type { ReadRow } from "./record-set.ts";

/** Grows when the shape of this file or the meaning of anything in it changes. */
const STATE_VERSION = 1;

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

export type BuildState = {
  /** Digest of all inputs of the last build: equal means that nothing changed. */
  readonly fingerprint: string;
  readonly objects: readonly KnownObject[];
  /** Path in the tree → what it was rendered from, and its blob. */
  readonly pages: Readonly<Record<string, KnownFile>>;
  /** Pagefind bundle number → what it was made from, and its files. */
  readonly bundles: Readonly<Record<string, { readonly facts: string; readonly files: readonly { readonly path: string; readonly sha256: string; readonly size: number; readonly type: string }[] }>>;
  readonly public: ViewState | null;
  readonly internal: ViewState | null;
};

export const EMPTY_STATE: BuildState = { fingerprint: "", objects: [], pages: {}, bundles: {}, public: null, internal: null };

function statePath(dir: string): string {
  return join(dir, "state.json");
}

/** The last state, or the empty one when there is none that this version understands. */
export async function readState(dir: string): Promise<BuildState> {
  try {
    const value = JSON.parse(await readFile(statePath(dir), "utf8")) as { version: string; state: BuildState };
    return value.version === version() ? value.state : EMPTY_STATE;
  } catch {
    return EMPTY_STATE;
  }
}

export async function writeState(dir: string, state: BuildState): Promise<void> {
  await mkdir(dir, { recursive: true });
  const temporary = `${statePath(dir)}.${process.pid}`;
  await writeFile(temporary, JSON.stringify({ version: version(), state }));
  await rename(temporary, statePath(dir));
}

function version(): string {
  return `${STATE_VERSION}.${EXTRACT_VERSION}`;
}

/** Registry and code store → records, metadata and integrity indexes. */
import { sha256 } from "../../snapshots/digest.ts";
import { type CodeStore, openCodeStore } from "../../snapshots/shelf/code-store.ts";
import { parseCodeRef } from "../../snapshots/format/code-ref.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { formatKeyPath } from "../../snapshots/format/layout.ts";
import type { CubCode, CubCodeFile, CubRecord } from "../../snapshots/schema/cubs.ts";
import type { Rejection } from "../../snapshots/schema/resources.ts";
import { compareNames } from "../../snapshots/format/tree.ts";
import type { RegistryState, ViewData } from "../../snapshots/format/view-data.ts";
import type { Config } from "../config/config.ts";
import { mediaTypeOfName } from "../extract/media-type.ts";
import { describeStale, type LastGoodOptions } from "./last-good.ts";
import { openRegistry } from "./registry.ts";

export type RegistryRead = Pick<ViewData, "cubs" | "meta" | "code" | "rejected"> & {
  readonly state: RegistryState;
  readonly notes: readonly string[];
  /** Digest of everything that was read, for change detection. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Values of fields that the interface does not name: they must occur nowhere in a view. */
  readonly privateTexts: readonly string[];
};

const NOTHING: RegistryRead = {
  state: "none",
  cubs: [],
  meta: null,
  code: new Map(),
  rejected: [],
  notes: [],
  inputs: {},
  privateTexts: [],
};

/** @throws ShelfError "build_failed" when neither the registry nor a copy can be used and records of it are served */
export async function readRegistry(config: Config, options: LastGoodOptions): Promise<RegistryRead> {
  if (config.registry === null) return NOTHING;
  const registry = await openRegistry(config.registry, options);
  if (registry.unavailable !== null) {
    return {
      ...NOTHING,
      state: "failed",
      notes: [`The registry could not be read: ${registry.unavailable}`],
      inputs: { registry: "unavailable" },
    };
  }
  const cubs = registry.records.map(({ record }) => record);
  const notes = [...registry.notes];
  if (registry.stale !== null) notes.unshift(describeStale("registry", registry.stale));
  const store = config.code === null ? null : openCodeStore(config.code);
  const code = new Map<string, CubCode>();
  const rejected = [...registry.rejected];
  const read = new Map<string, Promise<FoundCode | null>>();
  for (const record of cubs) {
    const head = registry.meta.sources[record.repo]?.head ?? "";
    code.set(record.id, await indexCode(record, head, store, read, rejected));
  }
  const available = sha256(JSON.stringify([...code.values()]));
  return {
    state: registry.stale === null ? "read" : "kept",
    cubs,
    meta: { ...registry.meta, registry_sha256: registry.sha256, bytes: registry.size },
    code,
    rejected,
    notes,
    inputs: { registry: registry.sha256, code: available, notes: sha256(JSON.stringify(notes)) },
    privateTexts: registry.records.flatMap(({ extras }) => textsOf(extras)),
  };
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** A file of the exact-revision store: its size in bytes and its digest. */
type FoundCode = { readonly size: number; readonly sha256: string };

const SYSTEMS: readonly (readonly [ending: string, system: string])[] = [
  [".v", "coq"],
  [".lean", "lean"],
  [".rs", "rust"],
];

/** What a record's files are, and whether the exact-revision store has them with the digests that the record pins. */
async function indexCode(
  record: CubRecord,
  head: string,
  store: CodeStore | null,
  read: Map<string, Promise<FoundCode | null>>,
  rejected: Rejection[],
): Promise<CubCode> {
  const files: CubCodeFile[] = [];
  const proofs = new Set([record.files.coq_file, record.files.lean_file, ...record.reproduce.proof_files]);
  for (const [path, digest] of Object.entries(record.file_shas).sort(([a], [b]) => compareNames(a, b))) {
    const role = proofs.has(path) || (path !== record.exec_file && !path.endsWith(".rs")) ? "proof" : "runtime";
    const place = `${record.repo}/${head}/${path}`;
    let found = read.get(place);
    if (found === undefined) {
      found = readCode(store, record.repo, head, path, rejected);
      read.set(place, found);
    }
    const file = await found;
    files.push({
      path,
      role,
      system: SYSTEMS.find(([ending]) => path.endsWith(ending))?.[1] ?? "",
      size: file?.size ?? null,
      sha256: digest,
      media_type: mediaTypeOfName(path).mediaType,
      gated: true,
      available: file?.sha256 === digest,
      href: `/api/code/${formatKeyPath(place)}`,
    });
  }
  return { id: record.id, repo: record.repo, head, files };
}

async function readCode(
  store: CodeStore | null,
  repo: string,
  head: string,
  path: string,
  rejected: Rejection[],
): Promise<FoundCode | null> {
  if (store === null) return null;
  try {
    const file = await store.read(parseCodeRef(repo, head, path));
    return file === null ? null : { size: file.bytes.length, sha256: file.sha256 };
  } catch (error) {
    if (!(error instanceof ShelfError)) throw error;
    rejected.push({ source: "code", key: `${repo}/${head}/${path}`, reason: error.message });
    return null;
  }
}

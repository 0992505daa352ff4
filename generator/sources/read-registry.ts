/** Registry and code store → records, metadata and integrity indexes. */
import type { RegistryAnnexes } from "./registry-pull.ts";
import { sha256 } from "../../snapshots/digest.ts";
import type { CodeStore } from "../../snapshots/shelf/index.ts";
import { openCodeStore } from "../../snapshots/service/code-store.ts";
import { parseCodeRef } from "../../snapshots/format/index.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { formatKeyPath } from "../../snapshots/format/layout.ts";
import type { CubCode, CubCodeFile, CubRecord, RegistryMeta, Rejection } from "../../snapshots/schema/index.ts";
import { compareNames } from "../../snapshots/format/tree.ts";
import type { RegistryState, ViewData } from "../../snapshots/format/view-data.ts";
import type { Config } from "../config/config.ts";
import { mediaTypeOfName } from "../extract/media-type.ts";
import { describeStale, type LastGoodOptions } from "./last-good.ts";
import { openRegistry, type ParsedRegistry } from "./registry.ts";
import { holdStatements, type StatementAnnexes, type Statements } from "./statements.ts";
import { type FindCode, findInRegistry, type RegistryFinding } from "./registry-findings.ts";

export type RegistryRead = Pick<ViewData, "cubs" | "meta" | "code" | "rejected"> & {
  readonly state: RegistryState;
  readonly notes: readonly string[];
  /** Of the metadata, declared beside counted. */
  readonly counts: ParsedRegistry["counts"];
  /** For who keeps the registry, in no view. */
  readonly findings: readonly RegistryFinding[];
  /** Digest of everything that was read, for change detection. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Values of fields that the interface does not name: they must occur nowhere in a view. */
  readonly privateTexts: readonly string[];
};

/** What is read where no registry is configured. */
export const NO_REGISTRY: RegistryRead = {
  state: "none",
  cubs: [],
  meta: null,
  code: new Map(),
  rejected: [],
  notes: [],
  counts: [],
  findings: [],
  inputs: {},
  privateTexts: [],
};

/** @throws ShelfError "build_failed" when neither the registry nor a copy can be used and records of it are served */
export async function readRegistry(
  config: Config,
  options: LastGoodOptions &
    RegistryAnnexes & {
      /** What holds the records' statements against their files; without it, nothing does. */
      readonly statements?: Statements;
    },
): Promise<RegistryRead> {
  if (config.registry === null) return NO_REGISTRY;
  const registry = await openRegistry(config.registry, options);
  if (registry.unavailable !== null) {
    return {
      ...NO_REGISTRY,
      state: "failed",
      notes: [`The registry could not be read: ${registry.unavailable}`],
      inputs: { registry: "unavailable" },
    };
  }
  const read = registry.records.map(({ record }) => record);
  const notes = [...registry.notes];
  if (registry.stale !== null) notes.unshift(describeStale("registry", registry.stale));
  const rejected = [...registry.rejected];
  const store = config.code === null ? null : openCodeStore(config.code);
  const findCode = openFindCode(store, registry.meta, rejected);
  const code = await indexAll(read, registry.meta, findCode);
  // What is looked at for the findings alone is refused nobody.
  const refused = [...rejected];
  const findings = await findInRegistry(registry, config.registry.internalFields, digestsOf(findCode));
  // What is made from the files' own declarations states what they do.
  const isHeld = config.gates.statements !== "ignore" && !("sources" in config.registry);
  const held = await holdStatements(read, code, store, isHeld ? (options.statements ?? null) : null);
  const cubs = read.map((record) => {
    const statement_state = held.states.get(record.id);
    return statement_state === undefined ? record : { ...record, statement_state };
  });
  const available = sha256(JSON.stringify([...code.values(), ...held.states]));
  return {
    state: registry.stale === null ? "read" : "kept",
    cubs,
    meta: { ...registry.meta, registry_sha256: registry.sha256, bytes: registry.size },
    code,
    rejected: refused,
    notes,
    counts: registry.counts,
    findings: [...findings, ...held.findings],
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
  [".mm", "metamath"],
  [".agda", "agda"],
  [".rs", "rust"],
];

/** A file of a record at the revision of its repository; null when the store does not have it, undefined without a store, or when it
 *  cannot tell. */
type OpenCode = (record: CubRecord, path: string) => Promise<FoundCode | null | undefined>;

/** Each file is read once. @param rejected gets what the store cannot serve */
function openFindCode(store: CodeStore | null, meta: RegistryMeta, rejected: Rejection[]): OpenCode {
  const read = new Map<string, Promise<FoundCode | null | undefined>>();
  return async ({ repo }, path) => {
    if (store === null) return undefined;
    const head = meta.sources[repo]?.head ?? "";
    const place = `${repo}/${head}/${path}`;
    let found = read.get(place);
    if (found === undefined) {
      found = readCode(store, repo, head, path, rejected);
      read.set(place, found);
    }
    return found;
  };
}

function digestsOf(open: OpenCode): FindCode {
  return async (record, path) => {
    const found = await open(record, path);
    return found === null || found === undefined ? found : found.sha256;
  };
}

/** What is wrong with a registry in hand. @param config null where nobody says what is internal, and where the code is */
export async function checkRegistry(
  registry: ParsedRegistry,
  config: Pick<Config, "registry" | "code" | "gates"> | null,
  { openStatements }: StatementAnnexes,
): Promise<{ readonly findings: readonly RegistryFinding[]; readonly rejected: readonly Rejection[] }> {
  const rejected = [...registry.rejected];
  const store = config === null || config.code === null ? null : openCodeStore(config.code);
  const findCode = openFindCode(store, registry.meta, rejected);
  const findings = await findInRegistry(registry, config?.registry?.internalFields ?? [], digestsOf(findCode));
  if (config?.gates.statements === "ignore") return { findings, rejected };
  const cubs = registry.records.map(({ record }) => record);
  const code = await indexAll(cubs, registry.meta, findCode);
  const held = await holdStatements(cubs, code, store, { openStatements, kept: null, keep: false, maker: "" });
  return { findings: [...findings, ...held.findings], rejected };
}

async function indexAll(cubs: readonly CubRecord[], { sources }: RegistryMeta, findCode: OpenCode): Promise<ReadonlyMap<string, CubCode>> {
  const code = new Map<string, CubCode>();
  for (const record of cubs) code.set(record.id, await indexCode(record, sources[record.repo]?.head ?? "", findCode));
  return code;
}

/** What a record's files are, and whether the exact-revision store has them with the digests that the record pins. */
async function indexCode(record: CubRecord, head: string, findCode: OpenCode): Promise<CubCode> {
  const files: CubCodeFile[] = [];
  const proofs = new Set([record.files.coq_file, record.files.lean_file, ...record.reproduce.proof_files]);
  for (const [path, digest] of Object.entries(record.file_shas).sort(([a], [b]) => compareNames(a, b))) {
    const role = proofs.has(path) || (path !== record.exec_file && !path.endsWith(".rs")) ? "proof" : "runtime";
    const place = `${record.repo}/${head}/${path}`;
    const file = await findCode(record, path);
    files.push({
      path,
      role,
      system: SYSTEMS.find(([ending]) => path.endsWith(ending))?.[1] ?? "",
      size: file?.size ?? null,
      sha256: digest,
      media_type: mediaTypeOfName(path).mediaType,
      gated: true,
      available: file?.sha256 === digest,
      state: file === undefined ? "unreachable" : file === null ? "gone" : file.sha256 === digest ? "holds" : "differs",
      href: `/api/code/${formatKeyPath(place)}`,
    });
  }
  return { id: record.id, repo: record.repo, head, files };
}

/** Undefined when the store cannot tell. */
async function readCode(
  store: CodeStore,
  repo: string,
  head: string,
  path: string,
  rejected: Rejection[],
): Promise<FoundCode | null | undefined> {
  try {
    const file = await store.read(parseCodeRef(repo, head, path));
    return file === null ? null : { size: file.bytes.length, sha256: file.sha256 };
  } catch (error) {
    if (!(error instanceof ShelfError)) throw error;
    rejected.push({ source: "code", key: `${repo}/${head}/${path}`, reason: error.message });
    return error.code === "code_store_unavailable" ? undefined : null;
  }
}

/** Registry and code store → records, metadata and integrity indexes. */
import type { RegistryAnnexes } from "./registry-pull.ts";
import { join } from "node:path";
import { z } from "zod";
import { canonicalJson, sha256 } from "#snapshots/digest";
import type { CodeStore } from "#snapshots/shelf";
import { openCodeStore } from "#snapshots/code";
import { CODE_HEAD_PATTERN, compareNames, formatKeyPath, parseCodeRef, type RegistryState, type ViewData } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { type CubCode, type CubCodeFile, type CubRecord, type RegistryMeta, Rejection } from "#snapshots/schema";
import type { Config } from "#generator/config";
import { type KeptFile, keptFile } from "#generator/files";
import { mediaTypeOfName } from "#generator/extract";
import { describeStale, type LastGoodOptions } from "./last-good.ts";
import { openRegistry, type ParsedRegistry, textsOf, withoutRecords } from "./registry.ts";
import { holdStatements, type StatementAnnexes, type Statements } from "./statements.ts";
import { type FindCode, findInRegistry, type RegistryFinding } from "./registry-findings.ts";

/** RegistrySaid is all that is said of a registry, whether or not its records were looked at this time. */
export type RegistrySaid = {
  readonly state: RegistryState;
  readonly rejected: readonly Rejection[];
  readonly notes: readonly string[];
  /** Counts of the metadata, declared beside counted. */
  readonly counts: ParsedRegistry["counts"];
  /** True when a gate refused the registry, and the copy of before is read. */
  readonly refused?: boolean;
  /** For who keeps the registry, in no view. */
  readonly findings: readonly RegistryFinding[];
  /** Digest of everything that was read, for change detection. */
  readonly inputs: Readonly<Record<string, string>>;
};

export type RegistryRead = RegistrySaid &
  Pick<ViewData, "cubs" | "meta" | "code"> & {
    /** Values of fields that the interface does not name: they must occur nowhere in a view. */
    readonly privateTexts: readonly string[];
    /** Ids of records that are withdrawn, though the registry has them. */
    readonly leftOut: readonly string[];
  };

/** A RegistryLook is a registry of which all is said, and whose records are parsed when they are asked for. */
export type RegistryLook = RegistrySaid & { readonly whole: () => Promise<RegistryRead> };

/** NO_REGISTRY is read where no registry is configured. */
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
  leftOut: [],
};

const toldSchema = z.strictObject({
  /** Digest of the program and of what of the configuration is heeded. */
  basis: z.string(),
  registry: z.string(),
  /** Files that the exact-revision store was asked for, with what it had. */
  asked: z.array(z.tuple([z.string(), z.string(), z.string(), z.strictObject({ size: z.number(), sha256: z.string() }).nullable()])),
  said: z.strictObject({
    rejected: z.array(Rejection),
    notes: z.array(z.string()),
    counts: z.array(z.strictObject({ name: z.string(), declared: z.number(), counted: z.number() })),
    findings: z.array(z.strictObject({ record: z.string().nullable(), field: z.string(), what: z.string() })),
    code: z.string(),
  }),
});
type Told = z.infer<typeof toldSchema>;

/** openKeptRegistry opens what the last build said of the registry: the same bytes, and the same files in the code store, say the same again. */
export function openKeptRegistry(buildDir: string): KeptFile<Told> {
  return keptFile(toldSchema, join(buildDir, "registry.state"));
}

type ReadOptions = LastGoodOptions &
  RegistryAnnexes & {
    /** Holds the records' statements against their files; without it, nothing does. */
    readonly statements?: Statements;
    readonly known?: KeptFile<Told>;
    /** Ids of records that are left out, with all that would be said of them. */
    readonly withdrawn?: ReadonlySet<string>;
  };

/** readRegistry reads the registry with all its records. @throws ShelfError "build_failed" when neither the registry nor a copy can be used and
 *  records of it are served */
export async function readRegistry(config: Config, options: ReadOptions): Promise<RegistryRead> {
  return (await lookAtRegistry(config, options)).whole();
}

/** lookAtRegistry does what readRegistry does, and parses no record of a registry that is as it was.
 *  @throws as readRegistry */
export async function lookAtRegistry(config: Config, options: ReadOptions): Promise<RegistryLook> {
  if (config.registry === null) return { ...NO_REGISTRY, whole: async () => NO_REGISTRY };
  const { known, statements, keep = true, withdrawn = new Set<string>() } = options;
  const basis = sha256(canonicalJson([statements?.maker ?? "", config.registry, config.code, config.gates.statements, [...withdrawn]]));
  const kept = statements === undefined ? null : (known?.read() ?? null);
  const last = kept?.basis === basis ? kept : null;
  const registry = await openRegistry(config.registry, { ...options, isKnown: (digest) => digest === last?.registry });
  if (registry.unavailable !== null) {
    const failed: RegistryRead = {
      ...NO_REGISTRY,
      state: "failed",
      notes: [`The registry could not be read: ${registry.unavailable}`],
      inputs: { registry: "unavailable" },
    };
    return { ...failed, whole: async () => failed };
  }
  const { stale, sha256: digest, size } = registry;
  const ofSources = registry.told.map((what): RegistryFinding => ({ record: null, field: "", what }));
  const sayAs = ({ notes: told, code, findings, ...rest }: Told["said"]): RegistrySaid => {
    const notes = stale === null ? told : [describeStale("registry", stale), ...told];
    const inputs = { registry: digest, code, notes: sha256(JSON.stringify(notes)) };
    return {
      ...rest,
      findings: [...findings, ...ofSources],
      state: stale === null ? "read" : "kept",
      refused: stale?.refused === true,
      notes,
      inputs,
    };
  };
  const store = config.code === null ? null : openCodeStore(config.code);
  const whole = async (): Promise<RegistryRead> => {
    const parsed = registry.parsed();
    const { said, asked, held } = await parseWhole(withoutRecords(parsed, withdrawn), config, store, statements ?? null);
    const leftOut = parsed.records.map(({ record }) => record.id).filter((id) => withdrawn.has(id));
    if (keep && asked !== null) known?.write({ basis, registry: digest, asked, said });
    return { ...sayAs(said), ...held, leftOut, meta: { ...held.meta, registry_sha256: digest, bytes: size } };
  };
  if (last !== null && last.registry === digest && (await isAsAsked(last.asked, store))) return { ...sayAs(last.said), whole };
  const read = await whole();
  return { ...read, whole: async () => read };
}

/** isAsAsked tells whether the exact-revision store still has what it had. */
async function isAsAsked(asked: Told["asked"], store: CodeStore | null): Promise<boolean> {
  if (store === null) return asked.length === 0;
  const refused: Rejection[] = [];
  for (const [repo, head, path, had] of asked) {
    const found = await readCode(store, repo, head, path, refused);
    if (refused.length > 0 || found === undefined || found?.sha256 !== had?.sha256) return false;
  }
  return true;
}

/** @returns asked is null where the exact-revision store could not tell everything: nothing is known by that */
async function parseWhole(
  registry: ParsedRegistry,
  config: Config,
  store: CodeStore | null,
  statements: Statements | null,
): Promise<{
  readonly said: Told["said"];
  readonly asked: Told["asked"] | null;
  readonly held: Pick<RegistryRead, "cubs" | "code" | "privateTexts"> & { readonly meta: RegistryMeta };
}> {
  const read = registry.records.map(({ record }) => record);
  const rejected = [...registry.rejected];
  const { find: findCode, asked } = openFindCode(store, registry.meta, rejected);
  const code = await indexAll(read, registry.meta, findCode);
  // A file that is looked at for the findings alone is refused nobody, so the list is copied before.
  const refused = [...rejected];
  const findings = await findInRegistry(registry, config.registry?.internalFields ?? [], digestsOf(findCode));
  // Records that are made from the files' own declarations state what the files do.
  const isHeld = config.gates.statements !== "ignore" && config.registry !== null && !("sources" in config.registry);
  const held = await holdStatements(read, code, store, isHeld ? statements : null);
  const cubs = read.map((record) => {
    const statement_state = held.states.get(record.id);
    return statement_state === undefined ? record : { ...record, statement_state };
  });
  const isWhole = rejected.length === registry.rejected.length;
  return {
    said: {
      rejected: refused,
      notes: [...registry.notes],
      counts: [...registry.counts],
      findings: [...findings, ...held.findings],
      code: sha256(JSON.stringify([...code.values(), ...held.states])),
    },
    asked: isWhole ? await asked() : null,
    held: { cubs, meta: registry.meta, code, privateTexts: registry.records.flatMap(({ extras }) => textsOf(extras)) },
  };
}

/** A file of the exact-revision store: its size in bytes and its digest. */
type FoundCode = { readonly size: number; readonly sha256: string };

const SYSTEMS: readonly (readonly [ending: string, system: string])[] = [
  [".v", "coq"],
  [".lean", "lean"],
  [".mm", "metamath"],
  ...[".agda", ".lagda", ".lagda.md", ".lagda.tex", ".lagda.rst"].map((ending) => [ending, "agda"] as const),
  [".thy", "isabelle"],
  [".rs", "rust"],
];

/** A file of a record at the revision of its repository; null when the store does not have it, undefined without a store, or when it
 *  cannot tell. */
type OpenCode = (record: CubRecord, path: string) => Promise<FoundCode | null | undefined>;

/** Each file is read once. @param rejected gets what the store cannot serve */
function openFindCode(
  store: CodeStore | null,
  meta: RegistryMeta,
  rejected: Rejection[],
): { readonly find: OpenCode; asked(): Promise<Told["asked"] | null> } {
  const read = new Map<string, Promise<FoundCode | null | undefined>>();
  const places: (readonly [repo: string, head: string, path: string])[] = [];
  return {
    async find({ repo }, path) {
      const problem = findSourceProblem(meta, repo);
      if (problem !== null && store !== null && !rejected.some(({ source, key }) => source === "code" && key === repo))
        rejected.push({ source: "code", key: repo, reason: problem });
      if (store === null || problem !== null) return undefined;
      const head = meta.sources[repo]?.head ?? "";
      const place = `${repo}/${head}/${path}`;
      let found = read.get(place);
      if (found === undefined) {
        found = readCode(store, repo, head, path, rejected);
        read.set(place, found);
        places.push([repo, head, path]);
      }
      return found;
    },
    async asked() {
      const asked: Told["asked"] = [];
      for (const [at, found] of (await Promise.all(read.values())).entries()) {
        const [repo = "", head = "", path = ""] = places[at] ?? [];
        if (found === undefined) return null;
        asked.push([repo, head, path, found]);
      }
      return asked;
    },
  };
}

/** findSourceProblem says why the metadata does not tell at which revision a record's files are. */
function findSourceProblem({ sources }: RegistryMeta, repo: string): string | null {
  const head = sources[repo]?.head;
  if (head !== undefined && CODE_HEAD_PATTERN.test(head)) return null;
  const what =
    head === undefined
      ? `meta.sources has no ${JSON.stringify(repo)}`
      : `the head in meta.sources is ${JSON.stringify(head)}, no whole revision`;
  const others = Object.keys(sources);
  const known = head === undefined && others.length > 0 ? `, only ${others.slice(0, 5).join(", ")}` : "";
  return `${what}${known}; write the 40 digits there that git rev-parse HEAD prints`;
}

function digestsOf(open: OpenCode): FindCode {
  return async (record, path) => {
    const found = await open(record, path);
    return found === null || found === undefined ? found : found.sha256;
  };
}

/** checkRegistry finds what is wrong with a registry in hand. @param config null where nobody says what is internal, and where the code is */
export async function checkRegistry(
  registry: ParsedRegistry,
  config: Pick<Config, "registry" | "code" | "gates"> | null,
  { openStatements }: StatementAnnexes,
): Promise<{ readonly findings: readonly RegistryFinding[]; readonly rejected: readonly Rejection[] }> {
  const rejected = [...registry.rejected];
  const store = config === null || config.code === null ? null : openCodeStore(config.code);
  const { find: findCode } = openFindCode(store, registry.meta, rejected);
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

/** indexCode lists a record's files, and tells whether the exact-revision store has them with the digests that the record pins. The file of the
 *  counterpart that runs is listed where the store has it, pinned or not. */
async function indexCode(record: CubRecord, head: string, findCode: OpenCode): Promise<CubCode> {
  const files: CubCodeFile[] = [];
  const proofs = new Set([record.files.coq_file, record.files.lean_file, ...record.reproduce.proof_files]);
  const runs =
    Object.hasOwn(record.file_shas, record.exec_file) || record.exec_file === "" ? null : await findCode(record, record.exec_file);
  const unpinned = runs === null || runs === undefined ? {} : { [record.exec_file]: runs.sha256 };
  for (const [path, digest] of Object.entries({ ...record.file_shas, ...unpinned }).sort(([a], [b]) => compareNames(a, b))) {
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
      state: Object.hasOwn(unpinned, path)
        ? "unpinned"
        : file === undefined
          ? "unreachable"
          : file === null
            ? "gone"
            : file.sha256 === digest
              ? "holds"
              : "differs",
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

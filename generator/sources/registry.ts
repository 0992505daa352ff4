/** The registry of proof records: pulled, parsed record by record, counted against what it declares. A bad record costs that record;
 *  a bad body or a dead host costs freshness: the last good registry is used and said to be stale (`last-good.ts`). */
import { isDeepStrictEqual } from "node:util";
import type { Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { lazily } from "#snapshots/format";
import {
  CHECK_ONLY,
  CLOSED_FIELDS,
  CubFiles,
  CubLinks,
  CubRecord,
  CubReproduce,
  KNOWN_VALUES,
  RegistryMeta,
  type Rejection,
  SAID_FIELDS,
} from "#snapshots/schema";
import { type CountRow, reconcile } from "#snapshots/query";
import { MAX_CONFIG_BYTES, nearest, parseLocatedYaml, type Path, type RegistryConfig } from "#generator/config";
import {
  acceptOnce,
  dropNulls,
  explainRecordIssues,
  findSwallowed,
  findUnrepresentable,
  isRecord,
  openUnknownFields,
  parseLeniently,
  type UnknownField,
} from "./issues.ts";
import { parseStrictJson } from "./json.ts";
import { type LastGoodOptions, readLastGood, type Stale, withoutEntries } from "./last-good.ts";
import { MAX_REGISTRY_BYTES, nameSource, pullRegistry, REGISTRY_TIMEOUT_MS, type RegistryAnnexes } from "./registry-pull.ts";

export type ParsedCub = {
  readonly record: CubRecord;
  /** Names of the members that it came with; the others have their defaults. */
  readonly said: ReadonlySet<string>;
  /** Fields that the interface does not name, nested ones with dotted names: internal, never for the public view. */
  readonly extras: Readonly<Record<string, unknown>>;
};

export type ParsedRegistry = {
  /** As declared; the build sets registry_sha256 and bytes from what was pulled. */
  readonly meta: RegistryMeta;
  readonly records: readonly ParsedCub[];
  readonly rejected: readonly Rejection[];
  /** Those that are declared and can be counted. */
  readonly counts: readonly (Pick<CountRow, "name"> & { readonly declared: number; readonly counted: number })[];
  /** Fields that the interface does not name, of all records, refused ones too, and of the metadata, as `meta.…`. */
  readonly unknownFields: readonly UnknownField[];
  /** More that a reader should know, in words: dropped meta fields, duplicates, wrong counts. */
  readonly notes: readonly string[];
};

type Registry = {
  /** Parsed when it is asked for where its bytes are known, so that a registry that is as it was is not parsed at all. */
  readonly parsed: () => ParsedRegistry;
  readonly sha256: Sha256;
  readonly size: number;
  /** Told while it was made out of its sources. */
  readonly told: readonly string[];
  /** The source cannot be used and this is the last good copy; null when it is fresh. */
  readonly stale: Stale | null;
};

export type RegistryResult = (Registry & { readonly unavailable: null }) | { readonly unavailable: string };

export type RegistryOptions = LastGoodOptions &
  RegistryAnnexes & {
    readonly timeoutMs?: number;
    readonly maxBytes?: number;
    /** Tells whether this program has parsed bytes of a digest before to something that can be used. */
    readonly isKnown?: (digest: Sha256) => boolean;
  };

/** openRegistry pulls and parses the registry: it is fresh, stale, or unavailable with a reason.
 *  @throws ShelfError "build_failed" when neither it nor a copy can be used and records of it are served */
export async function openRegistry(source: RegistryConfig, options: RegistryOptions): Promise<RegistryResult> {
  const { maxBytes = MAX_REGISTRY_BYTES, timeoutMs = REGISTRY_TIMEOUT_MS, isKnown = () => false } = options;
  const told: string[] = [];
  const makeRegistry = (file: string): Promise<Uint8Array> => options.makeRegistry(file, (what) => told.push(what));
  const found = await readLastGood(
    {
      name: "registry",
      place: nameSource(source),
      pull: (kept) => pullRegistry(source, kept, { maxBytes, timeoutMs, makeRegistry }),
      parse: (bytes, digest) => {
        const made = "sources" in source;
        let parsed = isKnown(digest) ? null : parseRegistry(bytes, made);
        return () => (parsed ??= parseRegistry(bytes, made));
      },
      ids: (parsed) => parsed().records.map(({ record }) => record.id),
      without: (bytes, ids) => {
        const rest = ids.size === 0 ? null : withoutEntries(parseStrictJson(bytes), "cubs", ids);
        return rest && withoutCounters(rest, ownTexts(parseRegistry(bytes, "sources" in source).records, ids));
      },
    },
    options,
  );
  if (found.unavailable !== null) return found;
  const { value: parsed, ...rest } = found;
  return { parsed, told, ...rest };
}

/** parseRegistry reads a body `{ meta, cubs }`.
 *  @param made whether it was made out of sources and checks; by hand nobody says what only a check may say
 *  @throws ShelfError "bad_source" when the body as a whole cannot be used */
export function parseRegistry(bytes: Uint8Array, made = false): ParsedRegistry {
  const body = parseStrictJson(bytes);
  if (!isRecord(body))
    throw new ShelfError("bad_source", "The registry is not an object with meta and cubs: write its list of records under cubs.");
  const { meta: rawMeta = {}, cubs } = body;
  if (!Array.isArray(cubs)) throw new ShelfError("bad_source", "The registry has no list named cubs.");
  if (!isRecord(rawMeta)) throw new ShelfError("bad_source", "The registry's meta is not an object.");
  const { data: meta, notes: metaNotes } = parseLeniently(WrittenMeta, rawMeta);
  const placeOf = openPlaces(bytes);
  const unknown = openUnknownFields((raw) => Object.keys(extrasOf(raw)));
  const { accepted, rejected } = acceptOnce(
    unknown.counted(cubs as readonly unknown[]),
    { source: "registry", kind: "record", whole: "registry" },
    (raw) => (made ? null : refuseChecked(raw, (member) => placeOf(["cubs", cubs.indexOf(raw), member]))) ?? parseCub(raw),
    ({ record }) => record.id,
  );
  const counts = countDeclared(meta, rawMeta, accepted);
  const notes = [
    ...metaNotes.map((note) => `meta: ${note}; the field is taken as left out`),
    ...counts
      .filter(({ declared, counted }) => declared !== counted)
      .map(({ name, declared, counted }) => `meta: ${name} declares ${declared}, the records count ${counted}`),
  ];
  for (const [at, raw] of made ? [] : cubs.entries()) {
    const swallowed = findSwallowed(raw);
    if (swallowed === null) continue;
    const [member = ""] = swallowed.split(/[ .[]/, 1);
    notes.push(`${isRecord(raw) ? String(raw["id"]) : "a record"}: ${swallowed}${placeOf(["cubs", at, member])}`);
  }
  const inMeta = Object.keys(rawMeta).filter((name) => !Object.hasOwn(WrittenMeta.shape, name));
  const unknownFields = [...unknown.found(), ...inMeta.map((name) => ({ name: `meta.${name}`, records: 0, first: "" }))];
  return { meta, records: accepted, rejected, counts, unknownFields, notes };
}

/** withoutRecords leaves records out of a registry, with what was said of them and the values that they alone have. */
export function withoutRecords(registry: ParsedRegistry, ids: ReadonlySet<string>): ParsedRegistry {
  if (ids.size === 0) return registry;
  const own = ownTexts(registry.records, ids);
  const isOwn = (note: string): boolean =>
    [...ids].some((id) => note.startsWith(`${id}: `)) || own.values().some((text) => note.includes(`.${text} declares `));
  return {
    ...registry,
    meta: withoutOwn(registry.meta, own) as RegistryMeta,
    records: registry.records.filter(({ record }) => !ids.has(record.id)),
    rejected: registry.rejected.filter(({ key }) => !ids.has(key)),
    counts: registry.counts.filter(({ name }) => !own.has(name.slice(name.indexOf(".") + 1))),
    notes: registry.notes.filter((note) => !isOwn(note)),
  };
}

/** Texts that some of the records say, and no other one. */
function ownTexts(records: readonly ParsedCub[], ids: ReadonlySet<string>): ReadonlySet<string> {
  const { left = [], out = [] } = Object.groupBy(records, ({ record }) => (ids.has(record.id) ? "out" : "left"));
  const textsIn = (some: readonly ParsedCub[]): Set<string> =>
    new Set(some.flatMap(({ record }) => [...textsOf(record), ...Object.keys(record.file_shas)]));
  return textsIn(out).difference(textsIn(left));
}

/** Metadata without counters of such texts. */
function withoutOwn(meta: Readonly<Record<string, unknown>>, own: ReadonlySet<string>): Record<string, unknown> {
  const leftOf = (value: unknown): unknown =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => !own.has(name))) : value;
  return Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, leftOf(value)]));
}

/** withoutCounters writes a registry anew where its metadata counts such texts; else it is the same bytes. */
function withoutCounters(bytes: Uint8Array, own: ReadonlySet<string>): Uint8Array {
  const body = parseStrictJson(bytes);
  const meta = isRecord(body) ? body["meta"] : null;
  if (!isRecord(meta) || isDeepStrictEqual(withoutOwn(meta, own), meta)) return bytes;
  return Buffer.from(JSON.stringify({ ...(body as object), meta: withoutOwn(meta, own) }));
}

/** textsOf lists every string in a value, not the names of its members. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** refuseChecked refuses a record that says itself what only a check may say: who ran a prover over it, and what came out. */
function refuseChecked(raw: unknown, placeOf: (member: string) => string): { readonly rejected: string } | null {
  const said = isRecord(raw) ? CHECK_ONLY.filter((name) => Object.hasOwn(raw, name) && raw[name] !== null) : [];
  return said.length === 0 ? null : { rejected: `${said.map((name) => name + placeOf(name)).join(", ")}: ${CHECK_ONLY_REMEDY}` };
}

/** JSON is YAML, too, whose parser knows lines; what is wrong with a long file is told without. */
function openPlaces(bytes: Uint8Array): (path: Path) => string {
  const yaml = lazily({ lineOf: () => parseLocatedYaml(bytes).lineOf });
  return (path) => (bytes.length > MAX_CONFIG_BYTES ? "" : ` (line ${yaml.lineOf(path)})`);
}
export const CHECK_ONLY_REMEDY =
  "only a check may say this; remove it, or let a prover say it: registry: { sources: ./registry.yaml }, and proofshelf registry recheck";

/** WrittenMeta is what a registry says of itself: what only a build states is left out. */
export const WrittenMeta = RegistryMeta.omit({ standing_counts: true });
const WrittenRecord = CubRecord.omit({ standing: true, evidence_state: true, statement_state: true });

/** parseCub parses one record from outside: into its public part and the rest; or it says why the record is refused. */
export function parseCub(raw: unknown): ParsedCub | { readonly rejected: string } {
  if (!isRecord(raw)) return { rejected: "the record is not an object" };
  const members = dropNulls(raw);
  for (const name of ["files", "reproduce", "links"]) if (isRecord(members[name])) members[name] = dropNulls(members[name]);
  const problem = findUnrepresentable(raw);
  if (problem !== null) return { rejected: problem };
  const result = WrittenRecord.safeParse(members);
  if (!result.success) return { rejected: explainRecordIssues(result.error.issues, raw) };
  const record = result.data;
  return { record, said: new Set(Object.keys(members)), extras: extrasOf(raw) };
}

/** explainUnknownValue says what was meant by a value that the field does not know; null of one that it knows. The value is kept as it is. */
export function explainUnknownValue(field: (typeof CLOSED_FIELDS)[number], value: unknown): string | null {
  const known: readonly string[] = KNOWN_VALUES[field];
  if (typeof value !== "string" || value === "" || known.includes(value)) return null;
  const meant = nearest(value, known);
  const right = meant === null ? `known: ${known.filter((one) => one !== "").join(", ")}` : `did you mean ${meant}?`;
  return `is ${JSON.stringify(value.slice(0, 80))}, which is none of its values and counts as none; ${right}`;
}

const PUBLIC_FIELDS: ReadonlySet<string> = new Set(SAID_FIELDS);
const PARTS = { files: CubFiles, reproduce: CubReproduce, links: CubLinks } as const;

function extrasOf(raw: Record<string, unknown>): Record<string, unknown> {
  const extras: [string, unknown][] = Object.entries(raw).filter(([name]) => !PUBLIC_FIELDS.has(name));
  for (const [name, schema] of Object.entries(PARTS)) {
    const part = raw[name];
    if (!isRecord(part)) continue;
    for (const [inner, value] of Object.entries(part)) if (!Object.hasOwn(schema.shape, inner)) extras.push([`${name}.${inner}`, value]);
  }
  return Object.fromEntries(extras);
}

function countDeclared(
  meta: RegistryMeta,
  rawMeta: Record<string, unknown>,
  records: readonly ParsedCub[],
): { name: string; declared: number; counted: number }[] {
  const cubs = records.map(({ record }) => record);
  const counters = reconcile(meta, cubs).flatMap(({ group, name, declared, counted }) =>
    declared === null || counted === null ? [] : [{ name: `${group}.${name}`, declared, counted }],
  );
  const byRepo = Map.groupBy(cubs, ({ repo }) => repo);
  const rows = Object.entries(meta.sources)
    .filter(([repo]) => declaresRows(rawMeta, repo))
    .map(([repo, { csv_rows }]) => ({ name: `sources.${repo}.csv_rows`, declared: csv_rows, counted: byRepo.get(repo)?.length ?? 0 }));
  return [...counters, ...rows];
}

function declaresRows(rawMeta: Record<string, unknown>, repo: string): boolean {
  const source = isRecord(rawMeta["sources"]) ? rawMeta["sources"][repo] : undefined;
  return isRecord(source) && typeof source["csv_rows"] === "number";
}

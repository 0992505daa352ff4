/** Finds what changed between two snapshots. Reads only subtrees whose digests differ, so the cost follows the change. `diffSnapshots` gives the
 *  names that `changes/<n>.json` keeps, `describeChanges` the fields that a reader wants to see. */
import { isDeepStrictEqual } from "node:util";
import { canonicalJson, type Sha256, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import {
  type BlobEntry,
  claimFell,
  compareNames,
  diffTrees,
  evidenceFell,
  isWithdrawalError,
  pagePath,
  recordFell,
  type TreeChange,
  type ViewData,
} from "#snapshots/format";
import type { Snapshot } from "./read.ts";
import type { Claim, ClaimEvidence, CubRecord, Withdrawal } from "#snapshots/schema";
import type { ChangeCounts, Changes } from "./shelf.ts";

export type Change = {
  readonly what: "object" | "claim" | "record" | "other";
  readonly name: string;
  readonly path: string | null;
  /** "withdrawn": removed, and the later snapshot has a notice of it. */
  readonly change: "added" | "changed" | "removed" | "withdrawn";
  readonly before: string | null;
  readonly after: string | null;
  /** The fields that differ, with both values as JSON text; of an object its size, type and time. */
  readonly fields: readonly { readonly field: string; readonly before: string; readonly after: string }[];
  /** Reasons why a claim or a record is weaker than before, in words. */
  readonly weaker: readonly string[];
};

const KINDS = ["added", "changed", "removed"] as const;
const LISTS = [
  ["objects", "object"],
  ["claims", "claim"],
  ["records", "record"],
] as const;

export type ChangedName = { readonly change: ListedChange; readonly what: "object" | "claim" | "record"; readonly name: string };

/** listChanges gives changes in the order in which they are told. */
export function listChanges(changes: Changes): readonly ChangedName[] {
  return KINDS.flatMap((change) => LISTS.flatMap(([list, what]) => changes[change][list].map((name) => ({ change, what, name }))));
}

/** diffSnapshots returns the names of objects (keys), claims (ids) and CUB records (ids) that differ, each list ascending by code unit. An object
 *  is changed when its bytes, its media type or its upload time is; a claim or record when its JSON is.
 *  @param before null for the first snapshot: everything is added */
export async function diffSnapshots(before: Snapshot | null, after: Snapshot): Promise<Changes> {
  const found: Changes = { added: noNames(), changed: noNames(), removed: noNames() };
  for await (const change of diffFolder(before, after, "objects")) found[kindOf(change)].objects.push(change.path);
  for await (const change of diffFolder(before, after, "api/cubs")) {
    const id = recordId(change.path);
    if (id !== null) found[kindOf(change)].records.push(id);
  }
  for (const [id, pair] of await claimPairs(before, after)) found[kindOf(pair)].claims.push(id);
  for (const lists of Object.values(found)) for (const list of Object.values(lists)) list.sort(compareNames);
  return found;
}

/** describeChanges gives every change as the diff page and `snapshots diff` show it: objects by key, then claims, then records, then the rest.
 *  `before` and `after` are digests: of an object's bytes, else of the canonical JSON. Nothing is quoted of what `now` has a notice of. */
export async function describeChanges(before: Snapshot, after: Snapshot, now: Snapshot): Promise<Change[]> {
  const [withdrawn, gone] = [await withdrawnIn(after), await withdrawnIn(now)];
  const describeOne = (what: Withdrawal["what"], name: string, pair: Pair, change = kindOf(pair)): Change =>
    quoting(describe(what, name, pagePath.source(what, name), pair, change, withdrawn), !gone.has(`${what} ${name}`));
  const objects: Change[] = [];
  for await (const change of diffFolder(before, after, "objects")) objects.push(describeOne("object", change.path, change));
  // Things that are redacted on one side cannot be compared.
  const claims = [...((await claimPairs(before, after).catch(unreadable)) ?? [])].map(([id, pair]) => describeOne("claim", id, pair));
  const records: Change[] = [];
  for await (const change of diffFolder(before, after, "api/cubs")) {
    const { path } = change;
    const id = recordId(path);
    if (id === null) continue;
    const file = `api/cubs/${path}`;
    const read = (snapshot: Snapshot): Promise<unknown> => readJson(snapshot, file).catch(unreadable);
    records.push(describeOne("record", id, { before: await read(before), after: await read(after) }, kindOf(change)));
  }
  const byName = (a: Change, b: Change): number => compareNames(a.name, b.name);
  return [...objects.sort(byName), ...claims.sort(byName), ...records.sort(byName), ...(await describeRest(before, after, gone))];
}

/** quoting leaves out of a change what it quotes, where it may not. */
function quoting(change: Change, mayQuote: boolean): Change {
  return mayQuote ? change : { ...change, fields: [], weaker: [] };
}

/** describeListed gives one change of a publication's list, as `describeChanges` has it.
 *  @param before null where the snapshot before is not kept, and `after` likewise: digests and fields of that side are not known then, nor where
 *  it is damaged */
export async function describeListed(
  before: Snapshot | null,
  after: Snapshot | null,
  what: Withdrawal["what"],
  change: ListedChange,
  name: string,
): Promise<Change> {
  const read = async (snapshot: Snapshot | null): Promise<unknown> =>
    snapshot === null ? null : readListed(snapshot, what, name).catch(unreadable);
  const pair = { before: change === "added" ? null : await read(before), after: change === "removed" ? null : await read(after) };
  const withdrawn = change !== "removed" || after === null ? null : await withdrawnIn(after).catch(unreadable);
  return describe(what, name, pagePath.source(what, name), pair, change, withdrawn);
}

/** A ListedChange is a kind that a list of changes tells apart. */
export type ListedChange = Exclude<Change["change"], "withdrawn">;

/** Notices by `<what> <name>`, read once for each open snapshot. */
const noticesBySnapshot = new WeakMap<Snapshot, ReadonlySet<string>>();

async function withdrawnIn(snapshot: Snapshot): Promise<ReadonlySet<string>> {
  const known = noticesBySnapshot.get(snapshot);
  if (known !== undefined) return known;
  const { withdrawn = [] } = ((await readJson(snapshot, "api/rejected.json")) ?? {}) as Pick<ViewData, "withdrawn">;
  const names = new Set(withdrawn.map(({ what, name }) => `${what} ${name}`));
  noticesBySnapshot.set(snapshot, names);
  return names;
}

/** unreadable passes over one bad snapshot, or what was redacted of one: it costs what is told of it, and nothing else. */
export function unreadable(error: unknown): null {
  if (error instanceof ShelfError && (error.code === "snapshot_damaged" || isWithdrawalError(error))) return null;
  throw error;
}

async function readListed(snapshot: Snapshot, what: Withdrawal["what"], name: string): Promise<unknown> {
  if (what === "claim") return (await claimsOf(snapshot)).get(name) ?? null;
  if (what === "record") return readJson(snapshot, `api/cubs/${name}.json`);
  const entry = await snapshot.find(`objects/${name}`);
  return entry?.kind === "blob" ? entry : null;
}

function factsOf({ size, type, uploaded }: Pick<BlobEntry, "size" | "type" | "uploaded">): Readonly<Record<string, unknown>> {
  return { size, type, uploaded };
}

export type FileCounts = ChangeCounts & { readonly folder: string };

/** countFiles counts files that differ, by top folder of the snapshot: pages and other things that are made may differ where no source does. */
export async function countFiles(before: Snapshot, after: Snapshot): Promise<readonly FileCounts[]> {
  const counts = new Map<string, { added: number; changed: number; removed: number }>();
  for await (const change of diffFolder(before, after, "")) {
    const folder = change.path.includes("/") ? change.path.slice(0, change.path.indexOf("/")) : change.path;
    const count = counts.get(folder) ?? { added: 0, changed: 0, removed: 0 };
    count[kindOf(change)]++;
    counts.set(folder, count);
  }
  return [...counts].map(([folder, count]) => ({ folder, ...count })).sort((a, b) => compareNames(a.folder, b.folder));
}

/** Changes that belong to no single item: the library's own description, the registry's and the claims' meta, the refusals. Their counts and names
 *  may be those of what is gone now, where one side had it still. */
async function describeRest(before: Snapshot, after: Snapshot, gone: ReadonlySet<string>): Promise<Change[]> {
  const noticed = await Promise.all([before, after].map((snapshot) => withdrawnIn(snapshot).catch(unreadable)));
  const mayQuote = noticed.every((notices) => notices !== null && gone.isSubsetOf(notices));
  const claimsMeta = async (snapshot: Snapshot): Promise<unknown> =>
    ((await readJson(snapshot, "api/claims.json")) as { meta?: unknown } | null)?.meta ?? null;
  const file = (path: string) => (snapshot: Snapshot) => readJson(snapshot, path);
  const parts = [
    { name: "library", path: pagePath.front, read: file("api/library.json") },
    { name: "claims meta", path: pagePath.claims, read: claimsMeta },
    { name: "registry meta", path: pagePath.dashboard, read: file("api/cubs/meta.json") },
    { name: "rejected", path: pagePath.rejected, read: file("api/rejected.json") },
  ];
  const changes: Change[] = [];
  for (const { name, path, read } of parts) {
    const pair = { before: await read(before).catch(unreadable), after: await read(after).catch(unreadable) };
    if (!isDeepStrictEqual(pair.before, pair.after)) changes.push(quoting(describe("other", name, path, pair), mayQuote));
  }
  return changes;
}

export function countChanges(changes: Changes): ChangeCounts {
  const count = (names: Changes["added"]): number => names.objects.length + names.claims.length + names.records.length;
  return { added: count(changes.added), changed: count(changes.changed), removed: count(changes.removed) };
}

type Pair = { readonly before: unknown; readonly after: unknown };

const noNames = (): Changes["added"] => ({ objects: [], claims: [], records: [] });

function kindOf(pair: Pair): ListedChange {
  return pair.before === null ? "added" : pair.after === null ? "removed" : "changed";
}

/** @param path of the item's page; a removed one has none in the newer snapshot
 *  @param pair blobs of an object, else JSON values */
function describe(
  what: Change["what"],
  name: string,
  path: string,
  pair: Pair,
  listed: ListedChange = kindOf(pair),
  withdrawn: ReadonlySet<string> | null = null,
): Change {
  const isObject = what === "object";
  const digestOf = (value: unknown): string | null =>
    value === null ? null : isObject ? (value as BlobEntry).sha256 : sha256(canonicalJson(value));
  const factsIn = (value: unknown): unknown => (isObject ? factsOf(value as BlobEntry) : value);
  const change = listed === "removed" && withdrawn?.has(`${what} ${name}`) === true ? "withdrawn" : listed;
  return {
    what,
    name,
    path: change === "removed" ? null : path,
    change,
    before: digestOf(pair.before),
    after: digestOf(pair.after),
    fields: pair.before === null || pair.after === null ? [] : diffFields(factsIn(pair.before), factsIn(pair.after)),
    weaker: weakerOf(what, change, pair),
  };
}

function weakerOf(what: Change["what"], change: Change["change"], { before, after }: Pair): readonly string[] {
  if (what !== "record" && what !== "claim") return [];
  if (change === "removed") return ["it is gone"];
  if (before === null || after === null) return [];
  return what === "record" ? weakerRecord(before as CubRecord, after as CubRecord) : weakerClaim(before as Claim, after as Claim);
}

function weakerRecord(was: CubRecord, is: CubRecord): readonly string[] {
  const lost = evidenceFell(was.evidence_state, is.evidence_state);
  return [...recordFell(was, is), ...(lost === null ? [] : [lost])];
}

function weakerClaim(was: Claim, is: Claim): readonly string[] {
  const placeOf = ({ path, url, artifact }: ClaimEvidence): string => path ?? url ?? artifact;
  const before = new Map(was.evidence.map((item) => [placeOf(item), item.state]));
  const lost = is.evidence.flatMap((item) => {
    const fell = evidenceFell(before.get(placeOf(item)), item.state);
    return fell === null ? [] : [`${placeOf(item)}: ${fell}`];
  });
  const rested = new Set(was.standing?.rests_on?.map(({ id }) => id));
  const fallen = is.standing?.rests_on?.filter(({ id }) => !rested.has(id)) ?? [];
  return [...claimFell(was, is), ...lost, ...fallen.map(({ id, says }) => `it rests on ${id}, which ${says}`)];
}

/** diffFields gives the members that differ, in order of their names; members of objects as "files.coq_file", lists as a whole. A member that is
 *  not there is "". */
export function diffFields(before: unknown, after: unknown, prefix = ""): Change["fields"] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, now] = [membersOf(before), membersOf(after)];
  if (old === null || now === null) return [{ field: prefix, before: jsonText(before), after: jsonText(after) }];
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort(compareNames)
    .flatMap((name) => diffFields(old.get(name), now.get(name), prefix === "" ? name : `${prefix}.${name}`));
}

/** As a map, so that a member called `__proto__` is a member; null for what is no object. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : null;
}

function jsonText(value: unknown): string {
  return value === undefined ? "" : canonicalJson(value);
}

async function claimPairs(before: Snapshot | null, after: Snapshot): Promise<ReadonlyMap<string, Pair>> {
  const path = "api/claims.json";
  const [a, b] = [(await before?.find(path)) ?? null, await after.find(path)];
  if (a !== null && a.sha256 === b?.sha256) return new Map();
  const [old, now] = [await claimsOf(before), await claimsOf(after)];
  const pairs = [...new Set([...old.keys(), ...now.keys()])].map(
    (id) => [id, { before: old.get(id) ?? null, after: now.get(id) ?? null }] as const,
  );
  return new Map(pairs.filter(([, pair]) => !isDeepStrictEqual(pair.before, pair.after)));
}

/** Read once for each open snapshot: a list of changes asks for one claim after the other. */
const claimsBySnapshot = new WeakMap<Snapshot, Promise<ReadonlyMap<string, Claim>>>();

function claimsOf(snapshot: Snapshot | null): Promise<ReadonlyMap<string, Claim>> {
  if (snapshot === null) return Promise.resolve(new Map());
  const known = claimsBySnapshot.get(snapshot);
  if (known !== undefined) return known;
  const reading = readClaims(snapshot).catch((error: unknown) => {
    claimsBySnapshot.delete(snapshot);
    throw error;
  });
  claimsBySnapshot.set(snapshot, reading);
  return reading;
}

async function readClaims(snapshot: Snapshot): Promise<ReadonlyMap<string, Claim>> {
  const registry = (await readJson(snapshot, "api/claims.json")) as { claims: readonly Claim[] } | null;
  return new Map((registry?.claims ?? []).map((claim) => [claim.id, claim]));
}

/** The id of `<id>.json`; null for meta.json and for the index `<id>/code.json`, which is no part of the record. */
function recordId(path: string): string | null {
  return /^(CUB-[0-9]+)\.json$/.exec(path)?.[1] ?? null;
}

async function* diffFolder(before: Snapshot | null, after: Snapshot, folder: string): AsyncGenerator<TreeChange> {
  const at = async (snapshot: Snapshot | null): Promise<Sha256 | null> => {
    if (folder === "") return snapshot?.id ?? null;
    const entry = await snapshot?.find(folder);
    return entry?.kind === "tree" ? entry.sha256 : null;
  };
  // Two trees of one digest are the same, whichever shelf they are read from.
  const load = async (digest: string) => {
    try {
      return await after.tree(digest);
    } catch (error) {
      if (before === null || !(error instanceof ShelfError)) throw error;
      return await before.tree(digest);
    }
  };
  yield* diffTrees(await at(before), await at(after), load);
}

/** The file as JSON, or null when the snapshot does not hold it. Its digest is checked; its shape is what the generator wrote. */
async function readJson(snapshot: Snapshot, path: string): Promise<unknown> {
  const entry = await snapshot.find(path);
  if (entry?.kind !== "blob") return null;
  try {
    return JSON.parse(new TextDecoder().decode(await snapshot.read(entry)));
  } catch (cause) {
    if (cause instanceof ShelfError) throw cause;
    throw new ShelfError("snapshot_damaged", `${path} is not JSON.`, { cause });
  }
}

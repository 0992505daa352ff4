/** The short forms of objects, claims and records that every list shows. */
import {
  CLAIM_STANDINGS,
  claimStandings,
  type CollectionInfo,
  type ObjectRow,
  pagePath,
  RECORD_STANDINGS,
  recordStanding,
  relationsOf,
  reviewMarks,
  type ViewData,
} from "#snapshots/format";
import { usesOf } from "#snapshots/query";
import { type Claim, type CubRecord, KNOWN_VALUES } from "#snapshots/schema";

export type Crumb = { readonly title: string; readonly path: string };
export type ValueCount = { readonly value: string; readonly count: number };

export function objectCard(row: ObjectRow) {
  const { media_type: _, ...card } = row;
  return card;
}

export function claimCard(data: ViewData, claim: Claim) {
  const { id, title, scope } = claim;
  return { id, title, standing: claimStandings(data)(claim), scope };
}

export function recordCard(record: CubRecord) {
  const { id, theorem_name, kind, statement, repo, module, invocation } = record;
  const standing = recordStanding(record);
  return { id, theorem_name, kind, statement, standing, reviewed: reviewMarks(record), repo, module, invocation, uses: usesOf(record) };
}

export function collectionCard(data: ViewData, collection: CollectionInfo) {
  return { ...collection, ...(relationsOf(data).totals.get(collection.id) ?? { count: 0, bytes: 0, updated: null }) };
}

export function crumbsOf(data: ViewData, keyOrPrefix: string): readonly Crumb[] {
  const names = keyOrPrefix.replace(/\/$/, "").split("/").slice(0, -1);
  const crumbs: Crumb[] = [{ title: "Files", path: pagePath.browse("") }];
  if (keyOrPrefix === "") return [];
  let prefix = "";
  for (const name of names) {
    prefix += `${name}/`;
    const collection = data.library.collections.find((candidate) => candidate.prefix === prefix);
    crumbs.push({ title: collection?.title ?? name, path: pagePath.browse(prefix) });
  }
  return crumbs;
}

/** recordCounts counts records by the states that every overview of them shows. */
export function recordCounts(cubs: readonly CubRecord[]) {
  return {
    byStanding: countStandings(cubs),
    byProduction: countBy(cubs, (record) => record.production_consumption, KNOWN_VALUES.production_consumption),
    byInvocation: countBy(cubs, (record) => record.invocation, KNOWN_VALUES.invocation),
  };
}

/** countStandings counts the records of each standing, the best standing first. */
export function countStandings(cubs: readonly CubRecord[]): readonly ValueCount[] {
  return countBy(cubs, (record) => recordStanding(record).state, RECORD_STANDINGS);
}

/** countClaims counts the claims of each standing, the best standing first. */
export function countClaims(data: ViewData): readonly ValueCount[] {
  const standingOf = claimStandings(data);
  return countBy(data.claims.claims, (claim) => standingOf(claim).state, CLAIM_STANDINGS);
}

/** countBy counts how often each value occurs. Values of `order` come first, in that order; the others follow by value. Values that do not occur
 *  are left out. */
export function countBy<T>(items: readonly T[], value: (item: T) => string, order: readonly string[] = []): readonly ValueCount[] {
  const groups = Map.groupBy(items, value);
  const names = new Set([...order, ...[...groups.keys()].sort()]);
  return [...names].map((name) => ({ value: name, count: groups.get(name)?.length ?? 0 })).filter(({ count }) => count > 0);
}

export function citedBy(data: ViewData, key: string) {
  const relations = relationsOf(data);
  return {
    claims: (relations.claimsOfObject.get(key) ?? []).map((claim) => claimCard(data, claim)),
    records: (relations.recordsOfObject.get(key) ?? []).map(recordCard),
  };
}

/** The short forms of objects, claims and records that every list shows. */
import { pagePath } from "../format/layout.ts";
import type { Claim } from "../schema/claims.ts";
import { type CubRecord, KNOWN_VALUES } from "../schema/cubs.ts";
import type { CollectionInfo, ObjectRow, ViewData } from "../format/view-data.ts";
import type { CitedBy, ClaimCard, CollectionCard, Count, Crumb, ObjectCard, RecordCard, RecordCounts } from "./model.ts";
import { relationsOf } from "../format/relations.ts";

export function objectCard(row: ObjectRow): ObjectCard {
  const { media_type: _, ...card } = row;
  return card;
}

export function claimCard(claim: Claim): ClaimCard {
  const { id, title, status, scope } = claim;
  return { id, title, status, scope };
}

export function recordCard(record: CubRecord): RecordCard {
  const { id, theorem_name, kind, statement, verification_state, repo, module, invocation } = record;
  return { id, theorem_name, kind, statement, verification_state, repo, module, invocation };
}

export function collectionCard(data: ViewData, collection: CollectionInfo): CollectionCard {
  return { ...collection, ...(relationsOf(data).totals.get(collection.id) ?? { count: 0, bytes: 0, updated: null }) };
}

export function crumbsOf(data: ViewData, keyOrPrefix: string): readonly Crumb[] {
  const names = keyOrPrefix.replace(/\/$/, "").split("/").slice(0, -1);
  const crumbs: Crumb[] = [{ title: "Browse", path: pagePath.browse("") }];
  if (keyOrPrefix === "") return [];
  let prefix = "";
  for (const name of names) {
    prefix += `${name}/`;
    const collection = data.library.collections.find((candidate) => candidate.prefix === prefix);
    crumbs.push({ title: collection?.title ?? name, path: pagePath.browse(prefix) });
  }
  return crumbs;
}

export function recordCounts(cubs: readonly CubRecord[]): RecordCounts {
  return {
    byVerification: countBy(cubs, (record) => record.verification_state, KNOWN_VALUES.verification_state),
    byProduction: countBy(cubs, (record) => record.production_consumption, KNOWN_VALUES.production_consumption),
    byInvocation: countBy(cubs, (record) => record.invocation, KNOWN_VALUES.invocation),
  };
}

/** How often each value occurs, in the order given first, then by value. */
export function countBy<T>(items: readonly T[], value: (item: T) => string, order: readonly string[] = []): readonly Count[] {
  const groups = Map.groupBy(items, value);
  const names = new Set([...order, ...[...groups.keys()].sort()]);
  return [...names].map((name) => ({ value: name, count: groups.get(name)?.length ?? 0 })).filter(({ count }) => count > 0);
}

export function citedBy(data: ViewData, key: string): CitedBy {
  const relations = relationsOf(data);
  return {
    claims: (relations.claimsOfObject.get(key) ?? []).map(claimCard),
    records: (relations.recordsOfObject.get(key) ?? []).map(recordCard),
  };
}

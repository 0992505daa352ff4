/** The short forms of objects, claims and records that every list shows. */
import { pagePath } from "../format/layout.ts";
import type { Claim } from "../schema/claims.ts";
import type { CubRecord } from "../schema/cubs.ts";
import type { CollectionInfo, ObjectRow, ViewData } from "../format/view-data.ts";
import type { ClaimCard, CollectionCard, Count, Crumb, ObjectCard, RecordCard } from "./model.ts";
import { relationsOf } from "../format/relations.ts";

export function objectCard(row: ObjectRow): ObjectCard {
  const { key, title, summary, kind, size, sha256, uploaded } = row;
  return { key, title, summary, kind, size, sha256, uploaded };
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

/** Folders from the root down to, not including, a key or prefix. */
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

/** How often each value occurs, in the order given first, then by value. */
export function countBy<T>(items: readonly T[], value: (item: T) => string, order: readonly string[] = []): readonly Count[] {
  const counts = new Map<string, number>(order.map((name) => [name, 0]));
  for (const item of items) counts.set(value(item), (counts.get(value(item)) ?? 0) + 1);
  const rest = [...counts.keys()].filter((name) => !order.includes(name)).sort();
  return [...order, ...rest].map((name) => ({ value: name, count: counts.get(name) ?? 0 })).filter(({ count }) => count > 0);
}

export function citedBy(data: ViewData, key: string): { readonly claims: readonly ClaimCard[]; readonly records: readonly RecordCard[] } {
  const relations = relationsOf(data);
  return {
    claims: (relations.claimsOfObject.get(key) ?? []).map(claimCard),
    records: (relations.recordsOfObject.get(key) ?? []).map(recordCard),
  };
}

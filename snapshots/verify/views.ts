/** Public ⊆ internal: whatever the public view says, the internal view says too. */
import { isDeepStrictEqual } from "node:util";
import type { Claim } from "#snapshots/schema";
import { findCollection } from "#snapshots/format";
import type { CheckedView } from "./check.ts";
import type { Report } from "./finding.ts";

export function checkViews(report: Report, open: CheckedView, full: CheckedView): void {
  const missing = (path: string, detail: string): void =>
    report.add("not_in_internal", "public", { snapshot: open.snapshot.id, path }, detail);
  for (const [path, entry] of open.files) {
    if (!path.startsWith("objects/")) continue;
    const twin = full.files.get(path);
    if (twin === undefined) missing(path, "The internal view lacks this object.");
    else if (twin.sha256 !== entry.sha256) missing(path, "The internal view has other bytes under this key.");
    // The internal view knows every collection, so it says whose key this is.
    const home = findCollection(full.data.library.collections, path.slice("objects/".length));
    if (home?.visibility !== "public")
      report.add("gated_in_public", "public", { snapshot: open.snapshot.id, path }, "This object lies in no public collection.");
  }
  const claims = new Map(full.data.claims.claims.map((claim) => [claim.id, withoutStates(claim)]));
  for (const claim of open.data.claims.claims) {
    const twin = claims.get(claim.id);
    if (twin === undefined || !includes(twin, withoutStates(claim)))
      missing("api/claims.json", `Claim ${JSON.stringify(claim.id)} is missing from the internal view, or differs there.`);
  }
  const records = new Map(full.data.cubs.map((record) => [record.id, record]));
  for (const { links: _, ...record } of open.data.cubs) {
    const twin = records.get(record.id);
    if (twin === undefined || !includes(twin, record))
      missing(`api/cubs/${record.id}.json`, "This record is missing from the internal view, or differs there.");
  }
  const collections = full.data.library.collections;
  for (const collection of open.data.library.collections) {
    if (!collections.some((one) => isDeepStrictEqual(one, collection)))
      missing("api/library.json", `Collection ${collection.id} is missing from the internal view, or differs there.`);
  }
}

/** Returns a claim without its states. Each view holds pins against its own contents, so their states may differ, and so may the standing that
 *  follows from them. */
function withoutStates({ standing: _, ...claim }: Claim): Claim {
  return { ...claim, evidence: claim.evidence.map(({ state: __, ...item }) => item) };
}

/** Tells whether `more` says all that `less` says: members of objects may be added, items of lists may not. */
function includes(more: unknown, less: unknown): boolean {
  if (Array.isArray(more) && Array.isArray(less)) return more.length === less.length && less.every((item, at) => includes(more[at], item));
  if (typeof more !== "object" || typeof less !== "object" || more === null || less === null) return isDeepStrictEqual(more, less);
  const all = new Map(Object.entries(more));
  return Object.entries(less).every(([name, value]) => all.has(name) && includes(all.get(name), value));
}

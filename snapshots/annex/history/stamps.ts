/** Facts of the shelf's history on pages of the core: since when a thing is there, what it has been, what came newly. */
import { type FirstSeen, type OpenSnapshot, otherProofs } from "#snapshots/query";
import { pagePath, parseSlug, relationsOf, relativeHref } from "#snapshots/format";
import type { ChangeCounts, SnapshotRecord } from "#snapshots/shelf";
import type { PageStamp } from "#snapshots/http";
import { newsHtml } from "./news.ts";
import { stateHistory, revisionsLink } from "./state-history.ts";

export const HISTORY_STAMPS: readonly PageStamp[] = [
  {
    token: "<!--stamp:first-->",
    pages: ["object-page"],
    async html(open, path) {
      const key = parseSlug(decodeURIComponent(path.slice("/object/".length, -1)));
      const seen = key === null ? null : await open.firstSeen("objects", key);
      return seen === null ? "not known" : firstSeenHtml(path, seen);
    },
  },
  {
    token: "<!--stamp:states-->",
    pages: ["record-page", "claim-page"],
    async html(open, path) {
      const item = await findItem(open, path);
      return item === null ? "" : `${await proofsHtml(open, path, item)}${await stateHistory(open, path, item.kind, item.name)}`;
    },
  },
  {
    token: "<!--stamp:changes-->",
    pages: ["front"],
    async html(open, path) {
      const { record, shelf } = open.snapshot;
      const counts = await shelf.records.counts(record.sequence);
      const { byId } = await shelf.records.index();
      const from = record.previous !== null && byId.has(record.previous) ? record.previous : null;
      return counts === null ? "" : changesHtml(path, record, from, counts) + (await newsHtml(open, path));
    },
  },
];

/** The record or claim of a page; null for another path. */
async function findItem(open: OpenSnapshot, path: string): Promise<{ readonly kind: "records" | "claims"; readonly name: string } | null> {
  const record = /^\/registry\/(CUB-[0-9]+)\/$/.exec(path)?.[1];
  if (record !== undefined) return { kind: "records", name: record };
  const { claims } = (await open.snapshot.data()).claims;
  const claim = claims.find(({ id }) => pagePath.claim(id) === path);
  return claim === undefined ? null : { kind: "claims", name: claim.id };
}

/** proofsHtml names other proofs of a record's statement. */
async function proofsHtml(
  open: OpenSnapshot,
  path: string,
  { kind, name }: { readonly kind: string; readonly name: string },
): Promise<string> {
  const record = kind === "records" ? relationsOf(await open.snapshot.data()).recordById.get(name) : undefined;
  const proofs = record === undefined ? [] : await otherProofs(open, record);
  if (proofs.length === 0) return "";
  const all = proofs.map(({ id, first_seen: first }) => {
    const seen = first === null ? "" : `, first seen in <a href="${relativeHref(path, pagePath.snapshots)}">snapshot ${first}</a>`;
    return `<a href="${relativeHref(path, pagePath.record(id))}"><bdi>${id}</bdi></a>${seen}`;
  });
  return `<p>Also proved as ${all.join("; ")}.</p>`;
}

function snapshotLink(path: string, record: SnapshotRecord): string {
  return `<a href="${relativeHref(path, pagePath.snapshots)}">snapshot ${record.sequence}</a> · <time datetime="${record.created}">${record.created.slice(0, 10)}</time>`;
}

function firstSeenHtml(path: string, { key, bytes, all }: FirstSeen): string {
  const first = snapshotLink(path, key);
  const since = key.sequence === bytes.sequence ? first : `${first}; these bytes since ${snapshotLink(path, bytes)}`;
  return all.length < 2 ? since : `${since}; ${revisionsLink(path, all.length)}`;
}

/** @param from the snapshot before, where it is kept */
function changesHtml(path: string, record: SnapshotRecord, from: string | null, { added, changed, removed }: ChangeCounts): string {
  const words = added + changed + removed === 0 ? "nothing changed" : `${added} added, ${changed} changed, ${removed} removed`;
  const target = from === null ? pagePath.snapshots : pagePath.diff(from, record.snapshot);
  return `<p>Snapshot ${record.sequence}, <time datetime="${record.created}">${record.created.slice(0, 10)}</time>: ${words} → <a href="${relativeHref(path, target)}">what changed</a></p>`;
}

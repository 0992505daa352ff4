/** A search result as the interface shows it: Source of interface §2. */
import { judgedClaim, judgedRecord, mountPath, objectPath, relationsOf, type ViewData } from "#snapshots/format";
import type { Source } from "#snapshots/schema";
import { declarationLine } from "./declaration-line.ts";
import type { SearchResult } from "./search-result.ts";

const MAX_COPIES = 20; // keys named beside a result; /api/digests has them all

/** copiesOf returns the other keys under which this view has the bytes of an object, up to MAX_COPIES of them. */
export function copiesOf(data: ViewData, key: string, digest: string): readonly string[] {
  const keys = relationsOf(data).keysByDigest.get(digest) ?? [];
  return keys.length > 1 ? keys.filter((other) => other !== key).slice(0, MAX_COPIES) : [];
}

/** standingOf returns the standing of a record or a claim, and who has read the statements; nothing for anything else. */
export function standingOf(data: ViewData, kind: string, key: string): Partial<ReturnType<typeof judgedRecord>> {
  const record = kind === "record" ? relationsOf(data).recordById.get(key) : undefined;
  const claim = kind === "claim" ? relationsOf(data).claimById.get(key) : undefined;
  if (record !== undefined) return judgedRecord(record);
  return claim === undefined ? {} : judgedClaim(data, claim);
}

export function toSource(data: ViewData, result: SearchResult): Source {
  const { title, kind, key, snippet, score } = result;
  const mount = mountPath(data.library);
  const summary =
    kind === "record"
      ? (relationsOf(data).recordById.get(key)?.statement ?? "")
      : kind === "claim"
        ? (relationsOf(data).claimById.get(key)?.scope ?? "")
        : (relationsOf(data).objectByKey.get(key)?.summary ?? "");
  const href = kind === "record" ? `/api/cubs/${key}` : kind === "claim" ? `${mount}/api/claims` : mount + objectPath(key);
  const line = kind === "record" || kind === "claim" ? 0 : declarationLine(result.row);
  const copies = copiesOf(data, key, result.row.sha256);
  return {
    title,
    kind,
    key,
    href,
    summary,
    snippet,
    score,
    ...standingOf(data, kind, key),
    ...(line > 0 ? { line } : {}),
    ...(copies.length > 0 ? { copies } : {}),
  };
}

/** Finds what an earlier public snapshot holds that is gated now. Its trees cannot be rewritten, and keys, titles and digests of what is gated are
 *  secrets too: such a snapshot has to go as a whole. */
import { isDeepStrictEqual } from "node:util";
import { type Sha256, sha256 } from "#snapshots/digest";
import { type CollectionInfo, findCollection, isGatedKey, type ViewData } from "#snapshots/format";
import type { Claim } from "#snapshots/schema";
import { MIN_SECRET_CHARACTERS, stringsOf, unsaidTexts } from "./gated.ts";

export type Exposed = { readonly what: "collection" | "object" | "claim" | "record"; readonly name: string };

/** KeptInHistory is what an operator lets stay in what was published before: what it is, and the snapshot, or the list of changes, that has it. */
export type KeptInHistory = readonly { readonly about: string; readonly sha256: string }[];

/** openKept makes a test that tells whether a thing stays in one snapshot, or in one list of changes. */
export function openKept(kept: KeptInHistory): (one: Exposed, where: Sha256) => boolean {
  const all = new Set(kept.map(({ about, sha256: digest }) => `${digest} ${about}`));
  return (one, where) => all.has(`${where} ${nameExposed(one)}`);
}

export function nameExposed({ what, name }: Exposed): string {
  return `${what} ${JSON.stringify(name)}`;
}

/** digestOfChanges stands for the list of changes of a publication, of which the names may go one by one. */
export function digestOfChanges(sequence: number): Sha256 {
  return sha256(`changes/${sequence}.json`);
}

/** openGating knows what is gated now; it is made once and asked for each earlier snapshot.
 *  - a collection that was public and is not: all of its keys, refused ones included
 *  - an object in such a collection, or with the bytes of an object that is gated now
 *  - a claim with evidence that is not public any more
 *  - a claim or record that says what only the internal view, or nobody, is told now
 *  @param now.privateTexts what no view holds */
export function openGating(now: {
  readonly collections: readonly CollectionInfo[];
  readonly public: ViewData;
  readonly internal: ViewData;
  readonly privateTexts: readonly string[];
}): (then: ViewData) => readonly Exposed[] {
  const publicKeys = new Set(now.public.objects.map(({ key }) => key));
  const publicDigests = new Set(now.public.objects.map(({ sha256 }) => sha256));
  // Empty files are all the same and tell nothing.
  const gated = now.internal.objects.filter(({ key, sha256, size }) => !publicKeys.has(key) && !publicDigests.has(sha256) && size > 0);
  const digests = new Set(gated.map(({ sha256 }) => sha256));
  const unsaid = unsaidTexts(now.public, now.internal, now.privateTexts);
  const withheld = new Set([...unsaid].filter((text) => text.length >= MIN_SECRET_CHARACTERS));
  const claims = new Map(now.public.claims.claims.map((claim) => [claim.id, claim]));
  const isGated = (key: string): boolean => isGatedKey(now.collections, key);
  const says = (value: unknown): boolean => withheld.size > 0 && stringsOf(value).some((text) => withheld.has(text));

  return (then) => {
    const held: Exposed[] = [];
    for (const { id, prefix } of then.library.collections) {
      // The collection that has the prefix now decides; an id, which may be used again, tells only where none has.
      const same = findCollection(now.collections, prefix) ?? now.collections.find((one) => one.id === id);
      if (same !== undefined && same.visibility !== "public") held.push({ what: "collection", name: id });
    }
    for (const { key, sha256 } of then.objects) if (isGated(key) || digests.has(sha256)) held.push({ what: "object", name: key });
    for (const { source, key } of then.rejected) if (source === "store" && isGated(key)) held.push({ what: "object", name: key });
    for (const claim of then.claims.claims)
      if (says(claim) || hidesEvidence(claim, claims.get(claim.id))) held.push({ what: "claim", name: claim.id });
    for (const record of then.cubs) if (says([record, then.code.get(record.id)])) held.push({ what: "record", name: record.id });
    return held;
  };
}

/** Where a piece of evidence lies was said, and is not any more. */
function hidesEvidence(then: Claim, now: Claim | undefined): boolean {
  return then.evidence.some(
    (item) =>
      item.access === "public" &&
      now?.evidence.some(({ artifact, kind, access }) => artifact === item.artifact && kind === item.kind && access !== "public") ===
        true &&
      !now.evidence.some((one) => isDeepStrictEqual(one, item)),
  );
}

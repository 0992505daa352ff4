/** Plans what is to be written into a view's index. */
import type { ViewData } from "#snapshots/format";
import type { Extracts } from "#snapshots/page";
import type { ViewState } from "#generator/kept";
import { indexEntries, type IndexSource } from "./index-documents.ts";

export type DocumentsPlan = {
  readonly upsert: Documents;
  /** Ids. */
  readonly remove: readonly string[];
  /** Tag to build on; null to write everything into new tables. */
  readonly base: string | null;
  /** Document id → digest of what is indexed: the whole, as it is to be. */
  readonly documents: ViewState["documents"];
};

/** Made while they are walked through: of a library's documents only some are held at once. */
type Documents = Iterable<IndexSource> & {
  /** How many there are. */
  readonly size: number;
};

/** planDocuments plans what is to be written into one index.
 *  @param before what the index holds that is built on, or null to begin with nothing */
export function planDocuments(data: ViewData, extractDigest: Extracts["digest"], before: ViewState | null): DocumentsPlan {
  const documents: Record<string, string> = {};
  const stale = new Set<string>();
  let size = 0;
  for (const { doc, facts } of indexEntries(data, extractDigest)) {
    documents[doc] = facts;
    size++;
    if (before?.documents[doc] !== facts) stale.add(doc);
  }
  const upsert: Documents = {
    size: stale.size,
    *[Symbol.iterator]() {
      for (const { doc, source } of indexEntries(data, extractDigest)) if (stale.has(doc)) yield source();
    },
  };
  // Where everything is written, a table is made anew; what is served stays searchable by its tag.
  if (before === null || (size > 0 && stale.size === size)) return { upsert, remove: [], base: null, documents };
  const remove = Object.keys(before.documents).filter((doc) => !Object.hasOwn(documents, doc));
  return { upsert, remove, base: before.snapshot, documents };
}

/** InternalIndex says how the internal index is made: "own" has rows of its own, and "new" none yet; "shared" needs none, since the public one has
 *  the same. */
export type InternalIndex = "own" | "new" | "shared";

/** planInternal says what is to be written into the internal index: nothing where the public one has the same rows, all that it has not where
 *  it begins as a copy of that.
 *  @param shown as the public index is to be
 *  @param before what the internal index holds that can be built on
 *  @param index what there is of it */
export function planInternal(
  data: ViewData,
  extractDigest: Extracts["digest"],
  shown: DocumentsPlan,
  before: ViewState | null,
  index: { readonly rows: boolean; readonly shared: boolean },
): { readonly documents: DocumentsPlan; readonly kind: InternalIndex } {
  const onTopOfPublic = planDocuments(data, extractDigest, { snapshot: "", documents: shown.documents });
  if (onTopOfPublic.upsert.size === 0 && onTopOfPublic.remove.length === 0)
    return { documents: { ...onTopOfPublic, documents: shown.documents, base: before?.snapshot ?? "" }, kind: "shared" };
  if (!index.rows) return { documents: onTopOfPublic, kind: "new" };
  return { documents: planDocuments(data, extractDigest, index.shared ? null : before), kind: "own" };
}

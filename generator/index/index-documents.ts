/** What of a view is searchable: objects, claims and records as documents of the index. */
import { canonicalJson, type Sha256, sha256 } from "../../snapshots/digest.ts";
import { type Document, documentId } from "../../snapshots/index/row.ts";
import type { Passage } from "../../snapshots/schema/extract.ts";
import { oncePer } from "../../snapshots/format/relations.ts";
import { findCollection, type ViewData } from "../../snapshots/format/view-data.ts";

/** A document whose passages may still lie in the shelf, in the extract with this digest. */
export type IndexSource = Document & { readonly extract: Sha256 | null };

export type IndexEntry = {
  readonly source: IndexSource;
  /** Changes whenever the document does. */
  readonly facts: string;
};

export function* indexEntries(data: ViewData, extractDigest: (key: string) => string): Generator<IndexEntry> {
  for (const { key, kind, title, sha256: digest } of data.objects) {
    const extract = extractDigest(key);
    const collection = findCollection(data.library.collections, key)?.id ?? "";
    yield {
      source: { doc: documentId("object", key), key, kind, collection, title, sha256: digest, passages: [], extract },
      facts: `${digest.slice(0, 16)}${extract.slice(0, 16)}${collection}`,
    };
  }
  for (const claim of data.claims.claims) {
    yield plainEntry("claim", claim.id, claim.title, digestOfItem(claim), [claim.statement, claim.scope, ...claim.gaps].join("\n"), null);
  }
  for (const record of data.cubs) {
    const title = `${record.id} ${record.theorem_name}`;
    yield plainEntry(
      "record",
      record.id,
      title,
      digestOfItem(record),
      [record.statement, record.module, record.crate, record.note].filter(Boolean).join("\n"),
      record.theorem_name,
    );
  }
}

/** Of a claim or a record; both views have the same ones. */
export const digestOfItem = oncePer((item: object) => ({ sha256: sha256(canonicalJson(item)) }));

function plainEntry(
  kind: "claim" | "record",
  id: string,
  title: string,
  { sha256: digest }: { readonly sha256: Sha256 },
  text: string,
  name: string | null,
): IndexEntry {
  const lines = text.split("\n").length;
  const passage: Passage = { heading: [], name, page: null, start_line: 1, end_line: lines, text };
  const source: IndexSource = {
    doc: documentId(kind, id),
    key: id,
    kind,
    collection: "",
    title,
    sha256: digest,
    passages: [passage],
    extract: null,
  };
  return { source, facts: digest };
}

/** What of a view is searchable: objects, claims and records as documents of the index. */
import { canonicalJson, sha256 } from "../snapshots/digest.ts";
import { type Document, documentId } from "../snapshots/index/row.ts";
import type { Extract, Passage } from "../snapshots/schema/extract.ts";
import { findCollection, type ViewData } from "../snapshots/view-data.ts";

export type IndexEntry = { readonly doc: string; /** Changes whenever the document does. */ readonly facts: string; document(): Promise<Document> };

export function* indexEntries(
  data: ViewData,
  extractDigest: (key: string) => string,
  extract: (key: string) => Promise<Extract>,
): Generator<IndexEntry> {
  for (const row of data.objects) {
    const doc = documentId("object", row.key);
    const collection = findCollection(data.library.collections, row.key)?.id ?? "";
    yield {
      doc,
      facts: `${row.sha256.slice(0, 16)}${extractDigest(row.key).slice(0, 16)}${collection}`,
      async document() {
        const { passages } = await extract(row.key);
        return { doc, key: row.key, kind: row.kind, collection, title: row.title, sha256: row.sha256, passages };
      },
    };
  }
  for (const claim of data.claims.claims) {
    yield plainEntry("claim", claim.id, claim.title, claim, [claim.statement, claim.scope, ...claim.gaps].join("\n"), null);
  }
  for (const record of data.cubs) {
    const title = `${record.id} ${record.theorem_name}`;
    yield plainEntry("record", record.id, title, record, [record.statement, record.module, record.crate, record.note].filter(Boolean).join("\n"), record.theorem_name);
  }
}

function plainEntry(kind: "claim" | "record", id: string, title: string, value: unknown, text: string, name: string | null): IndexEntry {
  const doc = documentId(kind, id);
  const digest = sha256(canonicalJson(value));
  const lines = text.split("\n").length;
  const passage: Passage = { heading: [], name, page: null, start_line: 1, end_line: lines, text };
  return { doc, facts: digest, document: async () => ({ doc, key: id, kind, collection: "", title, sha256: digest, passages: [passage] }) };
}

/** Lists what can be searched in a view: objects, claims and records as documents of the index. */
import type { Sha256 } from "#snapshots/digest";
import { type Document, documentId } from "#snapshots/index";
import type { Claim, CubRecord, Passage } from "#snapshots/schema";
import { readBlob, type Shelf } from "#snapshots/shelf";
import { parseExtract } from "#generator/extract";
import { digestOfItem } from "./item-digest.ts";
import { findCollection, type ViewData, withNote } from "#snapshots/format";

/** An IndexSource is a document whose passages may still lie in the shelf, in the extract with this digest. */
export type IndexSource = Document & { readonly extract: Sha256 | null };

export type IndexEntry = {
  /** Its id. */
  readonly doc: string;
  /** Changes whenever the document does. */
  readonly facts: string;
  source(): IndexSource;
};

export function* indexEntries(data: ViewData, extractDigest: (key: string) => string): Generator<IndexEntry> {
  for (const { key, kind, title, sha256: digest } of data.objects) {
    const extract = extractDigest(key);
    const collection = findCollection(data.library.collections, key)?.id ?? "";
    const doc = documentId("object", key);
    yield {
      doc,
      source: () => ({ doc, key, kind, collection, title, sha256: digest, passages: [], extract }),
      facts: `${digest.slice(0, 16)}${extract.slice(0, 16)}${collection}`,
    };
  }
  for (const claim of data.claims.claims) {
    yield plainEntry("claim", claim, () => ({
      title: claim.title,
      text: [claim.statement, claim.scope, ...claim.gaps].join("\n"),
      name: null,
    }));
  }
  for (const record of data.cubs) {
    yield plainEntry("record", record, () => ({
      title: `${record.id} ${record.theorem_name}`,
      text: withNote([record.statement, record.module, record.crate].filter(Boolean).join("\n"), record.note),
      name: record.theorem_name,
    }));
  }
}

function plainEntry(
  kind: "claim" | "record",
  item: Claim | CubRecord,
  say: () => { readonly title: string; readonly text: string; readonly name: string | null },
): IndexEntry {
  const { id } = item;
  const doc = documentId(kind, id);
  const { sha256: digest } = digestOfItem(item);
  const source = (): IndexSource => {
    const { title, text, name } = say();
    const passage: Passage = { heading: [], name, page: null, start_line: 1, end_line: text.split("\n").length, text };
    return { doc, key: id, kind, collection: "", title, sha256: digest, passages: [passage], extract: null };
  };
  return { doc, facts: digest, source };
}

/** readDocuments makes documents out of what a plan says of them: their texts lie in the shelf. */
export async function* readDocuments(shelf: Shelf, sources: AsyncIterable<IndexSource> | Iterable<IndexSource>): AsyncGenerator<Document> {
  for await (const { extract, passages, ...rest } of sources) {
    yield { ...rest, ...(extract === null ? { passages } : await readText(shelf, extract)) };
  }
}

async function readText(shelf: Shelf, digest: string): Promise<Pick<Document, "passages" | "language" | "lang">> {
  const { passages, language, about } = parseExtract(await readBlob(shelf, digest));
  return { passages, language, ...(about?.lang === undefined ? {} : { lang: about.lang }) };
}

/** Documents of the index out of what a plan says of them: their texts lie in the shelf. */
import type { Document } from "#snapshots/index";
import { readBlob, type Shelf } from "#snapshots/shelf";
import { parseExtract } from "#generator/extract";
import type { IndexSource } from "./index-documents.ts";

export async function* readDocuments(shelf: Shelf, sources: AsyncIterable<IndexSource> | Iterable<IndexSource>): AsyncGenerator<Document> {
  for await (const { extract, passages, ...rest } of sources) {
    yield { ...rest, ...(extract === null ? { passages } : await readText(shelf, extract)) };
  }
}

async function readText(shelf: Shelf, digest: string): Promise<Pick<Document, "passages" | "language" | "lang">> {
  const { passages, language, about } = parseExtract(await readBlob(shelf, digest));
  return { passages, language, ...(about?.lang === undefined ? {} : { lang: about.lang }) };
}

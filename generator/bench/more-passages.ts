/** An index that holds its passages again and again, some of their words fresh each time: a search among more passages than anybody would build
 *  for a measurement. The first copy stays what it was. */
import { stringsOf } from "../../snapshots/index/columns.ts";
import { connectEngine } from "../../snapshots/index/engine.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { type Document, documentId, type IndexRow } from "../../snapshots/index/row.ts";
import { storedFieldsAt } from "../../snapshots/index/stored-fields.ts";
import { openAt, PASSAGES } from "../../snapshots/index/tables.ts";
import type { Table } from "@lancedb/lancedb";

const FRESH = 8; // one of so many different words is another one in each copy

/** growIndex adds passages to an index.
 *  @param uri of the index, which nobody reads meanwhile
 *  @param passages at least as many
 *  @returns how many there are then */
export async function growIndex(uri: string, tag: string, passages: number): Promise<number> {
  const engine = await connectEngine(uri);
  const table = await openAt(engine.connection, PASSAGES, tag);
  if (table === null) throw new Error(`There is no index for snapshot ${tag}.`);
  const copies = Math.ceil(passages / (await table.countRows()));
  const index = await openIndex(uri);
  try {
    return (await index.update({ base: null, tag, remove: [], upsert: repeat(table, copies) })).rows;
  } finally {
    index.close();
    table.close();
    engine.connection.close();
  }
}

async function* repeat(table: Table, copies: number): AsyncGenerator<Document> {
  for (let copy = 0; copy < copies; copy++) {
    let rows: IndexRow[] = [];
    // The rows of a document follow one another.
    for await (const batch of table.query().select(["shown"])) {
      const shown = stringsOf(batch, "shown");
      for (let at = 0; at < batch.numRows; at++) {
        const row = storedFieldsAt(shown, at);
        if (rows[0] !== undefined && rows[0].doc !== row.doc) {
          yield toDocument(rows, copy);
          rows = [];
        }
        rows.push(row);
      }
    }
    if (rows.length > 0) yield toDocument(rows, copy);
  }
}

function toDocument(rows: readonly IndexRow[], copy: number): Document {
  const [first] = rows;
  if (first === undefined) throw new Error("A document has at least one row.");
  const { kind, collection, title, sha256 } = first;
  const key = copy === 0 ? first.key : `${copy}/${first.key}`;
  return {
    doc: documentId(kind === "record" || kind === "claim" ? kind : "object", key),
    key,
    kind,
    collection,
    title: freshen(title, copy),
    sha256: `${copy}${sha256.slice(String(copy).length)}`,
    passages: rows.map(({ heading, name, text, page, start_line, end_line }) => ({
      heading: heading === "" ? [] : heading.split(" › "),
      name: name === "" ? null : name,
      text: freshen(text, copy),
      page,
      start_line,
      end_line,
    })),
  };
}

function freshen(text: string, copy: number): string {
  if (copy === 0) return text;
  const letters = String.fromCharCode(...[...String(copy)].map((digit) => "a".charCodeAt(0) + Number(digit)));
  return text.replaceAll(/\p{L}{3,}/gu, (word) => (sumOf(word) % FRESH === 0 ? `${word}q${letters}` : word));
}

function sumOf(word: string): number {
  let sum = 0;
  for (let at = 0; at < word.length; at++) sum = (sum * 31 + word.charCodeAt(at)) % 65_521;
  return sum;
}

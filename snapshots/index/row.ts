/** What the index holds: documents as the generator gives them, and the rows that they become, one per passage. */
import { sha256 } from "../digest.ts";
import type { ObjectKind, Passage } from "../schema/extract.ts";
import { words } from "./words.ts";

export type IndexKind = ObjectKind | "claim" | "record";

/** Everything searchable of one object, record or claim. */
export type Document = {
  /** "object:<key>", "record:<id>" or "claim:<id>": see `documentId`. */
  readonly doc: string;
  /** The object's key, or the id of the record or claim. */
  readonly key: string;
  readonly kind: IndexKind;
  /** Id of the collection; "" for records and claims. */
  readonly collection: string;
  readonly title: string;
  /** Of the object's bytes; for records and claims of their canonical JSON. */
  readonly sha256: string;
  /** In the order of the text. A document without passages is found by its title and key. */
  readonly passages: readonly Passage[];
};

/** One passage as it comes back from a search. */
export type IndexRow = Omit<Document, "passages"> & {
  /** Number of the passage in the document, from 0. */
  readonly n: number;
  /** Heading path, outermost first, joined by " › "; "" at top level. */
  readonly heading: string;
  /** Declared name for code, else "". */
  readonly name: string;
  readonly text: string;
  /** 1-based, or null. */
  readonly page: number | null;
  /** 1-based, inclusive; both 0 when the document has no passage. */
  readonly start_line: number;
  readonly end_line: number;
};

/** A row as it is stored: with its analysed words, how many are its text's, and a digest of what a model of meaning reads. */
export type StoredRow = IndexRow & { readonly terms: string; readonly length: number; readonly print: string };

/** The searchable fields, in their order inside `terms`: one line each, words separated by one space. A last line holds the marks. */
export const FIELDS = ["title", "heading", "name", "path", "text"] as const;
export type Field = (typeof FIELDS)[number];

/** Part of the tables' names: it changes with anything that makes stored rows unreadable or scores different. */
export const INDEX_FORMAT = "3";

const PRINT_LENGTH = 32; // hex digits; whoever finds two passages with one print wins a shared vector

export function documentId(kind: "object" | "record" | "claim", id: string): string {
  return `${kind}:${id}`;
}

/** A word no text can contain, that stands for one exact whole value: a key, an id, a declared name, a title.
 *  Case and spaces at the ends and in rows do not count. */
export function exactMark(value: string): string {
  return `=${sha256(normalizeExact(value)).slice(0, 16)}`;
}

export function normalizeExact(value: string): string {
  return value.normalize("NFC").replaceAll(/\s+/g, " ").trim().toLowerCase();
}

const NO_PASSAGE: Passage = { heading: [], name: null, page: null, start_line: 0, end_line: 0, text: "" };

/** A row to be stored, with the words that are its `terms`: one list per field, then the marks. */
export type AnalysedRow = { readonly row: StoredRow; readonly words: readonly (readonly string[])[] };

/** The rows of a document: at least one. */
export function rowsOf(document: Document): AnalysedRow[] {
  const title = words(document.title);
  const path = words(document.key);
  const passages = document.passages.length === 0 ? [NO_PASSAGE] : document.passages;
  return passages.map((passage, n) => {
    const text = words(passage.text);
    const marks = new Set<string>();
    if (n === 0) marks.add(exactMark(document.key)).add(exactMark(document.title));
    if (passage.name !== null) marks.add(exactMark(passage.name));
    const heading = passage.heading.join(" › ");
    const lists = [title, words(heading), words(passage.name ?? ""), path, text, [...marks]];
    const row: StoredRow = {
      doc: document.doc,
      n,
      key: document.key,
      kind: document.kind,
      collection: document.collection,
      title: document.title,
      heading,
      name: passage.name ?? "",
      text: passage.text,
      page: passage.page,
      start_line: passage.start_line,
      end_line: passage.end_line,
      sha256: document.sha256,
      terms: lists.map((list) => list.join(" ")).join("\n"),
      length: text.length,
      print: sha256([document.title, heading, passage.name ?? "", passage.text].join("\n")).slice(0, PRINT_LENGTH),
    };
    return { row, words: lists };
  });
}

/** The words of a stored row, as AnalysedRow has them. */
export function storedWords(terms: string): readonly (readonly string[])[] {
  return terms.split("\n").map((line) => (line === "" ? [] : line.split(" ")));
}

/** Rows of the index: documents as the generator gives them, and the rows that they become, one per passage. */
import { sha256 } from "#snapshots/digest";
import type { Kind, Passage } from "#snapshots/schema";
import { firstParagraph } from "./first-paragraph.ts";
import { ENGLISH, isStemmed, languageMark, qualifiedSuffixes, words } from "#snapshots/words";

/** A Document is everything searchable of one object, record or claim. */
export type Document = {
  /** "object:<key>", "record:<id>" or "claim:<id>": see `documentId`. */
  readonly doc: string;
  /** The object's key, or the id of the record or claim. */
  readonly key: string;
  readonly kind: Kind;
  /** Id of the collection; "" for records and claims. */
  readonly collection: string;
  readonly title: string;
  /** Language of its code, where that is known. */
  readonly language?: string | null;
  /** Language of its prose: the first part of a language's tag; absent for English. */
  readonly lang?: string;
  /** Digest of the object's bytes; for records and claims that of their canonical JSON. */
  readonly sha256: string;
  /** In the order of the text. A document without passages is found by its title and key. */
  readonly passages: readonly Passage[];
};

/** An IndexRow is one passage as it comes back from a search. */
export type IndexRow = Omit<Document, "passages" | "language" | "lang"> & {
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

/** A StoredRow is a row as it is stored. */
export type StoredRow = Pick<IndexRow, "doc" | "n"> & {
  /** One column: see shown.ts. */
  readonly shown: IndexRow;
  /** Its words and marks, a line for each field, separated by one space; see `rowsOf`. The engine ranks by them. */
  readonly terms: string;
  /** The words of the whole document, on the first row of one with several passages; else "". Never null: the engine stores a page that holds
   *  one value and nulls as a constant, and unpacks it once for each row. */
  readonly whole: string;
  /** 1 where a notion is defined that other declarations are about, else 0. */
  readonly defines: 0 | 1;
  /** Digest of what a model of meaning reads. */
  readonly print: string;
};

/** INDEX_FORMAT is a part of the tables' names: it changes with anything that makes stored rows unreadable or scores different. */
export const INDEX_FORMAT = "8";

const PRINT_LENGTH = 32; // hex digits; whoever finds two passages with one print wins a shared vector

export function documentId(kind: "object" | "record" | "claim", id: string): string {
  return `${kind}:${id}`;
}

/** exactMark returns a word that no text can contain. It stands for one exact whole value: a key, an id, a declared name, a title. Case and spaces
 *  at the ends and in rows do not count. */
export function exactMark(value: string): string {
  return `=${sha256(normalizeExact(value)).slice(0, 16)}`;
}

export function normalizeExact(value: string): string {
  return value.normalize("NFC").replaceAll(/\s+/g, " ").trim().toLowerCase();
}

/** nameMark returns such a word for a name, however its words are joined and whatever qualifies it: `SimpleGraph` and "simple graph" have one
 *  mark. */
export function nameMark(name: string): string {
  return `~${name
    .normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase()}`;
}

const NO_PASSAGE: Passage = { heading: [], name: null, page: null, start_line: 0, end_line: 0, text: "" };
const MAX_WHOLE = 50_000; // words of a document that are searched as one
const MAX_MARK = 100; // characters; a longer name is none that anybody types

/** How often a title and a declared name stand among the words of a passage: the engine counts words, so that this is their weight. */
const TITLE_WEIGHT = 2;
const NAME_WEIGHT = 2;

/** A type or a definition, in languages that also have statements about them; alone or behind its comment. */
const DEFINITION =
  /^[ \t]*(?:@\[[^\]\n]*\]\s*)?(?:(?:private|protected|noncomputable|unsafe|partial|public|scoped|export|pub(?:\([a-z]+\))?|abstract|static|final)\s+)*(?:class|structure|inductive|coinductive|def|abbrev|Definition|Inductive|Record|Class|Structure|struct|enum|trait|interface)\s+[\p{L}_][^\s:({[<]*(?:\s+[:({[<⦃|]|\s+where\b|\s+extends\b|\s*$)/mu;

/** rowsOf makes the rows of a document: at least one. The rules of its language have to be loaded. */
export function rowsOf(document: Document): StoredRow[] {
  const languages = document.lang === undefined ? ENGLISH : [document.lang];
  const wordsIn = (text: string): string[] => words(text, languages);
  const title = wordsIn(document.title);
  const language = words(document.language ?? "");
  const passages = document.passages.length === 0 ? [NO_PASSAGE] : document.passages;
  // A first passage may be nothing but the title.
  const opening = passages
    .slice(0, 2)
    .map(({ text }) => text)
    .join("\n\n");
  const said: string[] = [];
  const rows = passages.map((passage, n): StoredRow => {
    const own = wordsIn(passage.text);
    if (said.length < MAX_WHOLE) said.push(...own.slice(0, MAX_WHOLE - said.length));
    const name = passage.name ?? "";
    const heading = passage.heading.join(" › ");
    const inner = passage.heading.filter((part) => part !== document.title);
    const fields = [
      repeat(title, TITLE_WEIGHT),
      wordsIn(inner.join(" › ")),
      repeat(wordsIn(name), NAME_WEIGHT),
      // The language in every passage: who names one means all of its code, and elsewhere the name says nothing.
      [...language, ...(n === 0 ? wordsIn(document.key) : [])],
      wordsIn(firstParagraph(n === 0 ? opening : passage.text, document.kind === "code", n === 0)),
      own,
      marksOf(document, passage, n, document.kind !== "code" && passages[n - 1]?.heading.join(" › ") !== heading),
    ];
    const shown = {
      doc: document.doc,
      n,
      key: document.key,
      kind: document.kind,
      collection: document.collection,
      title: document.title,
      heading,
      name,
      text: passage.text,
      page: passage.page,
      start_line: passage.start_line,
      end_line: passage.end_line,
      sha256: document.sha256,
    };
    return {
      doc: document.doc,
      n,
      shown,
      terms: fields.map((list) => list.join(" ")).join("\n"),
      whole: "",
      defines: DEFINITION.test(passage.text) ? 1 : 0,
      print: sha256([document.title, heading, name, passage.text].join("\n")).slice(0, PRINT_LENGTH),
    };
  });
  const whole = passages.length === 1 ? "" : joinSorted([...repeat(title, TITLE_WEIGHT), ...language, ...said]);
  return rows.map((row, n) => (n === 0 ? { ...row, whole } : row));
}

/** In any order words count the same; sorted they take less room. Each is sorted once, however often it stands there. */
function joinSorted(list: readonly string[]): string {
  const times = new Map<string, number>();
  for (const word of list) times.set(word, (times.get(word) ?? 0) + 1);
  return [...times.keys()]
    .sort()
    .map((word) => ` ${word}`.repeat(times.get(word) ?? 0))
    .join("")
    .slice(1);
}

function repeat<T>(list: readonly T[], times: number): T[] {
  return Array.from({ length: times }, () => list).flat();
}

/** @param opensHeading whether the passage is the first below its heading, and that is no scope of code */
function marksOf({ key, title, lang }: Document, { name, heading }: Passage, n: number, opensHeading: boolean): string[] {
  const marks = new Set<string>();
  const add = (value: string): void => {
    for (const part of qualifiedSuffixes(value)) if (part.length <= MAX_MARK) marks.add(nameMark(part));
  };
  if (n === 0) {
    marks.add(exactMark(key)).add(exactMark(title));
    if (isStemmed(lang)) marks.add(languageMark(lang));
    add(title);
    add((key.split("/").at(-1) ?? "").replace(/\.\w+$/, ""));
  }
  if (name !== null) {
    marks.add(exactMark(name));
    add(name);
  }
  if (opensHeading) add(heading.at(-1) ?? "");
  marks.delete("~");
  return [...marks];
}

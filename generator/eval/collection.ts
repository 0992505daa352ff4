/** A judged collection: documents, queries, and which documents answer which query.
 *
 *  A folder with `corpus.jsonl` (one {id, title, text} a line) and `queries.jsonl` or another queries file (one {id, text,
 *  relevant: {document id: grade}} a line). A grade above 0 is relevant. Beside them there may be declarations: `files/`, and
 *  `names.jsonl` (one {name, path, line} a line).
 *
 *  Questions for answers are lines of the same form; one without relevant documents has no answer here, and `evidence` may say
 *  which sentences of a document bear an answer: {document id: [sentence]}. */
import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { ShelfError } from "../../snapshots/errors.ts";

const CORPUS = "corpus.jsonl";
const NAMES = "names.jsonl";

const Id = z.union([z.string().min(1), z.number().transform(String)]);
const documentLine = z.object({ id: Id, title: z.string().default(""), text: z.string() });
const queryLine = z.object({ id: Id, text: z.string().min(1), relevant: z.record(z.string(), z.number()) });
const questionLine = queryLine.extend({ evidence: z.record(z.string(), z.array(z.string())).default({}) });
const nameLine = z.object({ name: z.string().min(1), path: z.string().min(1), line: z.int().min(1) });

const passageLine = z.object({
  id: Id,
  kind: z.enum(["answer", "near", "far", "frame"]),
  question: z.string().min(1),
  answers: z.array(z.object({ file: z.string(), must: z.string() })),
});

export type PassageQuestion = z.infer<typeof passageLine>;
export type CollectionDocument = z.infer<typeof documentLine>;
type JudgedQuery = { readonly id: string; readonly text: string; readonly relevant: ReadonlyMap<string, number> };
export type Collection = {
  readonly name: string;
  readonly documents: readonly CollectionDocument[];
  readonly queries: readonly JudgedQuery[];
};
/** Declarations are qualified names, and the line of a file below `folder` that declares each. A name may be declared in several places. */
export type Declarations = {
  readonly folder: string;
  readonly names: ReadonlyMap<string, readonly { readonly path: string; readonly line: number }[]>;
};

/** readCollection reads a collection.
 *  @param queries path of the queries file; null takes `queries.jsonl`, else the only `queries*.jsonl` of the folder
 *  @throws ShelfError "bad_source" with the file and line that is wrong */
export async function readCollection(folder: string, queries: string | null): Promise<Collection> {
  const documents = await readLines(join(folder, CORPUS), documentLine);
  const lines = await readLines(queries ?? (await findQueries(folder)), queryLine);
  return {
    name: basename(resolve(folder)),
    documents,
    queries: lines
      .map(({ id, text, relevant }) => ({ id, text, relevant: new Map(Object.entries(relevant).filter(([, grade]) => grade > 0)) }))
      .filter(({ relevant }) => relevant.size > 0),
  };
}

/** readQuestions reads the questions of a collection: right is what a relevant document says, or, where they are known, the sentences of it that
 *  bear an answer.
 *  @param keyOf the object that a document is
 *  @throws ShelfError "bad_source" with the file and line that is wrong */
export async function readQuestions(path: string, keyOf: (id: string) => string): Promise<readonly PassageQuestion[]> {
  return (await readLines(path, questionLine)).map(({ id, text, relevant, evidence }) => {
    const documents = Object.keys(relevant).filter((document) => (relevant[document] ?? 0) > 0);
    const answers = documents.flatMap((document) =>
      (evidence[document] ?? [""]).map((said) => ({ file: keyOf(document), must: RegExp.escape(readerText(said)) })),
    );
    return { id, kind: answers.length === 0 ? "near" : "answer", question: text, answers };
  });
}

/** readerText returns a text as a reader sees it, in one line. */
export function readerText(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      return ENTITIES[name ?? ""] ?? whole;
    })
    .replaceAll(/:[a-z][\w+:-]*:(?=`)/g, "")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u201c\u201d]/g, '"')
    .replaceAll(/\s+/g, " ");
}
const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: " ",
  mdash: "\u2014",
  ndash: "\u2013",
};

/** readPassageQuestions reads questions of which each names the files that answer it and, as a pattern, what the passage that does has to hold.
 *  @returns null for a file of other lines
 *  @throws ShelfError "bad_source" with the file and line that is wrong */
export async function readPassageQuestions(path: string): Promise<readonly PassageQuestion[] | null> {
  const [first] = await readLines(path, z.looseObject({}));
  return first !== undefined && "question" in first ? readLines(path, passageLine) : null;
}

/** readDeclarations reads the declarations of a collection.
 *  @returns null when the collection has none
 *  @throws ShelfError "bad_source" with the line that is wrong */
export async function readDeclarations(folder: string): Promise<Declarations | null> {
  if (!(await namesIn(folder)).includes(NAMES)) return null;
  return { folder: join(folder, "files"), names: Map.groupBy(await readLines(join(folder, NAMES), nameLine), ({ name }) => name) };
}

/** findCollections returns the folders below a folder that are collections, in the order of their names.
 *  @throws ShelfError "bad_source" when there is none */
export async function findCollections(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await namesIn(folder)).sort())
    if ((await namesIn(join(folder, name))).includes(CORPUS)) found.push(join(folder, name));
  if (found.length === 0) throw new ShelfError("bad_source", `${folder} has no folder with a ${CORPUS}.`);
  return found;
}

async function findQueries(folder: string): Promise<string> {
  const names = (await namesIn(folder)).filter((name) => /^queries.*\.jsonl$/.test(name));
  const name = names.includes("queries.jsonl") ? "queries.jsonl" : names.length === 1 ? names[0] : undefined;
  if (name === undefined)
    throw new ShelfError(
      "bad_source",
      `${folder} has ${names.length === 0 ? "no queries file" : "several queries files"}; name one with --queries.`,
    );
  return join(folder, name);
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function readLines<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ShelfError("bad_source", `${path} cannot be read.`, { cause });
  });
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const parsed = schema.safeParse(parseJson(line));
    if (!parsed.success) throw new ShelfError("bad_source", `${path}:${at + 1}: ${z.prettifyError(parsed.error)}`);
    return [parsed.data];
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

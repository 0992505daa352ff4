/** ReadSources reads the bytes of texts that were found: the only text that is ever quoted. */
import { readLines } from "#snapshots/format";
import { type Kind, KINDS } from "#snapshots/schema";
import type { FoundText } from "./found-texts.ts";

const MAX_OBJECT_BYTES = 8 * 1024 * 1024; // of an object that is read to be quoted
const MAX_WHOLE = 96 * 1024; // bytes of an object that is read for more than the passages that were found
const LINES_AROUND = 100; // of each passage of a longer one: what stands there tells what is a sentence in it

export type Objects = {
  /** Bytes whose digest has been checked, or null when the object is not there or larger than `limit`. */
  readonly readObject: (key: string, limit: number) => Promise<{ readonly sha256: string; readonly bytes: Uint8Array } | null>;
  /** The text of a page of a PDF, as it was read out of it, with the digest of the PDF; null when there is none. */
  readonly readPage: (key: string, page: number) => Promise<{ readonly sha256: string; readonly bytes: Uint8Array } | null>;
};

/** A AnswerSource holds lines of an object, or of a page of it, and what was found there. */
export type AnswerSource = {
  readonly found: FoundText;
  readonly key: string;
  readonly title: string;
  readonly kind: Kind;
  readonly sha256: string;
  readonly page: number | null;
  readonly source: string;
  readonly start_line: number;
  /** Headings that its beginning stands under. */
  readonly above: readonly string[];
};

/** readSources reads the sources of texts. It leaves out objects whose lines cannot be quoted byte for byte; records and claims have no object. */
export async function readSources(texts: readonly FoundText[], objects: Objects): Promise<readonly AnswerSource[]> {
  const all = await Promise.all(
    texts.flatMap((found) =>
      [...Map.groupBy(found.passages, ({ row }) => row.page)].map(([, passages]) => readSource({ ...found, passages }, objects)),
    ),
  );
  return all.flat();
}

async function readSource(found: FoundText, objects: Objects): Promise<readonly AnswerSource[]> {
  const row = found.passages[0]?.row;
  if (row === undefined || KINDS[row.kind].prose === null || row.start_line < 1) return [];
  const reading = row.page === null ? objects.readObject(row.key, MAX_OBJECT_BYTES) : objects.readPage(row.key, row.page);
  const object = await reading.catch(() => null);
  if (object === null || object.sha256 !== row.sha256) return [];
  const { key, title, kind, sha256, page } = row;
  const last = countLines(object.bytes);
  const parts = object.bytes.length <= MAX_WHOLE ? [{ from: 1, to: last, passages: found.passages }] : partsAround(found.passages, last);
  return parts.flatMap(({ from, to, passages }) => {
    const source = readLines(object.bytes, from, to);
    if (source === null) return [];
    // The lines between the beginning and the first passage may belong to the section before.
    const above = from === 1 ? [] : (passages[0]?.row.heading ?? "").split(" \u203a ").filter((title) => title !== "");
    return { found, key, title, kind, sha256, page, source, start_line: from, above };
  });
}

/** Lines around each passage that was found; those that touch become one part, so that nothing is read twice. */
function partsAround(passages: FoundText["passages"], last: number) {
  const parts: { from: number; to: number; passages: FoundText["passages"] }[] = [];
  for (const passage of passages.toSorted((a, b) => a.row.start_line - b.row.start_line)) {
    const { start_line, end_line } = passage.row;
    const [from, to] = [Math.max(1, start_line - LINES_AROUND), Math.min(last, end_line + LINES_AROUND)];
    const before = parts.at(-1);
    if (before !== undefined && from <= before.to + 1) {
      before.to = Math.max(before.to, to);
      before.passages = [...before.passages, passage];
    } else parts.push({ from, to, passages: [passage] });
  }
  return parts;
}

function countLines(bytes: Uint8Array): number {
  let lines = 1;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}

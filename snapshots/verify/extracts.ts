/** What is read out of each object: that it fits the object, and that its images are there. */
import { pageImageFile } from "../format/layout.ts";
import type { BlobEntry } from "../format/tree.ts";
import type { ObjectRow } from "../format/view-data.ts";
import { Extract } from "../schema/extract.ts";
import { hasExactLines } from "../schema/kinds.ts";
import { MAX_PASSAGE } from "../schema/max-passage.ts";
import type { Snapshot } from "../shelf/read.ts";
import type { Check, CheckedView } from "./check.ts";
import { extrasIn, findShapeProblem, openTell, type Tell } from "./view-files.ts";

/** Objects above this are not compared line by line, bytes: the extractor does not read them either. */
const MAX_COMPARED = 64 * 1024 * 1024;

export const extractsCheck: Check = {
  name: "extracts",
  needs: "data",
  run: (audit, view) => checkExtracts(openTell(audit, view.snapshot), view),
};

async function checkExtracts(tell: Tell, { snapshot, data, files }: CheckedView): Promise<void> {
  const expected = new Set<string>();
  const images = new Set<string>();
  for (const row of data.objects) {
    const path = `extracts/${row.key}`;
    expected.add(path);
    const entry = files.get(path);
    const object = files.get(`objects/${row.key}`);
    if (entry === undefined) tell("extract_missing", path, "Every object has one.");
    if (entry === undefined || object === undefined) continue;
    const extract = await readExtract(snapshot, entry);
    const problem = typeof extract === "string" ? extract : await findExtractProblem(snapshot, extract, row, object);
    if (problem !== null) tell("extract_mismatch", path, problem);
    if (typeof extract === "string") continue;
    for (const { page, sha256: digest, size } of extract.images ?? []) {
      const file = pageImageFile(row.key, page);
      images.add(file);
      const image = files.get(file);
      if (image === undefined) tell("extract_missing", file, "The extract of the object names this image.");
      else if (image.sha256 !== digest || image.size !== size)
        tell("extract_mismatch", file, "The extract of the object names another image.");
    }
  }
  for (const path of extrasIn(files, "images/", images)) tell("extract_mismatch", path, "No extract names this image.");
  for (const path of extrasIn(files, "extracts/", expected)) tell("extract_missing", path, "There is no such object.");
}

/** What is wrong with its shape, in place of one that has another. */
async function readExtract(snapshot: Snapshot, entry: BlobEntry): Promise<Extract | string> {
  const shape = await findShapeProblem(snapshot, entry, Extract);
  return shape ?? (JSON.parse(new TextDecoder().decode(await snapshot.read(entry))) as Extract);
}

async function findExtractProblem(snapshot: Snapshot, extract: Extract, row: ObjectRow, object: BlobEntry): Promise<string | null> {
  if (
    extract.title !== row.title ||
    extract.summary !== row.summary ||
    extract.kind !== row.kind ||
    extract.media_type !== row.media_type
  ) {
    return "The catalog gives another title, summary, kind or media type.";
  }
  if (!hasExactLines(extract.kind) || extract.passages.length === 0 || object.size > MAX_COMPARED) return null;
  const lines = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await snapshot.read(object)).split("\n");
  // A line that is longer than any passage may be is cut into several.
  const holds = (from: number, to: number, text: string): boolean =>
    lines.slice(from - 1, to).join("\n") === text ||
    (from === to && (lines[from - 1]?.length ?? 0) > MAX_PASSAGE && lines[from - 1]?.includes(text) === true);
  const torn = extract.passages.findIndex(({ start_line: from, end_line: to, text }) => !holds(from, to, text));
  return torn < 0
    ? null
    : `Passage ${torn} is not lines ${extract.passages[torn]?.start_line} to ${extract.passages[torn]?.end_line} of the object.`;
}

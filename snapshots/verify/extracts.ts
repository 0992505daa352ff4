/** The check of extracts: that each fits its object, and that its images are there. */
import { type BlobEntry, type ObjectRow, pageImageFile } from "#snapshots/format";
import { Extract, hasExactLines, MAX_PASSAGE } from "#snapshots/schema";
import type { Snapshot } from "#snapshots/shelf";
import type { Audit, Check, CheckedView } from "./check.ts";
import { extrasIn, openTell, readShaped, type TellFinding } from "./view-files.ts";

/** Objects above this are not compared line by line, bytes: the extractor does not read them either. */
const MAX_COMPARED = 64 * 1024 * 1024;

export const extractsCheck: Check = {
  name: "extracts",
  needs: "data",
  run: (audit, view) => checkExtracts(openTell(audit, view.snapshot), view, audit.extracts),
};

/** @param good of both views: what is found good is not read again for the other one */
async function checkExtracts(tell: TellFinding, { snapshot, data, files }: CheckedView, good: Audit["extracts"]): Promise<void> {
  const expected = new Set<string>();
  const images = new Set<string>();
  for (const row of data.objects) {
    const path = `extracts/${row.key}`;
    expected.add(path);
    const entry = files.get(path);
    const object = files.get(`objects/${row.key}`);
    if (entry === undefined) tell("extract_missing", path, "Every object has one.");
    if (entry === undefined || object === undefined) continue;
    const name = JSON.stringify([entry.sha256, object.sha256, row.title, row.summary, row.kind, row.media_type]);
    let named = good.get(name);
    if (named === undefined) {
      const read = await readShaped(snapshot, entry, Extract);
      const problem = read.problem ?? (await findExtractProblem(snapshot, read.value, row, object));
      if (problem !== null) tell("extract_mismatch", path, problem);
      if (read.problem !== null) continue;
      named = read.value.images ?? [];
      if (problem === null) good.set(name, named);
    }
    for (const { page, sha256: digest, size } of named) {
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

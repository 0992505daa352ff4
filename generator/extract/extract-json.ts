/** An extract as it lies in the shelf: only bytes travel between processes. */
import { canonicalJson } from "../../snapshots/digest.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";

export type Extracted = Pick<Extract, "title" | "summary" | "kind" | "media_type" | "notes"> & {
  readonly json: Uint8Array;
  /** What in it looks like a secret: for the operator, so in no extract. */
  readonly secrets: readonly string[];
};

export function toExtracted(extract: Extract, secrets: readonly string[] = []): Extracted {
  const { title, summary, kind, media_type, notes } = extract;
  return { title, summary, kind, media_type, notes, secrets, json: Buffer.from(canonicalJson(extract)) };
}

/** @param json as toExtracted made it: of our own shelf, and checked by its digest */
export function parseExtract(json: Uint8Array): Extract {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("utf8")) as Extract;
}

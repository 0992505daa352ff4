/** An extract as it lies in the shelf: only bytes travel between processes. */
import { canonicalJson } from "#snapshots/digest";
import { linkTargets, MAX_LINKS } from "#snapshots/format";
import type { Extract } from "#snapshots/schema";
import type { Asking } from "./extract.ts";
import type { Asked } from "./others.ts";
import type { DrawnPage } from "./pdf-images.ts";

export type Extracted = Pick<Extract, "title" | "summary" | "kind" | "media_type" | "notes" | "about"> & {
  readonly json: Uint8Array;
  /** The images that the extract names, ascending. */
  readonly images: readonly DrawnPage[];
  /** Keys and prefixes that its links lead to, at most MAX_LINKS. */
  readonly links: readonly string[];
  /** Finds that look like secrets. They are for the operator, so no extract holds them. */
  readonly secrets: readonly string[];
  /** Needs and offers of its text; absent where it has none. */
  readonly asked?: Asked;
  /** Bytes of all that its page shows, where that is more than its own. */
  readonly whole?: number;
};

export function toExtracted(key: string, { extract, asked, whole, drawn }: Asking, secrets: readonly string[] = []): Extracted {
  const { title, summary, kind, media_type, notes, html, about } = extract;
  const links = html === null ? [] : linkTargets(html, key).slice(0, MAX_LINKS);
  return {
    title,
    summary,
    kind,
    media_type,
    ...(about === undefined ? {} : { about }),
    notes,
    links,
    secrets,
    images: drawn ?? [],
    ...(asked === null ? {} : { asked }),
    ...(whole === undefined ? {} : { whole }),
    json: Buffer.from(canonicalJson(extract)),
  };
}

/** parseExtract reads an extract back from its bytes. @param json as toExtracted made it: of our own shelf, and checked by its digest */
export function parseExtract(json: Uint8Array): Extract {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("utf8")) as Extract;
}

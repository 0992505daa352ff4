/** Bodies that are as long as the library, in pieces: texts, and between them the items of stored parts, in order. */
import { canonicalJson } from "#snapshots/digest";
import { partsPath, relationsOf, type ViewData } from "#snapshots/format";
import type { Catalog } from "#snapshots/schema";
import { catalogFrame, NO_OBJECTS } from "./catalog.ts";

export type Pieces = readonly (string | { readonly parts: string })[];

/** catalogPieces makes the body of GET /api/catalog. @param snapshot its id, which no file of its own can hold */
export function catalogPieces(data: ViewData, snapshot: string): Pieces {
  const [head = "", ...tails] = canonicalJson(frameOf(data)).split(NO_OBJECTS);
  const lists = tails.flatMap((tail, at) => withObjects(data.library.collections[at]?.id ?? "", tail));
  return [stamped(snapshot, head), ...lists];
}

/** collectionPieces makes the body of GET /api/catalog/{collection}; null for a collection that this view does not have. */
export function collectionPieces(data: ViewData, snapshot: string, id: string): Pieces | null {
  const { schema_version, source, collections } = frameOf(data);
  const collection = collections.find((candidate) => candidate.id === id);
  if (collection === undefined) return null;
  const [head = "", tail = ""] = canonicalJson({ schema_version, source, collection }).split(NO_OBJECTS);
  return [stamped(snapshot, head), ...withObjects(id, tail)];
}

const NO_RECORDS = '"cubs":[]';

/** recordsPieces makes the body of GET /api/cubs.json. */
export function recordsPieces({ cubs, meta }: ViewData): Pieces {
  const text = canonicalJson({ count: cubs.length, cubs: [], meta, returned: cubs.length });
  // The first: only a number stands before it, and metadata may have a list of the same name.
  const at = text.indexOf(NO_RECORDS);
  const [head, tail] = [text.slice(0, at), text.slice(at + NO_RECORDS.length)];
  return [`${head}"cubs":[`, { parts: partsPath.records }, `]${tail}`];
}

function frameOf(data: ViewData): Omit<Catalog, "snapshot"> {
  return catalogFrame(data.library, [...relationsOf(data).totals.values()], data.objects.length);
}

function stamped(snapshot: string, head: string): string {
  return `{"snapshot":"${snapshot}",${head.slice(1)}`;
}

function withObjects(collection: string, tail: string): Pieces {
  return ['"objects":[', { parts: partsPath.objects(collection) }, `]${tail}`];
}

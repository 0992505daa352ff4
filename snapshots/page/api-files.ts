/** The files of a snapshot that hold a view's data: functions of that data, so that verify can make them again and compare.
 *  None holds the snapshot's own id: a file cannot know the digest of the tree it lies in. Answers add it. */
import { canonicalJson } from "#snapshots/digest";
import { cutParts, groupByCollection, partName, partsPath, type ViewData } from "#snapshots/format";
import { CORE_ROWS, fillParts, openapi, type Route } from "#snapshots/routes";
import { rowsJson } from "#snapshots/query";

export type DerivedFile = { readonly path: string; readonly type: string; readonly bytes: Uint8Array };

export const JSON_TYPE = "application/json";

/** apiFiles yields every file below api/ that a view stores. Every body is canonical JSON (RFC 8785). */
export function* apiFiles(data: ViewData, routes: readonly Route[]): Generator<DerivedFile> {
  yield* objectParts(data);
  yield* otherApiFiles(data, routes);
}

export function* objectParts({ library, objects }: Pick<ViewData, "library" | "objects">): Generator<DerivedFile> {
  for (const [at, rows] of groupByCollection(library, objects).entries()) {
    yield* partFiles(
      partsPath.objects(library.collections[at]?.id ?? ""),
      rows,
      ({ key }) => key,
      (part) => rowsJson(library, part),
    );
  }
}

/** otherApiFiles yields all files but those of the objects: nothing here follows from the objects. */
export function* otherApiFiles(data: Omit<ViewData, "objects">, routes: readonly Route[]): Generator<DerivedFile> {
  const { cubs, code, library } = data;
  yield jsonFile("api/library.json", library);
  for (const [id, make] of Object.entries(STORED)) {
    const { file } = CORE_ROWS[id as StoredId];
    for (const { parts = {}, value } of make(data, routes)) yield jsonFile(fillParts(file, parts), value);
  }
  yield* partFiles(partsPath.records, cubs, ({ id }) => id, canonicalJson);
  yield* partFiles(partsPath.code, code.values(), ({ id }) => id, canonicalJson);
}

/** A row whose bytes lie below api/. */
type StoredId = {
  [Id in keyof typeof CORE_ROWS]: (typeof CORE_ROWS)[Id] extends { readonly file: `api/${string}` } ? Id : never;
}[keyof typeof CORE_ROWS];

/** A body, and what stands for the braces of the row's path. */
type Stored = { readonly parts?: Readonly<Record<string, string>>; readonly value: unknown };

/** The files that each row stores: one file, or one for each value of its path's parts. */
const STORED: Readonly<Record<StoredId, (data: Omit<ViewData, "objects">, routes: readonly Route[]) => Iterable<Stored>>> = {
  claims: ({ claims }) => [{ value: claims }],
  openapi: ({ library }, routes) => [{ value: openapi(routes, { title: library.title, baseUrl: library.base_url }) }],
  "cubs-meta": ({ meta }) => (meta === null ? [] : [{ value: meta }]),
  cub: ({ cubs }) => cubs.values().map((value) => ({ parts: { id: value.id }, value })),
  "cub-code": ({ code }) => code.values().map((value) => ({ parts: { id: value.id }, value })),
  rejected: ({ rejected, withheld, withdrawn }) => [{ value: { rejected, withheld, ...(withdrawn === undefined ? {} : { withdrawn }) } }],
};

function* partFiles<T>(
  folder: string,
  items: Iterable<T>,
  nameOf: (item: T) => string,
  format: (part: readonly T[]) => string,
): Generator<DerivedFile> {
  let number = 0;
  for (const part of cutParts(items, nameOf)) {
    yield { path: `${folder}/${partName(number++)}`, type: JSON_TYPE, bytes: new TextEncoder().encode(format(part)) };
  }
}

function jsonFile(path: string, value: unknown): DerivedFile {
  return { path, type: JSON_TYPE, bytes: new TextEncoder().encode(canonicalJson(value)) };
}

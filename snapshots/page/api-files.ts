/** The files of a snapshot that hold a view's data: functions of that data, so that verify can make them again and compare.
 *  None holds the snapshot's own id: a file cannot know the digest of the tree it lies in. Answers add it. */
import { canonicalJson } from "../digest.ts";
import { cutParts, partName, partsPath } from "../format/parts.ts";
import { groupByCollection } from "../format/relations.ts";
import { openapi } from "../routes/openapi.ts";
import type { Route } from "../routes/route.ts";
import { rowsJson } from "../query/catalog.ts";
import type { ViewData } from "../format/view-data.ts";

export type DerivedFile = { readonly path: string; readonly type: string; readonly bytes: Uint8Array };

export const JSON_TYPE = "application/json";

/** Every body is canonical JSON (RFC 8785). */
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

/** All but the objects: nothing of them follows from those. */
export function* otherApiFiles(data: Omit<ViewData, "objects">, routes: readonly Route[]): Generator<DerivedFile> {
  const { cubs, code, library } = data;
  yield* singleFiles(data);
  yield jsonFile("openapi", canonicalJson(openapi(routes, { title: library.title, baseUrl: library.base_url })));
  yield* partFiles(partsPath.records, cubs, ({ id }) => id, canonicalJson);
  yield* partFiles(partsPath.code, code.values(), ({ id }) => id, canonicalJson);
}

function* singleFiles({
  library,
  claims,
  cubs,
  meta,
  code,
  rejected,
  withheld,
  withdrawn,
}: Omit<ViewData, "objects">): Generator<DerivedFile> {
  const file = (name: string, value: unknown): DerivedFile => jsonFile(name, canonicalJson(value));
  yield file("library", library);
  yield file("claims", claims);
  yield file("rejected", { rejected, withheld, ...(withdrawn === undefined ? {} : { withdrawn }) });
  if (meta !== null) yield file("cubs/meta", meta);
  for (const record of cubs) yield file(`cubs/${record.id}`, record);
  for (const index of code.values()) yield file(`cubs/${index.id}/code`, index);
}

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

function jsonFile(name: string, json: string): DerivedFile {
  return { path: `api/${name}.json`, type: JSON_TYPE, bytes: new TextEncoder().encode(json) };
}

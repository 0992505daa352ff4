/** The files under `api/` of a snapshot: functions of a view's data, so that verify can make them again and compare.
 *  None holds the snapshot's own id: a file cannot know the digest of the tree it lies in. Answers add it. */
import { canonicalJson } from "../digest.ts";
import { openapi } from "../routes/openapi.ts";
import { catalogJson } from "../query/catalog.ts";
import type { ViewData } from "../format/view-data.ts";

export type DerivedFile = { readonly path: string; readonly type: string; readonly bytes: Uint8Array };

export const JSON_TYPE = "application/json";

/** Every body is canonical JSON (RFC 8785). */
export function* apiFiles(data: ViewData): Generator<DerivedFile> {
  yield catalogFile(data);
  yield* otherApiFiles(data);
}

export function catalogFile({ library, objects }: Pick<ViewData, "library" | "objects">): DerivedFile {
  return jsonFile("catalog", catalogJson(library, objects));
}

/** All but the catalog: nothing of them follows from objects. */
export function* otherApiFiles(data: Omit<ViewData, "objects">): Generator<DerivedFile> {
  const { library, claims, cubs, meta, code, rejected, withheld } = data;
  const file = (name: string, value: unknown): DerivedFile => jsonFile(name, canonicalJson(value));
  yield file("library", library);
  yield file("claims", claims);
  yield file("rejected", { rejected, withheld });
  yield file("openapi", openapi({ title: library.title, baseUrl: library.base_url }));
  yield file("cubs", { count: cubs.length, cubs, meta, returned: cubs.length });
  yield file("code", [...code.values()]);
  if (meta !== null) yield file("cubs/meta", meta);
  for (const record of cubs) yield file(`cubs/${record.id}`, record);
  for (const index of code.values()) yield file(`cubs/${index.id}/code`, index);
}

function jsonFile(name: string, json: string): DerivedFile {
  return { path: `api/${name}.json`, type: JSON_TYPE, bytes: new TextEncoder().encode(json) };
}

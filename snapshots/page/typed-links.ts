/** Signposting (signposting.org): the typed links of the library, an object, a claim or a record. The head of the thing's page has them, and the
 *  headers of the answer that serves it. */
import { objectPath, type ObjectRow, pagePath, parseKeyPath, parsePart, parseSlug, relationsOf, type ViewData } from "#snapshots/format";
import { type Claim, type CubRecord, KINDS, licenceUrl } from "#snapshots/schema";

export type TypedLink = { readonly rel: string; readonly href: string; readonly type: string | null };

/** LinkedThing holds what typed links follow from. */
export type LinkedThing = {
  /** Site path of the thing's page. */
  readonly path: string;
  /** The name of its type at schema.org. */
  readonly schema: string;
  readonly license?: string | undefined;
  /** The bytes of an object. */
  readonly item?: { readonly path: string; readonly type: string };
};

export const LIBRARY: LinkedThing = { path: pagePath.front, schema: "DataCatalog" };

export function linkedObject({
  key,
  kind,
  license,
  media_type: type,
}: Pick<ObjectRow, "key" | "kind" | "license" | "media_type">): LinkedThing {
  return { path: pagePath.object(key), schema: KINDS[kind].schema, license, item: { path: objectPath(key), type } };
}

export function linkedClaim({ id }: Pick<Claim, "id">): LinkedThing {
  return { path: pagePath.claim(id), schema: KINDS.claim.schema };
}

export function linkedRecord({ id, license }: Pick<CubRecord, "id" | "license">): LinkedThing {
  return { path: pagePath.record(id), schema: KINDS.record.schema, license };
}

/** findLinked finds the thing that a page is of. @param path of the page, or of a part of it
 *  @returns null for a page that is of no single thing */
export function findLinked(data: ViewData, path: string): LinkedThing | null {
  if (path === pagePath.front) return LIBRARY;
  const { claimByPath, objectByKey, recordById } = relationsOf(data);
  const [, room, rest = ""] = /^\/(object|claims|registry)\/(.+)\/$/s.exec(path) ?? [];
  if (room === "object") {
    const row = objectByKey.get(parseSlug(parseKeyPath(parsePart(rest).slug)) ?? "");
    return row === undefined ? null : linkedObject(row);
  }
  if (room === "claims") {
    const id = claimByPath.get(path);
    return id === undefined ? null : linkedClaim({ id });
  }
  const record = recordById.get(rest);
  return record === undefined ? null : linkedRecord(record);
}

/** typedLinks returns the typed links of a thing. @param absolute makes an address of a site path */
export function typedLinks({ path, schema, license, item }: LinkedThing, absolute: (path: string) => string): readonly TypedLink[] {
  const url = absolute(path);
  const terms = licenceUrl(license);
  return [
    { rel: "cite-as", href: url, type: null },
    { rel: "type", href: `https://schema.org/${schema}`, type: null },
    ...(item === undefined ? [] : [{ rel: "item", href: absolute(item.path), type: item.type }]),
    ...(terms === null ? [] : [{ rel: "license", href: terms, type: null }]),
    { rel: "describedby", href: `${url}cite.bib`, type: "application/x-bibtex" },
    { rel: "describedby", href: `${url}cite.json`, type: "application/vnd.citationstyles.csl+json" },
  ];
}

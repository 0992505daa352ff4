/** A link to what is not there, or in the public view to what is gated, is shown as text. */
import { filterLinks } from "../format/document-links.ts";
import { relationsOf } from "../format/relations.ts";
import type { ViewData } from "../format/view-data.ts";

/** @param target a key, or a prefix that ends in "/" */
export function isThere(data: ViewData, target: string): boolean {
  const { folders, objectByKey } = relationsOf(data);
  return target === "" || (target.endsWith("/") ? folders.has(target) : objectByKey.has(target));
}

/** @param html an extract's fragment, of the object `key` */
export function unlinkDead(html: string, key: string, data: ViewData): string {
  return filterLinks(html, key, (target) => isThere(data, target));
}

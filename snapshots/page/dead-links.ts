/** A link to what is not there, or in the public view to what is gated, is shown as text; one that is written as sites write them leads to
 *  the object that it means. */
import { leadLinks, type LeadsTo, MAX_LINKS, openSite, relationsOf, type ViewData } from "#snapshots/format";

const sites = new WeakMap<ViewData, LeadsTo>();

/** The key or prefix that a link leads to, or null. @param from key of the object that it stands in
 *  @param target a key, or a prefix that ends in "/" */
function leadsTo(data: ViewData, from: string, target: string): string | null {
  const { folders, objectByKey } = relationsOf(data);
  if (target === "" || (target.endsWith("/") ? folders.has(target) : objectByKey.has(target))) return target;
  let site = sites.get(data);
  if (site === undefined) sites.set(data, (site = openSite(objectByKey.values())));
  const found = site(from, target);
  return found ?? (folders.has(`${target}/`) ? `${target}/` : null);
}

/** ledLinks returns the links of an object that are not written as keys are, each with the key or prefix that it leads to, or null. @param links
 *  targets of all its links */
export function ledLinks(data: ViewData, from: string, links: readonly string[]): readonly (readonly [string, string | null])[] {
  return links.map((target) => [target, leadsTo(data, from, target)] as const).filter(([target, led]) => target !== led);
}

/** unlinkDead makes a link that leads nowhere plain text, and turns one that is written as sites write them to the object that it means.
 *  @param html an extract's fragment, of the object `key`
 *  @param links targets of its links, where they are known: a fragment in which none is to be changed is not gone through */
export function unlinkDead(html: string, key: string, data: ViewData, links: readonly string[] | null = null): string {
  if (links !== null && links.length < MAX_LINKS && ledLinks(data, key, links).length === 0) return html;
  return leadLinks(html, key, (target) => leadsTo(data, key, target));
}

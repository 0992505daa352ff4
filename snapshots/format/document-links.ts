/** Where the links of a document lead within its library. Authors write them as if the store were a folder; the extractor has written
 *  them as addresses of our pages. */
import { pagePath, parseSlug, relativeHref } from "./layout.ts";

/** Links do not nest, attributes hold no bare double quote, and text no bare "<". */
const LINK = /<a((?: [a-zA-Z-]+(?:="[^"]*")?)*)>([\s\S]*?)<\/a>/g;
const ADDRESS = /(?<=<(?:a|img)\b[^<>]*) (href|src)="([^"]*)"/g;
const HREF = / href="([^"]*)"/;
const HERE = "http://library.invalid";

/** Keys, and prefixes that end in "/", each once. @param html an extract's fragment, of the object `key` */
export function linkTargets(html: string, key: string): readonly string[] {
  const targets = new Set<string>();
  for (const [, attributes = ""] of html.matchAll(LINK)) {
    const target = targetOf(attributes, key);
    if (target !== null && target !== "" && target !== key) targets.add(target);
  }
  return [...targets];
}

/** The fragment with the text alone of the links that are not kept. @param keeps is asked for keys and prefixes; links out of the library
 *  are kept */
export function filterLinks(html: string, key: string, keeps: (target: string) => boolean): string {
  return html.replace(LINK, (link, attributes: string, text: string) => {
    const target = targetOf(attributes, key);
    return target === null || keeps(target) ? link : text;
  });
}

/** The fragment for another page: what its addresses were relative to is one site path, what they are to be relative to is another. */
export function moveLinks(html: string, from: string, to: string): string {
  return html.replaceAll(ADDRESS, (whole, attribute: string, written: string) => {
    const url = URL.parse(written.replaceAll(/&(?:amp|#x26);/g, "&"), HERE + from);
    if (url === null || url.origin !== HERE) return whole;
    return ` ${attribute}="${relativeHref(to, url.pathname + url.search + url.hash)
      .replaceAll("&", "&amp;")
      .replaceAll('"', "&quot;")}"`;
  });
}

/** Null for what leads out of the library, or to no object and no folder. */
function targetOf(attributes: string, key: string): string | null {
  const written = HREF.exec(attributes)?.[1];
  if (written === undefined) return null;
  const url = URL.parse(written.replaceAll(/&(?:amp|#x26);/g, "&"), HERE + pagePath.object(key));
  if (url === null || url.origin !== HERE) return null;
  const [, kind, slug] = /^\/(object|browse)\/(.*?)\/?$/.exec(url.pathname) ?? [];
  if (kind === undefined || slug === undefined) return null;
  if (slug === "") return kind === "browse" ? "" : null;
  return parseSlug(decodeURIComponent(kind === "browse" ? `${slug}/` : slug));
}

/** Where the links and images of a document lead within its library. Authors write them as if the store were a folder; the extractor has written
 *  them as addresses of our pages. */
import { objectPath, pagePath, parseKeyPath, parseSlug, relativeHref } from "./layout.ts";

/** Links do not nest, attributes hold no bare double quote, and text no bare "<". */
const LINK = /<a((?: [a-zA-Z-]+(?:="[^"]*")?)*)>([\s\S]*?)<\/a>/g;
const IMAGE = /<img((?: [a-zA-Z-]+(?:="[^"]*")?)*) ?\/?>/g;
const SRC = / src="([^"]*)"/;
const ALT = / alt="([^"]*)"/;
const ADDRESS = /(?<=<(?:a|img)\b[^<>]*) (href|src)="([^"]*)"/g;
const HREF = / href="([^"]*)"/;
const HERE = "http://library.invalid";

/** MAX_LINKS are remembered of one object. When what the rest leads to comes or goes, its page is not made again for that. */
export const MAX_LINKS = 5000;

/** linkTargets returns the keys, and the prefixes that end in "/", that a fragment links to, each once. @param html an extract's fragment, of the
 *  object `key` */
export function linkTargets(html: string, key: string): readonly string[] {
  const targets = new Set<string>();
  // Documents that a program has written link each name to where it is defined, so the same few files a thousand times.
  const seen = new Set<string>();
  for (const [, attributes = ""] of html.matchAll(LINK)) {
    const [address = ""] = (HREF.exec(attributes)?.[1] ?? "").split("#", 1);
    if (seen.has(address)) continue;
    seen.add(address);
    const target = targetOf(address, key);
    if (target !== null && target !== "" && target !== key) targets.add(target);
  }
  for (const [, attributes = ""] of html.matchAll(IMAGE)) {
    const target = imageOf(attributes, key);
    if (target !== null) targets.add(target);
  }
  return [...targets];
}

/** leadLinks points each link and image of a fragment where it leads. Of one that leads nowhere, it leaves the text alone, or what is said
 *  instead.
 *  @param leadsTo is asked for keys and prefixes, gives one of them or null; links out of the library stay */
export function leadLinks(html: string, key: string, leadsTo: (target: string) => string | null): string {
  // Documents that a program has written link each name to where it is defined, so the same few files a thousand times.
  const known = new Map<string, string | null>();
  /** The address in its place; null for one that leads nowhere. */
  const lead = (address: string): string | null => {
    const found = known.get(address);
    if (found !== undefined) return found;
    const target = targetOf(address, key);
    const led = target === null ? null : leadsTo(target);
    const written = target === null || led === target ? address : led === null ? null : hrefOf(key, addressOf(led));
    known.set(address, written);
    return written;
  };
  const shown = html.replaceAll(IMAGE, (image, attributes: string) => {
    const target = imageOf(attributes, key);
    const led = target === null ? null : leadsTo(target);
    if (target === led) return image;
    return led === null ? (ALT.exec(attributes)?.[1] ?? "") : image.replace(SRC, () => ` src="${hrefOf(key, objectPath(led))}"`);
  });
  return shown.replace(LINK, (link, attributes: string, text: string) => {
    const written = HREF.exec(attributes)?.[1] ?? "";
    const [address = "", ...fragment] = written.split(/(?=#)/);
    const led = written === "" || written.startsWith("#") ? address : lead(address);
    if (led === null) return text;
    return led === address ? link : link.replace(HREF, () => ` href="${led}${fragment.join("")}"`);
  });
}

function addressOf(target: string): string {
  return target === "" || target.endsWith("/") ? pagePath.browse(target) : pagePath.object(target);
}

/** As it stands in an attribute of the page of `key`. */
function hrefOf(key: string, path: string): string {
  return relativeHref(pagePath.object(key), path).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}

/** moveLinks rewrites a fragment for another page: its addresses were relative to the site path `from`, and become relative to the site path `to`. */
export function moveLinks(html: string, from: string, to: string): string {
  return html.replaceAll(ADDRESS, (whole, attribute: string, written: string) => {
    const url = URL.parse(written.replaceAll(/&(?:amp|#x26);/g, "&"), HERE + from);
    if (url === null || url.origin !== HERE) return whole;
    return ` ${attribute}="${relativeHref(to, url.pathname + url.search + url.hash)
      .replaceAll("&", "&amp;")
      .replaceAll('"', "&quot;")}"`;
  });
}

/** The object that an image is; null for one that is none. */
function imageOf(attributes: string, key: string): string | null {
  const path = pathOf(SRC.exec(attributes)?.[1], key);
  return path?.startsWith("/objects/") === true ? parseKeyPath(path.slice("/objects/".length)) : null;
}

/** Site path of an address that stands on an object's page; null for one that leads out of the library. */
function pathOf(written: string | undefined, key: string): string | null {
  if (written === undefined) return null;
  const url = URL.parse(written.replaceAll(/&(?:amp|#x26);/g, "&"), HERE + pagePath.object(key));
  return url === null || url.origin !== HERE ? null : url.pathname;
}

/** Null for what leads out of the library, or to no object and no folder. */
function targetOf(written: string | undefined, key: string): string | null {
  const [, kind, slug] = /^\/(object|browse)\/(.*?)\/?$/.exec(pathOf(written, key) ?? "") ?? [];
  if (kind === undefined || slug === undefined) return null;
  if (slug === "") return kind === "browse" ? "" : null;
  return parseSlug(decodeURIComponent(kind === "browse" ? `${slug}/` : slug));
}

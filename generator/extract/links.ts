/** Links and images that a document's author wrote, as addresses on our site.
 *  Authors write links as if the store were a folder, and control every character: a relative link is resolved to a key and
 *  written anew by the layout, an external one has to parse as http, https or mailto, and everything else is no link. */
import { findKeyProblem, objectPath, pagePath, relativeHref } from "#snapshots/format";

/** ID_PREFIX stands before each id in a document, so that none can stand for parts of the page around it. */
export const ID_PREFIX = "doc-";

/** withoutSpaces makes an id of what authors call a place: HTML has none with a space in it. */
export const withoutSpaces = (id: string): string => id.replaceAll(/\s+/g, "-");

export type Target = { readonly kind: "external" | "internal"; readonly href: string };

const MAX_HREF = 4096; // UTF-16 units
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** resolveLink tells where a link of the object `key` leads, or returns null when it must not be one. */
export function resolveLink(key: string, written: string): Target | null {
  const href = cleanHref(written);
  if (href === null) return null;
  if (href.startsWith("#")) return { kind: "internal", href: formatFragment(href) };
  if (SCHEME.test(href) || href.startsWith("//")) return resolveExternal(href);
  const hash = href.indexOf("#");
  const page = findPage(key, pathOf(href));
  if (page === null) return null;
  return { kind: "internal", href: hash < 0 ? page : page + formatFragment(href.slice(hash)) };
}

/** Pages by the path that leads to them, of the document that was asked about last: one that a program has written links the same few a thousand times. */
let known = { key: "", pages: new Map<string, string | null>() };

function findPage(key: string, path: string): string | null {
  if (known.key !== key) known = { key, pages: new Map() };
  let page = known.pages.get(path);
  if (page === undefined) known.pages.set(path, (page = makePage(key, path)));
  return page;
}

function makePage(key: string, path: string): string | null {
  const target = resolveKey(key, path);
  if (target === null) return null;
  return relativeHref(pagePath.object(key), target === "" || target.endsWith("/") ? pagePath.browse(target) : pagePath.object(target));
}

function pathOf(href: string): string {
  const end = href.search(/[?#]/);
  return end < 0 ? href : href.slice(0, end);
}

/** resolveImage tells where an image of the object `key` lies: at an object of ours, or at an external address that must not be loaded. */
export function resolveImage(key: string, written: string): Target | null {
  const href = cleanHref(written);
  if (href === null || href.startsWith("#")) return null;
  if (SCHEME.test(href) || href.startsWith("//")) return resolveExternal(href);
  const target = resolveKey(key, pathOf(href));
  if (target === null || target === "" || target.endsWith("/")) return null;
  return { kind: "internal", href: relativeHref(pagePath.object(key), objectPath(target)) };
}

/** fillIn fills in what an author left to a generator of sites: an address in quotes behind a function, and the root of the site, which is no part
 *  of a path. It returns "" for anything else, which is known to the generator alone. */
function fillIn(written: string): string {
  return written
    .replaceAll(/\{\{\s*(["'])\/?([^"'{}]*)\1\s*\|\s*(?:relative|absolute)_url\s*\}\}/g, "/$2")
    .replaceAll(/\{\{[<%]?\s*(?:(?:rel)?ref\s+)?(["'])([^"'{}]*)\1[^{}]*\}\}/g, "$2")
    .replaceAll(/\{%-?\s*link\s+([^\s%]+)\s*-?%\}/g, "/$1")
    .replaceAll(/\{%-?\s*post_url\s+\/?([^\s%]+)\s*-?%\}/g, "/_posts/$1")
    .replaceAll(/\{\{-?\s*(?:site\.(?:base)?url|\.?Site\.BaseURL)[^{}]*\}\}/gi, "")
    .replaceAll(/^.*\{[{%].*$/gs, "");
}

/** fillInLinks fills in such addresses in a text and keeps its lines: Markdown takes none of them for a link. */
export function fillInLinks(text: string): string {
  return text.includes("({")
    ? text.replaceAll(/(?<=\]\()\s*\{[{%][^\n{}]*[%}]\}[^\s()]*\s*(?=\))/g, (written) => fillIn(written.trim()))
    : text;
}

/** Without the characters that a URL parser drops silently: they hide a scheme from those who look for one. */
function cleanHref(address: string): string | null {
  const written = address.includes("{") ? fillIn(address) : address;
  const href = /[\0- ]/.test(written) ? written.replaceAll(/[\t\n\r]/g, "").replaceAll(/^[\0- ]+|[\0- ]+$/g, "") : written;
  return href === "" || href.length > MAX_HREF ? null : href;
}

function resolveExternal(href: string): Target | null {
  const url = URL.parse(href.startsWith("//") ? `https:${href}` : href);
  if (url === null) return null;
  if (url.protocol !== "http:" && url.protocol !== "https:" && url.protocol !== "mailto:") return null;
  // "https://bank.example@evil.example" is there to be misread.
  if (url.username !== "" || url.password !== "") return null;
  return { kind: "external", href: url.href };
}

/** rooted returns the address of an object from the root of its library. */
export const rooted = (key: string): string => `/${key.split("/").map(encodeURIComponent).join("/")}`;

/** resolveKey returns the key or prefix (ending in "/") that the path of a relative reference means, or null when there is none. */
export function resolveKey(key: string, path: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (decoded === "") return key;
  const segments = decoded.startsWith("/") ? [] : key.split("/").slice(0, -1);
  const parts = decoded.replace(/^\/+/, "").split("/");
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1;
    if (part === "..") {
      if (segments.pop() === undefined) return null;
      if (last) segments.push("");
    } else if (part === ".") {
      if (last) segments.push("");
    } else if (part !== "" || last) segments.push(part);
  }
  const target = segments.join("/");
  if (target === "") return "";
  const problem = findKeyProblem(target.endsWith("/") ? target.slice(0, -1) : target);
  return problem === null ? target : null;
}

/** A fragment of a document's own; lines (`#L12`, `#L12-L20`) are ours and stay. */
function formatFragment(fragment: string): string {
  const id = fragment.slice(1);
  if (id === "" || /^L\d{1,9}(?:-L?\d{1,9})?$/.test(id)) return `#${id}`;
  let decoded = id;
  try {
    decoded = decodeURIComponent(id);
  } catch {
    // Kept as it was written: it leads nowhere, and does no harm.
  }
  return `#${encodeURIComponent(ID_PREFIX + withoutSpaces(decoded))}`;
}

/** Every path in one place: key ⇄ URL ⇄ page slug, and where each page and file of a snapshot lies. Spellings of one key:
 *  - the key itself, e.g. `notes/what?.md`: any text without NUL, segments separated by "/";
 *  - its URL form, one canonical percent-encoding: `notes/what%3F.md` (another spelling is redirected to it);
 *  - its slug, safe as a file name on any static host: `notes/what=3F.md`.
 *  Keys come from whoever can write to the object store: nothing here trusts them. */
import { ShelfError } from "#snapshots/errors";
import type { Citation } from "#snapshots/schema";

/** MAX_KEY_BYTES is the longest that a key may be, in UTF-8 bytes: the limit of S3, and short enough for any URL. */
export const MAX_KEY_BYTES = 1024;

/** Characters that a slug does not keep. "=" is its escape sign, because no client percent-encodes a key into a bare "=". */
const SLUG_UNSAFE = /[^A-Za-z0-9._~\-\u00a1-\ud7ff\ue000-\u{10ffff}]/gu;
const MAX_SLUG_SEGMENT = 200; // bytes of one slug segment; file systems stop at 255
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** findKeyProblem tells why a key cannot be served; it returns null when it can. Dot segments are refused because every URL parser removes them,
 *  NUL because no file system and few proxies take it. */
export function findKeyProblem(key: string): string | null {
  if (key === "") return "the key is empty";
  if (key.includes("\0")) return "the key contains a NUL byte";
  if (!key.isWellFormed() || key.includes("\ufffd")) return "the key is not valid UTF-8";
  if (encoder.encode(key).length > MAX_KEY_BYTES) return `the key is longer than ${MAX_KEY_BYTES} bytes`;
  if (key.split("/").some((segment) => segment === "." || segment === "..")) return "the key has a dot segment";
  if (key.startsWith("/") || key.endsWith("/") || key.includes("//")) return "the key has an empty segment";
  return null;
}

/** formatKeyPath returns the canonical URL form of a key or prefix, without a leading slash: each segment as encodeURIComponent writes it. */
export function formatKeyPath(key: string): string {
  return key.split("/").map(encodeURIComponent).join("/");
}

/** parseKeyPath returns the key that a raw URL path (still percent-encoded, without its leading part) spells.
 *  @throws ShelfError "bad_path" on broken escapes, NUL, bare backslash, dot segments, or what is not UTF-8 */
export function parseKeyPath(path: string): string {
  if (path.includes("\\")) throw new ShelfError("bad_path", "A bare backslash is not allowed in a path; write %5C.");
  let key: string;
  try {
    key = decodeURIComponent(path);
  } catch (cause) {
    throw new ShelfError("bad_path", "The path is not percent-encoded UTF-8.", { cause });
  }
  if (key.includes("\0")) throw new ShelfError("bad_path", "The path contains a NUL byte.");
  if (key.split("/").some((segment) => segment === "." || segment === "..")) {
    throw new ShelfError("bad_path", "The path has a dot segment.");
  }
  return key;
}

/** A segment that is its own slug, as nearly all are. */
const PLAIN_SEGMENT = /^(?!\.{0,2}$|index\.html$)[A-Za-z0-9._~-]{0,200}$/i;

function slugOfSegment(segment: string): string {
  if (PLAIN_SEGMENT.test(segment)) return segment;
  const slug = segment.replaceAll(SLUG_UNSAFE, (character) => Array.from(encoder.encode(character), escapeByte).join(""));
  if (encoder.encode(slug).length <= MAX_SLUG_SEGMENT) return escapeReserved(slug);
  // A longer segment becomes a chain of folders, each but the last ending in a bare "=".
  const parts: string[] = [];
  let part = "";
  let size = 0;
  for (const unit of slug.match(/=[0-9A-F]{2}|./gsu) ?? []) {
    const bytes = encoder.encode(unit).length;
    if (size + bytes > MAX_SLUG_SEGMENT) {
      parts.push(`${part}=`);
      part = "";
      size = 0;
    }
    part += unit;
    size += bytes;
  }
  parts.push(part);
  return parts.map(escapeReserved).join("/");
}

/** "index.html" is the file name of every page's own text, and dot segments vanish from URLs: escape their first letter.
 *  The last part of a long segment can spell one of them as well as a whole segment can. */
function escapeReserved(part: string): string {
  if (part !== "." && part !== ".." && part.toLowerCase() !== "index.html") return part;
  return escapeByte(part.charCodeAt(0)) + part.slice(1);
}

function escapeByte(byte: number): string {
  return `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** formatSlug returns the slug of a key or prefix: unique, reversible, free of anything that a URL or a file system reads specially. */
export function formatSlug(key: string): string {
  return key.split("/").map(slugOfSegment).join("/");
}

/** parseSlug returns the key of a slug, or null when no key has this slug. */
export function parseSlug(slug: string): string | null {
  // Most slugs escape nothing: then the key is the slug, if it is one at all.
  const key = slug.includes("=") ? unescapeSlug(slug) : slug;
  return key !== null && formatSlug(key) === slug ? key : null;
}

function unescapeSlug(slug: string): string | null {
  const bytes: number[] = [];
  const joined = slug.replaceAll(/=\//g, "");
  for (let at = 0; at < joined.length; ) {
    if (joined[at] === "=") {
      const hex = joined.slice(at + 1, at + 3);
      if (!/^[0-9A-F]{2}$/.test(hex)) return null;
      bytes.push(Number.parseInt(hex, 16));
      at += 3;
    } else {
      const character = String.fromCodePoint(joined.codePointAt(at) ?? 0);
      bytes.push(...encoder.encode(character));
      at += character.length;
    }
  }
  try {
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

/** Pages of objects, records, claims and folders; the twin of its first part has all of a long text. */
const WITH_TWIN = /^\/(?:object\/.+\/|browse\/(?:.*\/)?|claims\/.+\/|registry\/CUB-[0-9]+\/)$/s;
/** LATER_PART matches what follows the first page of a long text. */
export const LATER_PART = /^\/object\/.*\/=p[0-9]+\/$/s;

/** hasTwin tells whether a page has a Markdown twin beside it, at `index.md`. */
export function hasTwin(path: string): boolean {
  return WITH_TWIN.test(path) && !LATER_PART.test(path);
}

/** pagePath gives the site paths of the pages: absolute, canonical, ending in "/"; percent-encoded, ready for an href. */
export const pagePath = {
  front: "/",
  object: (key: string): string => `/object/${encodePath(formatSlug(key))}/`,
  /** Part 2 and later of a long text; no slug begins with a bare "=" and a letter that is no hex digit. */
  objectPart: (key: string, part: number): string => pagePath.object(key) + partSuffix(part),
  /** The object's page with lines of it on top, in which the quote is marked. */
  quote: ({
    key,
    page,
    start_line: start,
    end_line: end,
    quote,
  }: Pick<Citation, "key" | "page" | "start_line" | "end_line" | "quote">): string =>
    `${pagePath.object(key)}?${page === undefined ? "" : `page=${page}&`}lines=${start === end ? start : `${start}-${end}`}${quote === "" ? "" : `&quote=${encodeURIComponent(quote.toWellFormed())}`}#quote`,
  at: (snapshot: string, path: string): string => `/at/${snapshot}${path}`,
  source: (kind: string, key: string): string =>
    kind === "record"
      ? pagePath.record(key)
      : kind === "claim"
        ? pagePath.claim(key)
        : kind === "collection"
          ? pagePath.browse(key)
          : pagePath.object(key),
  browse: (prefix: string): string => `/browse/${encodePath(formatSlug(prefix))}`,
  browsePart: (prefix: string, part: number): string => pagePath.browse(prefix) + partSuffix(part),
  claims: "/claims/",
  /** An id is one name whatever it holds: "a//b" has no empty folder in its path. */
  claim: (id: string): string => `/claims/${encodePath(slugOfSegment(id))}/`,
  registry: "/registry/",
  registryPart: (part: number): string => pagePath.registry + partSuffix(part),
  record: (id: string): string => `/registry/${id}/`,
  dashboard: "/registry/dashboard/",
  snapshots: "/snapshots/",
  snapshotsPart: (part: number): string => pagePath.snapshots + partSuffix(part),
  diff: (from: string, to: string): string => `/snapshots/${from}..${to}/`,
  /** The earlier states of an object or a record, by the path of its page. */
  revisions: (path: string): string => `/snapshots${path}`,
  search: "/search/",
  ask: "/ask/",
  agents: "/agents/",
  reference: "/reference/",
  referenceGroup: (group: string): string => `/reference/${group}/`,
  problems: "/problems/",
  problem: (code: string): string => `/problems/${code}/`,
  rejected: "/rejected/",
  notFound: "/404.html",
} as const;

/** listPath returns the path of the listing of a prefix as a file of its own, for hosts that know no queries. It is the same listing as
 *  /api/list?prefix=… */
export function listPath(prefix: string): string {
  return prefix === "" ? "/api/list.json" : `/api/list/${encodePath(formatSlug(prefix))}index.json`;
}

/** parseDiffPath returns the two beginnings of snapshots' ids in the path of a comparison; null for every other path. */
export function parseDiffPath(path: string): readonly [from: string, to: string] | null {
  const [, from, to] = /^\/snapshots\/([1-9][0-9]{0,6}|[0-9a-f]{8,64})\.\.([1-9][0-9]{0,6}|[0-9a-f]{8,64})\/$/.exec(path) ?? [];
  return from === undefined || to === undefined ? null : [from, to];
}

/** parseRevisionsPath returns the object or the record whose revisions stand at a path; null for every other path. */
export function parseRevisionsPath(
  path: string,
): { readonly kind: "object" | "record"; readonly name: string; readonly path: string } | null {
  const [, of = "", slug = ""] = /^\/snapshots(\/object\/(.+)\/)$/s.exec(path) ?? [];
  const key = slug === "" ? null : parseSlug(decodeURIComponent(slug));
  if (key !== null && pagePath.object(key) === of) return { kind: "object", name: key, path: of };
  const id = /^\/snapshots\/registry\/(CUB-[0-9]{4,})\/$/.exec(path)?.[1];
  return id === undefined ? null : { kind: "record", name: id, path: pagePath.record(id) };
}

/** parseListPath returns the prefix in a path that listPath makes, still percent-encoded; null for every other path. */
export function parseListPath(path: string): string | null {
  const slug = /^\/api\/list\/(.+)index\.json$/.exec(path)?.[1];
  return slug === undefined ? null : parseSlug(decodeURIComponent(slug));
}

/** blobPath returns the address of a blob of the shelf. The ending keeps hosts that go by names, and browsers that look into what has none, from
 *  taking a stranger's bytes for a page. */
export function blobPath(digest: string): string {
  return `/shelf/blobs/${digest.slice(0, 2)}/${digest}.bin`;
}

export function objectPath(key: string): string {
  return `/objects/${formatKeyPath(key)}`;
}

/** pageImagePath returns the path of the image of a page of a PDF. @param page from 1 */
export function pageImagePath(key: string, page: number): string {
  return `/${formatKeyPath(pageImageFile(key, page))}`;
}

/** pageImageFile returns where that image lies in the tree. No object lies in a folder that has the name of another one, so neither does an image. */
export function pageImageFile(key: string, page: number): string {
  return `${pageImagesOf(key)}${page}.png`;
}

/** pageImagesOf returns the folder of the tree that has the images of an object's pages and nothing else. */
export function pageImagesOf(key: string): string {
  return `images/${key}/`;
}

function partSuffix(part: number): string {
  return part === 1 ? "" : `=p${part}/`;
}

/** parsePart cuts the number of a part off a slug, or off the slug of a folder. */
export function parsePart(slug: string): { readonly slug: string; readonly part: number } {
  const found = /^(?:(.*)\/)?=p([1-9][0-9]{0,5})\/?$/s.exec(slug);
  return found === null ? { slug, part: 1 } : { slug: found[1] ?? "", part: Number(found[2]) };
}

/** A path in which nothing is to be escaped. */
const PLAIN_PATH = /^[A-Za-z0-9\-_.!~*'()=/]*$/;

function encodePath(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  return path
    .split("/")
    .map(encodeURIComponent)
    .map((part) => part.replaceAll("%3D", "="))
    .join("/");
}

/** isPagePath tells whether a percent-encoded path is one that `pagePath` could have written: another spelling of it is no page. */
export function isPagePath(path: string): boolean {
  return (path.endsWith("/") || path === pagePath.notFound) && encodePath(decodeURIComponent(path)) === path;
}

/** pageFile returns the name of a page inside the `pages` tree: `/claims/` is `claims=.html`, so that no object needs a folder, hence a tree, of
 *  its own. No slug holds "=.", so no page takes the name of a folder. */
export function pageFile(path: string): string {
  const decoded = decodeURIComponent(path).slice(1);
  if (decoded === "") return "index.html";
  return decoded.endsWith("/") ? `${decoded.slice(0, -1)}=.html` : decoded;
}

/** exportFile returns where an exported page lies, so that any static host serves it at its path: `/claims/` is `claims/index.html`. */
export function exportFile(path: string): string {
  const decoded = decodeURIComponent(path).slice(1);
  return decoded === "" || decoded.endsWith("/") ? `${decoded}index.html` : decoded;
}

/** relativeHref returns a relative reference from one site path to another, so that a page works at "/", under /at/<snapshot>/ or /internal/, and
 *  in any folder of a static host. @param to may end in `?…` or `#…`, which are kept */
export function relativeHref(from: string, to: string): string {
  const cut = to.search(/[?#]/);
  const path = cut < 0 ? to : to.slice(0, cut);
  const rest = cut < 0 ? "" : to.slice(cut);
  const fromParts = from.split("/").slice(1, -1);
  const toParts = path.split("/").slice(1);
  let shared = 0;
  while (shared < fromParts.length && shared < toParts.length - 1 && fromParts[shared] === toParts[shared]) shared++;
  const relative = "../".repeat(fromParts.length - shared) + toParts.slice(shared).join("/");
  if (relative === "") return `./${rest}`;
  // A first segment with ":" would read as a scheme, an empty one as the root.
  const first = relative.split("/")[0] ?? "";
  return (first === "" || first.includes(":") ? `./${relative}` : relative) + rest;
}

/** CITATION_FILES gives the names of the files beside a page, with their media types. */
export const CITATION_FILES: Readonly<Record<string, string>> = {
  "cite.bib": "application/x-bibtex; charset=utf-8",
  "cite.json": "application/vnd.citationstyles.csl+json",
};

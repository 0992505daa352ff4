/** llms.txt, sitemap.xml, robots.txt and security.txt of a view. */
import {
  countOf,
  formatBytes,
  type Library,
  mountPath,
  pagePath,
  relationsOf,
  reviewMarks,
  standingWord,
  type ViewData,
} from "#snapshots/format";
import type { CubRecord } from "#snapshots/schema";
import { countBy, type ValueCount, countClaims, countStandings } from "./cards.ts";

const LISTED_OBJECTS = 100; // of a collection, named one by one
const MAX_SITEMAP = 50_000; // addresses; the sitemap protocol allows no more in one file

/** Titles come from the library's authors: brackets and line ends must not end a Markdown link. */
function linkText(text: string): string {
  return flat(text.replaceAll(/[[\]\\]/g, "\\$&"));
}

/** flat makes a text one line, whatever ends lines in it. */
export function flat(text: string): string {
  return text.replaceAll(/[\s\u0085]+/g, " ").trim();
}

/** llmsText makes an index of the library for language models, as Markdown. */
export function llmsText(data: ViewData): string {
  const { library, claims, cubs, objects } = data;
  const base = library.base_url + mountPath(library);
  const lines = [`# ${linkText(library.title)}`, ""];
  if (library.summary !== "") lines.push(`> ${linkText(library.summary)}`, "");
  lines.push(
    "Everything here is served from an immutable snapshot; each answer names it in X-Snapshot, and every public address also works under /at/<snapshot>/.",
    "",
    "## Collections",
    "",
  );
  const { folders } = relationsOf(data);
  for (const collection of library.collections) {
    const folder = folders.get(collection.prefix);
    const parts = [
      ...(collection.summary === "" ? [] : [linkText(collection.summary).replace(/[.;]$/, "")]),
      `${countOf(folder?.count ?? 0, "object")}, ${formatBytes(folder?.bytes ?? 0)}`,
      `JSON: ${base}/api/list?prefix=${encodeURIComponent(collection.prefix)}`,
    ];
    lines.push(`- [${linkText(collection.title)}](${base}${pagePath.browse(collection.prefix)}): ${parts.join("; ")}`);
  }
  lines.push(
    "",
    "## Data",
    "",
    `- [Catalog](${base}/api/catalog): every object with its digest; of one collection: ${base}/api/catalog/{collection}`,
    `- [Claims](${base}/api/claims): ${countOf(claims.claims.length, "claim")} with pinned evidence${inWords(countClaims(data))}`,
    ...(library.view === "public"
      ? [`- [Records](${base}/api/cubs): ${countOf(cubs.length, "proof record")}${inWords(countStandings(cubs))}${marksOf(cubs)}`]
      : []),
    `- [Search](${base}/api/search?q=): ranked full text`,
    `- [OpenAPI](${base}/api/openapi.json): every route`,
    `- [MCP](${base}/mcp): read-only tools for agents (POST); [how to connect](${base}${pagePath.agents})`,
    `- [All texts in one file](${base}/llms-full.txt)`,
    "- Objects, records, claims and folders have a Markdown twin: add index.md to the address.",
    "",
  );
  for (const collection of library.collections) {
    const members = objects.filter((row) => row.key.startsWith(collection.prefix));
    if (members.length === 0 || members.length > LISTED_OBJECTS) continue;
    lines.push(`## ${linkText(collection.title)}`, "");
    for (const { key, title, summary } of members)
      lines.push(`- [${linkText(title)}](${base}${pagePath.object(key)})${summary === "" ? "" : `: ${linkText(summary)}`}`);
    lines.push("");
  }
  return lines.join("\n");
}

/** "; by standing: 40 verified, 2 verified once". */
function inWords(counts: readonly ValueCount[]): string {
  return counts.length === 0
    ? ""
    : `; by standing: ${counts.map(({ value, count }) => `${count} ${flat(standingWord(value))}`).join(", ")}`;
}

/** "; statement read: 3, doubted: 1". */
function marksOf(cubs: readonly CubRecord[]): string {
  const marks = cubs.flatMap(reviewMarks).map((mark) => mark.replace(/ by .*$/s, ""));
  return marks.length === 0
    ? ""
    : `; ${countBy(marks, (mark) => mark)
        .map(({ value, count }) => `${value}: ${count}`)
        .join(", ")}`;
}

/** escapeXml escapes a string for text and attributes. It leaves out what no XML document may hold. */
export function escapeXml(text: string): string {
  const allowed = text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");
  return allowed
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;");
}

export type SitemapEntry = {
  /** Site path. */
  readonly path: string;
  /** RFC 3339, or null when nobody knows. */
  readonly changed: string | null;
};

const SITEMAP = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SITEMAP_SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** sitemapFiles yields the sitemap files with their texts: one sitemap, or an index and its parts. Their names begin with `sitemap`. */
export function* sitemapFiles(base: string, entries: readonly SitemapEntry[]): Generator<readonly [name: string, text: string]> {
  const parts = countSitemaps(entries.length);
  if (parts === 0) {
    yield ["sitemap.xml", sitemapXml(base, entries)];
    return;
  }
  const texts = Array.from({ length: parts }, (_, at) => entries.slice(at * MAX_SITEMAP, (at + 1) * MAX_SITEMAP));
  const rows = texts.map((part, at) => {
    const changes = part.flatMap(({ changed }) => changed ?? []).sort();
    return `<sitemap><loc>${escapeXml(`${base}/sitemap-${at + 1}.xml`)}</loc>${lastmod(changes.at(-1) ?? null)}</sitemap>`;
  });
  yield ["sitemap.xml", `${SITEMAP}<sitemapindex ${SITEMAP_SCHEMA}>\n${rows.join("\n")}\n</sitemapindex>\n`];
  for (const [at, part] of texts.entries()) yield [`sitemap-${at + 1}.xml`, sitemapXml(base, part)];
}

/** countSitemaps counts the parts beside the index; it returns 0 when one sitemap has room for all addresses. */
export function countSitemaps(addresses: number): number {
  return addresses > MAX_SITEMAP ? Math.ceil(addresses / MAX_SITEMAP) : 0;
}

/** isInSitemap tells whether search engines should know a page. */
export function isInSitemap(path: string): boolean {
  return !path.startsWith(pagePath.problems) && path !== pagePath.notFound;
}

function sitemapXml(base: string, entries: readonly SitemapEntry[]): string {
  const rows = entries.map(({ path, changed }) => `<url><loc>${escapeXml(base + path)}</loc>${lastmod(changed)}</url>`);
  return `${SITEMAP}<urlset ${SITEMAP_SCHEMA}>\n${rows.join("\n")}\n</urlset>\n`;
}

function lastmod(changed: string | null): string {
  return changed === null ? "" : `<lastmod>${escapeXml(changed)}</lastmod>`;
}

export const SECURITY_PATH = "/.well-known/security.txt";

/** securityText makes security.txt (RFC 9116), or returns null where the configuration names nobody. */
export function securityText({ base_url: base, security }: Library): string | null {
  if (security === undefined) return null;
  const { contact, expires } = security;
  const canonical = base === "" ? "" : `Canonical: ${base}${SECURITY_PATH}\n`;
  return `Contact: ${/^https?:/.test(contact) ? contact : `mailto:${contact}`}\nExpires: ${expires}\n${canonical}`;
}

export function robotsText(base: string): string {
  return `User-agent: *\nDisallow: /internal/\nDisallow: /api/code/\nDisallow: /at/\nSitemap: ${base}/sitemap.xml\n`;
}

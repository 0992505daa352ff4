/** llms.txt, sitemap.xml and robots.txt of a view. */
import { formatBytes } from "../format/size.ts";
import { pagePath } from "../format/layout.ts";
import { mountPath, type ViewData } from "../format/view-data.ts";
import { relationsOf } from "../format/relations.ts";

const LISTED_OBJECTS = 100; // of a collection, named one by one
const MAX_SITEMAP = 50_000; // addresses; the sitemap protocol allows no more in one file

/** Titles come from the library's authors: brackets and line ends must not end a Markdown link. */
function linkText(text: string): string {
  return flat(text.replaceAll(/[[\]\\]/g, "\\$&"));
}

/** One line, whatever ends lines in it. */
export function flat(text: string): string {
  return text.replaceAll(/[\s\u0085]+/g, " ").trim();
}

/** An index of the library for language models, as Markdown. */
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
    lines.push(
      `- [${linkText(collection.title)}](${base}${pagePath.browse(collection.prefix)}): ${linkText(collection.summary)} ` +
        `${folder?.count ?? 0} objects, ${formatBytes(folder?.bytes ?? 0)}; JSON: ${base}/api/list?prefix=${encodeURIComponent(collection.prefix)}`,
    );
  }
  lines.push(
    "",
    "## Data",
    "",
    `- [Catalog](${base}/api/catalog): every object with its digest; of one collection: ${base}/api/catalog/{collection}`,
    `- [Claims](${base}/api/claims): ${claims.claims.length} claims with pinned evidence`,
    ...(library.view === "public" ? [`- [Records](${base}/api/cubs): ${cubs.length} proof records`] : []),
    `- [Search](${base}/api/search?q=): ranked full text`,
    `- [OpenAPI](${base}/api/openapi.json): every route`,
    `- [MCP](${base}/mcp): read-only tools for agents (POST); [how to connect](${base}${pagePath.agents})`,
    `- [All texts in one file](${base}/llms-full.txt)`,
    "- Every page has a Markdown twin: add index.md to its address.",
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

/** For text and attributes. What no XML document may hold is left out. */
export function escapeXml(text: string): string {
  const allowed = text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");
  return allowed
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;");
}

export function sitemapXml(base: string, paths: readonly string[]): string {
  const rows = paths.slice(0, MAX_SITEMAP).map((path) => `<url><loc>${escapeXml(base + path)}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${rows.join("\n")}\n</urlset>\n`;
}

export function robotsText(base: string): string {
  return `User-agent: *\nDisallow: /internal/\nDisallow: /api/code/\nDisallow: /at/\nSitemap: ${base}/sitemap.xml\n`;
}

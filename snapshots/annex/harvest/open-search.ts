/** OpenSearch 1.1: how a browser's address bar searches the library. */
import { absoluteHref, pagePath, type ViewData } from "#snapshots/format";
import { escapeXml } from "#snapshots/page";

export const OPEN_SEARCH_TYPE = "application/opensearchdescription+xml";
/** The specification's own bounds, in characters. */
const MAX_SHORT_NAME = 16;
const MAX_LONG_NAME = 48;

export function openSearch(data: ViewData): string {
  const { title, summary } = data.library;
  const template = (path: string, type: string): string =>
    `<Url type="${type}" template="${escapeXml(absoluteHref(data, path, null))}?q={searchTerms}"/>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">',
    `<ShortName>${escapeXml(cut(title, MAX_SHORT_NAME))}</ShortName>`,
    `<LongName>${escapeXml(cut(title, MAX_LONG_NAME))}</LongName>`,
    `<Description>${escapeXml(summary === "" ? `Search ${title}` : summary)}</Description>`,
    template(pagePath.search, "text/html"),
    template("/api/search", "application/json"),
    "<InputEncoding>UTF-8</InputEncoding>",
    "</OpenSearchDescription>\n",
  ].join("\n");
}

function cut(text: string, most: number): string {
  return Array.from(text).slice(0, most).join("").trim();
}

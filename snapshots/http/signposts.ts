/** Signposting (signposting.org) as HTTP headers, for programs that ask for headers alone: what the head of a page links to, once more,
 *  and from the bytes of an object to its page. */
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { pagePath } from "../format/layout.ts";

/** Relations that a page's head may have beside the stylesheets and feeds of its own. */
const RELATIONS: ReadonlySet<string> = new Set(["cite-as", "type", "item", "describedby", "license"]);

/** @param html a page as it was rendered; only its head is read */
export function pageLinks(html: Uint8Array): Readonly<Record<string, string>> {
  const bytes = Buffer.from(html.buffer, html.byteOffset, html.length);
  const links: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("tagName" in node && node.tagName === "link") {
      const { rel = "", href = "", type } = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      const address = URL.parse(href)?.href;
      if (RELATIONS.has(rel) && address !== undefined) links.push(formatLink(address, rel, type));
    }
    for (const child of "childNodes" in node ? node.childNodes : []) visit(child);
  };
  visit(parse(bytes.subarray(0, Math.max(0, bytes.indexOf("</head>"))).toString()));
  return headerOf(links);
}

/** @param base the library's address; empty when it is not known, and then there is nothing to link to */
export function objectLinks(base: string, key: string): Readonly<Record<string, string>> {
  return headerOf(base === "" ? [] : [formatLink(new URL(base + pagePath.object(key)).href, "collection", "text/html")]);
}

function headerOf(links: readonly string[]): Readonly<Record<string, string>> {
  return links.length === 0 ? {} : { Link: links.join(", ") };
}

/** @param href as a URL writes it, so that no sign of it ends it */
function formatLink(href: string, rel: string, type: string | undefined): string {
  return `<${href}>; rel="${rel}"${type === undefined ? "" : `; type="${type.replaceAll(/["\\]/g, "")}"`}`;
}

/** Signposting (signposting.org) as HTTP headers, for programs that ask for headers alone: what the head of a page links to, once more,
 *  and from the bytes of an object to its page. */
import { pagePath, type ViewData } from "#snapshots/format";
import { findLinked, type TypedLink, typedLinks } from "#snapshots/page";

type Headers = Readonly<Record<string, string>>;

/** pageLinks gives the headers of a public page. @param path of the page within its view or snapshot */
export function pageLinks(data: ViewData, path: string): Headers {
  const { view, base_url: base } = data.library;
  const linked = view === "public" && base !== "" ? findLinked(data, path) : null;
  return headerOf(linked === null ? [] : typedLinks(linked, (target) => base + target));
}

/** objectLinks gives the headers of an object's bytes.
 *  @param base the library's address; empty when it is not known, and then there is nothing to link to */
export function objectLinks(base: string, key: string): Headers {
  return headerOf(base === "" ? [] : [{ href: base + pagePath.object(key), rel: "collection", type: "text/html" }]);
}

function headerOf(links: readonly TypedLink[]): Headers {
  const written = links.flatMap(({ href, rel, type }) => {
    // As a URL writes it, so that no sign of it ends it.
    const address = URL.parse(href)?.href;
    return address === undefined ? [] : [`<${address}>; rel="${rel}"${type === null ? "" : `; type="${type.replaceAll(/["\\]/g, "")}"`}`];
  });
  return written.length === 0 ? {} : { Link: written.join(", ") };
}

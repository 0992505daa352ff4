/** Tags in the head of a page for programs: Zotero and Google Scholar (citation_*), search engines (schema.org), sites that show a link (Open
 *  Graph), and those that go by typed links (Signposting). Only what an address can be made for. */
import { objectPath, pageImagePath } from "#snapshots/format";
import { licenceUrl } from "#snapshots/schema";
import {
  LIBRARY,
  type LinkedThing,
  linkedClaim,
  linkedObject,
  linkedRecord,
  type PageInput,
  type TypedLink,
  typedLinks,
} from "#snapshots/page";
import { formatLine } from "./format.ts";
import { findAbsoluteUrl } from "./page-input.ts";

export type Metadata = {
  readonly tags: readonly (readonly [name: string, content: string])[];
  /** Open Graph: `property` in place of `name`. */
  readonly properties: readonly (readonly [property: string, content: string])[];
  readonly links: readonly TypedLink[];
  /** Text of the JSON-LD, in which no "<" stands. */
  readonly json: string;
};

/** metadataOf makes the tags of a page. @returns null for a page that is of no single thing, and where no address is known */
export function metadataOf({ chrome, model }: PageInput): Metadata | null {
  // All pages of a long text are of the one object.
  const url = model.page === "object" ? (chrome.canonical?.replace(/=p[0-9]+\/$/, "") ?? null) : chrome.canonical;
  if (url === null || chrome.view !== "public") return null;
  const library = formatLine(chrome.library, 200);
  const absolute = (path: string): string => findAbsoluteUrl(chrome, path) ?? path;
  const catalog = { "@type": "DataCatalog", name: library, url: absolute("/") };
  const shared = { "@context": "https://schema.org", url };
  const make = (title: string, linked: LinkedThing, json: object, more: Pick<Partial<Metadata>, "tags" | "properties"> = {}): Metadata => ({
    tags: more.tags ?? [],
    properties: [
      ["og:title", title],
      ["og:type", linked.schema === "ScholarlyArticle" || linked.schema === "TechArticle" ? "article" : "website"],
      ["og:url", url],
      ["og:site_name", library],
      ...(more.properties ?? []),
    ],
    links: typedLinks(linked, absolute),
    json: JSON.stringify({ ...shared, "@type": linked.schema, name: title, ...json }).replaceAll("<", "\\u003c"),
  });
  switch (model.page) {
    case "front":
      return make(library, LIBRARY, {});
    case "claim":
      return make(
        formatLine(model.claim.title, 300),
        linkedClaim(model.claim),
        {
          text: formatLine(model.claim.statement, 2000),
          creativeWorkStatus: formatLine(model.standing.says, 300),
          isPartOf: catalog,
        },
        {
          properties: [["og:description", formatLine(`${model.standing.says}: ${model.claim.statement}`, 300)]],
        },
      );
    case "record": {
      const { id, theorem_name: name, statement, license, repo } = model.record;
      return make(
        formatLine(name, 300),
        linkedRecord(model.record),
        {
          identifier: id,
          creativeWorkStatus: formatLine(model.standing.says, 200),
          text: formatLine(statement, 2000),
          isBasedOn: formatLine(repo, 200),
          ...licenceOf(license),
          isPartOf: catalog,
        },
        {
          properties: [["og:description", formatLine(`${model.standing.says}: ${statement}`, 300)]],
        },
      );
    }
    case "object": {
      const { key, kind, title: given, summary, authors = [], date, uploaded, sha256, swhid, license, media_type: format, size } = model;
      const title = formatLine(given, 300);
      const people = authors.map((name) => formatLine(name, 120));
      const published = date ?? uploaded?.slice(0, 10) ?? null;
      const bytes = absolute(objectPath(key));
      // A link to it is shown with the picture itself, or with the first page.
      const picture = kind === "image" ? objectPath(key) : model.drawn > 0 ? pageImagePath(key, 1) : null;
      const linked = linkedObject(model);
      const tags: [string, string][] = [["citation_title", title], ...people.map((name): [string, string] => ["citation_author", name])];
      if (published !== null) tags.push(["citation_publication_date", published.replaceAll("-", "/")]);
      tags.push(["citation_publisher", library], ["citation_abstract_html_url", url]);
      if (kind === "pdf") tags.push(["citation_pdf_url", bytes]);
      return make(
        title,
        linked,
        {
          ...(summary === "" ? {} : { description: formatLine(summary, 300) }),
          ...(people.length === 0 ? {} : { author: people.map((name) => ({ "@type": "Person", name })) }),
          ...(published === null ? {} : { datePublished: published }),
          ...licenceOf(license),
          identifier: [`sha256:${sha256}`, ...(swhid === undefined ? [] : [swhid])],
          isPartOf: catalog,
          // A picture is shown among pictures only with its address and whom to thank.
          ...(linked.schema === "ImageObject" ? { contentUrl: bytes, creditText: library } : {}),
          encoding: { "@type": "MediaObject", contentUrl: bytes, encodingFormat: format, contentSize: String(size), sha256 },
        },
        {
          tags,
          properties: picture === null ? [] : [["og:image", absolute(picture)]],
        },
      );
    }
    default:
      return null;
  }
}

/** The page of a licence: its own address, or SPDX's of an identifier; null of an expression of several, and of words. */
function licenceOf(license: string | undefined): { readonly license?: string } {
  return license === undefined ? {} : { license: licenceUrl(license) ?? formatLine(license, 200) };
}

/** Feeds beside pages: Atom (RFC 4287) and JSON Feed 1.1, of the newest changes of what the page shows. */
import { canonicalJson, sha256 } from "#snapshots/digest";
import { mountPath, pagePath, type ViewData } from "#snapshots/format";
import type { FeedEntry, FeedScope } from "./feed.ts";
import type { SnapshotRecord } from "#snapshots/shelf";
import { escapeXml } from "#snapshots/page";

export const FEED_TYPES = { "feed.xml": "application/atom+xml; charset=utf-8", "feed.json": "application/feed+json" } as const;
export type FeedFile = keyof typeof FEED_TYPES;
export const FEED_FILES = Object.keys(FEED_TYPES) as readonly FeedFile[];

/** formatFeed writes a feed.
 *  @param served the record of the snapshot that is served, for the time of a feed without entries
 *  @param page site path that it stands beside */
export function formatFeed(
  data: ViewData,
  served: SnapshotRecord,
  scope: FeedScope,
  page: string,
  file: FeedFile,
  entries: readonly FeedEntry[],
): string {
  const base = data.library.base_url + mountPath(data.library);
  const title = scope.title === data.library.title ? `${scope.title}: changes` : `${data.library.title}: changes of ${scope.title}`;
  const feed = { base, title, author: data.library.title, page, updated: entries[0]?.created ?? served.created, entries };
  return file === "feed.xml" ? atom(feed) : jsonFeed(feed);
}

type Feed = {
  readonly base: string;
  readonly title: string;
  readonly author: string;
  readonly page: string;
  readonly updated: string;
  readonly entries: readonly FeedEntry[];
};

/** The same for ever, wherever the library is served (RFC 6920): a path may be published twice, what happened to it was once. */
function idOf({ sequence, snapshot, title }: Pick<FeedEntry, "sequence" | "snapshot" | "title">): string {
  return `ni:///sha-256;${Buffer.from(sha256(canonicalJson([sequence, snapshot, title])), "hex").toString("base64url")}`;
}

function atom({ base, title, author, page, updated, entries }: Feed): string {
  const xml = (text: string): string => escapeXml(text);
  const rows = entries.map((entry) =>
    [
      "<entry>",
      `<id>${idOf(entry)}</id>`,
      `<title>${xml(entry.title)}</title>`,
      `<updated>${entry.created}</updated>`,
      `<link href="${xml(base + entry.path)}"/>`,
      ...entry.tags.map((tag) => `<category term="${xml(tag)}"/>`),
      `<content type="text">${xml(entry.text)}</content>`,
      "</entry>",
    ].join("\n"),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${base === "" ? idOf({ sequence: 0, snapshot: page, title }) : xml(base + page)}</id>`,
    `<title>${xml(title)}</title>`,
    `<updated>${updated}</updated>`,
    `<author><name>${xml(author)}</name></author>`,
    `<link rel="self" type="application/atom+xml" href="${xml(`${base}${page}feed.xml`)}"/>`,
    `<link rel="alternate" type="text/html" href="${xml(base + page)}"/>`,
    ...rows,
    "</feed>",
    "",
  ].join("\n");
}

function jsonFeed({ base, title, page, entries }: Feed): string {
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: base + page,
    feed_url: `${base}${page}feed.json`,
    items: entries.map((entry) => ({
      id: idOf(entry),
      url: base + entry.path,
      title: entry.title,
      content_text: entry.text,
      date_published: entry.created,
      tags: entry.tags,
    })),
  });
}

/** feedPages returns the pages that have feeds, for a list of the library's files. */
export function feedPages(data: ViewData): readonly string[] {
  const collections = data.library.collections.map(({ prefix }) => prefix).filter((prefix) => prefix !== "");
  return [
    pagePath.front,
    pagePath.claims,
    ...(data.meta === null ? [] : [pagePath.registry]),
    ...new Set(collections.map((prefix) => pagePath.browse(prefix))),
  ];
}

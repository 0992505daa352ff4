/** What programs of others take from a served library, each by its own rules: Zotero, search engines, JSON-LD, Signposting, feeds and sitemaps. Over the demo, served as `proofshelf serve` does. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { fromHtml } from "hast-util-from-html";
import type { Element, Nodes } from "hast";
import jsonld from "jsonld";
import { copyBuiltDemo } from "../../snapshots/contract/built-demo.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { PAGED_CLI, type ServingProcess, startServing } from "../testing/serving-process.ts";

const BASE = "https://library.example.org";
const run = promisify(execFile);

let folder: string;
let server: ServingProcess;

before(async () => {
  folder = await copyBuiltDemo();
  const path = join(folder, "proofshelf.yaml");
  const own = `baseUrl: ${BASE}\nsecurity: { contact: security@example.org, expires: "2099-01-01T00:00:00Z" }`;
  await writeFile(path, (await readFile(path, "utf8")).replace(/^baseUrl: .*$/m, own));
  await run(process.execPath, [PAGED_CLI, "build", "--json", "--config", path], { maxBuffer: 1 << 26 });
  server = await startServing(["--no-rate-limits", "--config", path]);
});
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** What the library says is at an address of its own. */
const fetchOwn = (address: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(address.replace(BASE, server.url), { headers, redirect: "manual" });

type Head = {
  readonly meta: ReadonlyMap<string, readonly string[]>;
  readonly links: readonly { readonly rel: string; readonly href: string; readonly type: string }[];
  readonly data: readonly Record<string, unknown>[];
};

/** What a program reads of a page that runs no script. */
async function headOf(path: string): Promise<Head> {
  const page = await fetchOwn(BASE + path);
  assert.equal(page.status, 200, path);
  const elements: Element[] = [];
  const visit = (node: Nodes): void => {
    if (node.type === "element") elements.push(node);
    if ("children" in node) for (const child of node.children) visit(child);
  };
  visit(fromHtml(await page.text()));
  const named = (name: string) => elements.filter(({ tagName }) => tagName === name);
  const meta = named("meta").map(
    ({ properties }) => [String(properties["name"] ?? properties["property"]), String(properties["content"])] as const,
  );
  return {
    meta: new Map(
      [...new Set(meta.map(([name]) => name))].map((name) => [name, meta.filter((one) => one[0] === name).map((one) => one[1])]),
    ),
    links: named("link").map(({ properties }) => ({
      rel: String(properties["rel"]),
      href: String(properties["href"]),
      type: String(properties["type"] ?? ""),
    })),
    data: named("script")
      .filter(({ properties }) => properties["type"] === "application/ld+json")
      .map(
        ({ children }) =>
          JSON.parse(children.map((child) => (child.type === "text" ? child.value : "")).join("")) as Record<string, unknown>,
      ),
  };
}

async function addresses(): Promise<{
  readonly objects: readonly { key: string; kind: string; path: string }[];
  readonly pages: readonly string[];
}> {
  const catalog = (await (await fetchOwn(`${BASE}/api/catalog`)).json()) as { collections: { objects: { key: string; kind: string }[] }[] };
  const objects = catalog.collections.flatMap((one) => one.objects).map(({ key, kind }) => ({ key, kind, path: pagePath.object(key) }));
  return { objects, pages: ["/", "/claims/", "/registry/", ...objects.map(({ path }) => path)] };
}

/** One page of each kind that has metadata: of objects, one of each kind of object. */
async function citedPages(): Promise<readonly string[]> {
  const { objects } = await addresses();
  const { claims } = (await (await fetchOwn(`${BASE}/api/claims`)).json()) as { claims: { id: string }[] };
  const kinds = [...new Map(objects.map(({ kind, path }) => [kind, path])).values()];
  return ["/", pagePath.claim(claims[0]?.id ?? ""), "/registry/CUB-0001/", ...kinds];
}

test("Zotero and Google Scholar find title, authors, date and the PDF of each paper", async () => {
  const { objects } = await addresses();
  const papers = objects.filter(({ kind }) => kind === "pdf");
  assert.ok(papers.length > 1);
  for (const { path } of papers) {
    const { meta, links } = await headOf(path);
    for (const name of ["citation_title", "citation_author", "citation_publication_date", "citation_pdf_url"])
      assert.ok((meta.get(name)?.[0] ?? "") !== "", `${path} ${name}`);
    for (const name of ["citation_title", "citation_publication_date", "citation_pdf_url", "citation_abstract_html_url"])
      assert.equal(meta.get(name)?.length, 1, `${path} ${name} once`);
    assert.match(meta.get("citation_publication_date")?.[0] ?? "", /^\d{4}(?:\/\d{2}(?:\/\d{2})?)?$/);
    for (const author of meta.get("citation_author") ?? []) assert.doesNotMatch(author, /;| and /, "one author each");
    const pdf = await fetchOwn(meta.get("citation_pdf_url")?.[0] ?? "");
    assert.equal(pdf.headers.get("content-type"), "application/pdf");
    assert.equal((await pdf.text()).slice(0, 5), "%PDF-");
    assert.equal(links.find(({ rel }) => rel === "canonical")?.href, meta.get("citation_abstract_html_url")?.[0]);
  }
});

/** What Google asks of a type before it shows anything of it: https://developers.google.com/search/docs/appearance/structured-data */
const GOOGLE: Readonly<Record<string, (data: Record<string, unknown>) => boolean>> = {
  Dataset: ({ name, description }) => isText(name, 1) && isText(description, 50) && String(description).length <= 5000,
  ImageObject: ({ contentUrl, license, creator, creditText, copyrightNotice }) =>
    isText(contentUrl, 1) && (license ?? creator ?? creditText ?? copyrightNotice) !== undefined,
};
const isText = (value: unknown, length: number): boolean => typeof value === "string" && value.length >= length;

/** Terms of schema.org that the pages use. A processor drops what its context does not name; in safe mode it says so. */
const TERMS =
  "author contentSize contentUrl creativeWorkStatus creditText datePublished description encoding encodingFormat headline identifier isBasedOn isPartOf license name sha256 text url"
    .split(" ")
    .concat(
      "Claim CreativeWork DataCatalog Dataset DigitalDocument ImageObject MediaObject Person ScholarlyArticle SoftwareSourceCode TechArticle".split(
        " ",
      ),
    );
/** Its types know no safe mode. */
const processor = jsonld as unknown as { expand(data: object, options: object): Promise<Record<string, unknown>[]> };
const CONTEXT = { "@context": Object.fromEntries(TERMS.map((term) => [term, `https://schema.org/${term}`])) };

test("structured data of each kind of page: a JSON-LD processor drops nothing, and each type has what Google asks of it", async () => {
  const documentLoader = async (url: string) => {
    assert.equal(url.replace(/\/$/, ""), "https://schema.org");
    return { contextUrl: undefined, documentUrl: url, document: CONTEXT };
  };
  for (const path of await citedPages()) {
    const { data } = await headOf(path);
    assert.equal(data.length, 1, path);
    for (const one of data) {
      const [expanded] = await processor.expand(one, { documentLoader, safe: true });
      assert.deepEqual(expanded?.["@type"], [`https://schema.org/${String(one["@type"])}`], path);
      assert.equal(Object.keys(expanded ?? {}).length, Object.keys(one).length - 1, `${path}: all but the context`);
      const rule = GOOGLE[String(one["@type"])];
      assert.ok(rule === undefined || rule(one), `${path} ${JSON.stringify(one)}`);
    }
  }
});

test("Signposting can be walked from the headers alone: one cite-as, its citations, the bytes, and back to the page", async () => {
  for (const path of await citedPages()) {
    const links = parseLinks((await fetch(server.url + path, { method: "HEAD" })).headers.get("link"));
    const { links: inHead } = await headOf(path);
    const rels = links.map(({ rel }) => rel);
    assert.deepEqual(
      links,
      inHead.filter(({ rel }) => rels.includes(rel)),
      `${path}: the same as in the page`,
    );
    assert.equal(rels.filter((rel) => rel === "cite-as").length, 1, path);
    assert.ok(rels.includes("type") && rels.includes("describedby"), path);
    for (const { rel, href, type } of links) {
      if (!href.startsWith(BASE)) continue;
      const found = await fetchOwn(href, { accept: "*/*" });
      assert.equal(found.status, 200, href);
      if (type !== "") assert.equal(found.headers.get("content-type")?.replace(/;.*/, ""), type.replace(/;.*/, ""), href);
      if (rel === "item")
        assert.deepEqual(parseLinks(found.headers.get("link")), [{ rel: "collection", href: BASE + path, type: "text/html" }]);
      await found.arrayBuffer();
    }
  }
});

/** RFC 8288, as far as this service writes it. */
const parseLinks = (header: string | null): { rel: string; href: string; type: string }[] =>
  [...(header ?? "").matchAll(/<([^>]*)>((?:; ?[\w-]+="[^"]*")*)/g)].map(([, href = "", rest = ""]) => ({
    rel: /rel="([^"]*)"/.exec(rest)?.[1] ?? "",
    href,
    type: /type="([^"]*)"/.exec(rest)?.[1] ?? "",
  }));

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

type AtomItem = {
  readonly id: string;
  readonly title?: unknown;
  readonly updated: string;
  readonly author?: unknown;
  readonly content?: unknown;
};
type AtomLink = { readonly rel?: string; readonly href: string };
type AtomFeed = AtomItem & {
  readonly xmlns: string;
  readonly link: readonly AtomLink[];
  readonly entry?: readonly (AtomItem & { readonly link: readonly AtomLink[] })[];
};
type Xml = {
  readonly feed: AtomFeed;
  readonly urlset: { readonly xmlns: string; readonly url: readonly { readonly loc: string; readonly lastmod?: string }[] };
};

async function xmlOf(path: string): Promise<Xml> {
  const text = await (await fetchOwn(BASE + path)).text();
  assert.equal(XMLValidator.validate(text), true, path);
  const isArray = (name: string): boolean => ["entry", "link", "url", "sitemap", "author"].includes(name);
  return new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "", isArray }).parse(text) as Xml;
}

test("feeds have what RFC 4287 and JSON Feed 1.1 ask for", async () => {
  for (const page of ["", "/claims", "/registry", "/browse/notes"]) {
    const { feed } = await xmlOf(`${page}/feed.xml`);
    assert.equal(feed.xmlns, "http://www.w3.org/2005/Atom");
    const links = feed.link;
    assert.equal(links.find(({ rel }) => rel === "self")?.href, `${BASE}${page}/feed.xml`);
    const entries = feed.entry ?? [];
    for (const one of [feed, ...entries]) {
      assert.match(String(one.id), /^[a-z][a-z\d+.-]*:\S+$/i, "an absolute IRI");
      assert.notEqual(one.title ?? "", "");
      assert.match(String(one.updated), RFC3339);
    }
    for (const entry of entries) {
      assert.ok(feed.author !== undefined || entry.author !== undefined, "an author, of the feed or of each entry");
      assert.ok(entry.content !== undefined || entry.link.some(({ rel = "alternate" }) => rel === "alternate"));
    }
    assert.equal(new Set(entries.map(({ id }) => String(id))).size, entries.length);
    const json = (await (await fetchOwn(`${BASE}${page}/feed.json`)).json()) as {
      version: string;
      title: string;
      items: Record<string, unknown>[];
    };
    assert.equal(json.version, "https://jsonfeed.org/version/1.1");
    assert.ok(json.title !== "");
    for (const { id, content_text: text, content_html: html } of json.items)
      assert.ok(typeof id === "string" && id !== "" && (text ?? html) !== undefined);
  }
});

test("the sitemap keeps the protocol's rules, robots.txt names it, and what it names is there", async () => {
  const robots = await (await fetchOwn(`${BASE}/robots.txt`)).text();
  assert.match(robots, new RegExp(`^Sitemap: ${BASE}/sitemap\\.xml$`, "m"));
  const { urlset } = await xmlOf("/sitemap.xml");
  assert.equal(urlset.xmlns, "http://www.sitemaps.org/schemas/sitemap/0.9");
  const rows = urlset.url;
  assert.ok(rows.length > 20 && rows.length <= 50_000);
  assert.equal(new Set(rows.map(({ loc }) => loc)).size, rows.length);
  for (const { loc, lastmod } of rows) {
    assert.ok(loc.startsWith(`${BASE}/`) && loc.length < 2048 && new URL(loc).href === loc, loc);
    if (lastmod !== undefined) assert.match(lastmod, RFC3339);
  }
  for (const { loc } of rows.filter((_, at) => at % 25 === 0)) assert.equal((await fetchOwn(loc)).status, 200, loc);
});

test("programs that read no page find an icon where they look for it", async () => {
  const icon = await fetchOwn(`${BASE}/favicon.ico`);
  assert.equal(icon.headers.get("content-type"), "image/x-icon");
  const bytes = Buffer.from(await icon.arrayBuffer());
  assert.deepEqual([bytes.readUInt16LE(0), bytes.readUInt16LE(2), bytes.readUInt16LE(4)], [0, 1, 2], "an ICO of two pictures");
});

test("security.txt says whom to tell, until when, and where it stands (RFC 9116)", async () => {
  const found = await fetchOwn(`${BASE}/.well-known/security.txt`);
  assert.equal(found.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(
    await found.text(),
    `Contact: mailto:security@example.org\nExpires: 2099-01-01T00:00:00Z\nCanonical: ${BASE}/.well-known/security.txt\n`,
  );
});

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { before, test } from "node:test";
import { Worker } from "node:worker_threads";
import { brotliCompressSync } from "node:zlib";
import { fromHtml } from "hast-util-from-html";
import { type Folder, relationsOf } from "../snapshots/format/relations.ts";
import type { ViewData } from "../snapshots/format/view-data.ts";
import { browsePage, browseParts } from "../snapshots/page/library-pages.ts";
import type { BrowsePage } from "../snapshots/page/model.ts";
import { openRenderer, type Renderer } from "../snapshots/page/renderer.ts";
import { TINY, tinyData } from "../snapshots/verify/tiny-shelf-fixture.ts";
import { fixtures } from "./fixtures.ts";
import { findSiteDist } from "./site-dist-fixture.ts";

type Node = {
  readonly type: string;
  readonly tagName?: string;
  readonly properties?: Record<string, unknown>;
  readonly children?: readonly Node[];
  readonly value?: string;
};

const MAX_STYLESHEET = 14 * 1024; // bytes
const MAX_FRONT_PAGE = 60_000; // bytes over the wire
const MAX_PAGE = 60_000; // bytes of HTML

let renderer: Renderer;
const pages = new Map<string, string>();

before(async () => {
  renderer = await openRenderer(findSiteDist());
  for (const { name, input } of fixtures) pages.set(name, Buffer.from(await renderer.render(input)).toString());
});

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const child of node.children ?? []) yield* walk(child);
}

const elementsOf = (html: string): readonly Node[] => [...walk(fromHtml(html) as Node)].filter(({ type }) => type === "element");

function textOf(node: Node): string {
  return node.value ?? (node.children ?? []).map(textOf).join("");
}

test("no text of a stranger becomes a script, a handler, a style or a javascript: link", () => {
  for (const [name, html] of pages) {
    for (const node of elementsOf(html)) {
      const { tagName, properties = {} } = node;
      if (tagName === "script" && properties["type"] === "application/ld+json") {
        // Data, which no browser runs; nothing in it can end the element.
        JSON.parse(textOf(node));
        assert.doesNotMatch(textOf(node), /</, name);
      } else if (tagName === "script")
        assert.match(String(properties["src"]), /^[./\w-]*assets\/(?:page|kept|search|ask|agents|lines|pdf|on-files)-[\w-]+\.js$/, name);
      assert.ok(!["iframe", "object", "embed", "base", "style"].includes(tagName ?? ""), `${name}: <${tagName}>`);
      if (tagName === "img") assert.match(String(properties["src"]), /objects\/|^badge\.svg$/, name);
      for (const [property, value] of Object.entries(properties)) {
        assert.doesNotMatch(property, /^on|^style$/i, `${name}: ${property}`);
        // A receipt is offered as a file: the browser saves it and opens nothing.
        if (properties["download"] !== undefined && /^data:application\/json;charset=utf-8,[\w%.!~*'()-]+$/.test(String(value))) continue;
        if (/^(?:href|src|action)$/.test(property))
          assert.doesNotMatch(String(value), /^\s*(?:javascript|data|vbscript):/i, `${name}: ${property}`);
      }
    }
  }
});

const STAMPS: Readonly<Record<string, readonly string[]>> = {
  front: ["changes"],
  object: ["first"],
  record: ["states"],
  claim: ["states"],
  rejected: ["leaks"],
  browse: ["host"],
  registry: ["host"],
};

test("only the page itself asks for a stamp, never a text of a stranger", () => {
  for (const { name, input } of fixtures) {
    const stamps = [...(pages.get(name) ?? "").matchAll(/<!--stamp:(\w+)-->/g)].map(([, what]) => what);
    // A page that a query made, or that has nothing to put in order, says nothing of its host.
    // An object's first page speaks of its history.
    const isLater = input.model.page === "object" && input.model.part > 1;
    const expected = (isLater ? [] : (STAMPS[input.model.page] ?? [])).filter((stamp) => stamp !== "host" || stamps.length > 0);
    assert.deepEqual(stamps, expected, name);
  }
});

test("an object whose own HTML asks for a stamp gets none", async () => {
  const fixture = fixtures.find(({ name }) => name === "object-markdown");
  assert.ok(fixture?.input.model.page === "object");
  const html = Buffer.from(
    await renderer.render({ ...fixture.input, model: { ...fixture.input.model, html: "<p>a</p><!--stamp:first-->" } }),
  ).toString();
  assert.equal(html.match(/<!--stamp:/g)?.length, 1);
});

test("no key can look like another one: invisible and reordering characters are spelled out or gone", () => {
  for (const [name, html] of pages) {
    const shown = [...walk(fromHtml(html) as Node)]
      .filter(({ type }) => type === "text")
      .map(textOf)
      .join("");
    assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/, name);
  }
});

test("every link is relative or leaves the site by http", () => {
  for (const { name, input } of fixtures) {
    for (const { tagName, properties = {} } of elementsOf(pages.get(name) ?? "")) {
      for (const property of ["href", "src", "action"]) {
        const value = properties[property];
        if (value === undefined || (tagName === "link" && String(properties["rel"]) === "canonical")) continue;
        if (properties["download"] !== undefined && String(value).startsWith("data:application/json;")) continue;
        // Shown at any depth, so that their links start at the root.
        if (input.chrome.path === "/404.html" || (input.model.page === "gated" && property === "action")) continue;
        assert.match(
          String(value),
          /^(?:https?:\/\/|mailto:[\w.+-]+@[\w.-]+$|\.{1,2}\/|#|[\w@%~=-][\w@%.~=-]*(?:[/?#]|\.\w+$|$))/,
          `${name}: ${String(value)}`,
        );
        assert.doesNotMatch(String(value), /^\//, `${name}: ${String(value)}`);
      }
    }
  }
});

test("links of 404.html start at the folder of its canonical address, since it is shown at any depth", () => {
  const stylesheets = elementsOf(pages.get("not-found") ?? "").filter(
    ({ tagName, properties }) => tagName === "link" && String(properties?.["rel"]) === "stylesheet",
  );
  assert.match(String(stylesheets[0]?.properties?.["href"]), /^\/assets\//);
});

test("every page has one h1, a language, a title, a viewport, a main and no id twice", () => {
  for (const [name, html] of pages) {
    const elements = elementsOf(html);
    const count = (tag: string) => elements.filter(({ tagName }) => tagName === tag).length;
    assert.equal(count("h1"), 1, `${name}: h1`);
    assert.equal(count("main"), 1, `${name}: main`);
    const head = elements.find(({ tagName }) => tagName === "head")?.children ?? [];
    assert.equal(head.filter(({ tagName }) => tagName === "title").length, 1, `${name}: title`);
    const title = textOf(head.find(({ tagName }) => tagName === "title") ?? { type: "root" });
    assert.ok(title.length > 0 && title.length < 260, `${name}: title of ${title.length}`);
    assert.equal(elements.find(({ tagName }) => tagName === "html")?.properties?.["lang"], "en", name);
    const ids = elements.map(({ properties }) => properties?.["id"]).filter((id) => id !== undefined);
    assert.deepEqual(ids, [...new Set(ids)], `${name}: ids`);
  }
});

test("the same input gives the same bytes, also when pages are rendered at once and in another thread", async () => {
  const again = await Promise.all(
    fixtures.map(async ({ name, input }) => [name, Buffer.from(await renderer.render(input)).toString()] as const),
  );
  for (const [name, html] of again) assert.equal(html, pages.get(name), name);
  const fixture = fixtures[0];
  assert.ok(fixture !== undefined);
  const worker = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
     import(workerData.module).then(async ({ openRenderer }) => {
       const renderer = await openRenderer(workerData.dist);
       parentPort.postMessage([renderer.digest, Buffer.from(await renderer.render(workerData.input)).toString()]);
     });`,
    {
      eval: true,
      workerData: { module: new URL("../snapshots/page/renderer.ts", import.meta.url).href, dist: findSiteDist(), input: fixture.input },
    },
  );
  const [digest, html] = await new Promise<[string, string]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  assert.equal(digest, renderer.digest);
  assert.equal(html, pages.get(fixture.name));
});

test("a renderer works from any working directory", async () => {
  const before = process.cwd();
  process.chdir(tmpdir());
  try {
    assert.equal((await openRenderer(findSiteDist())).digest, renderer.digest);
  } finally {
    process.chdir(before);
  }
});

test("a page that cannot be rendered throws instead of giving a page of its own", async () => {
  const broken = { chrome: fixtures[0]?.input.chrome, model: { page: "front" } } as unknown as Parameters<Renderer["render"]>[0];
  await assert.rejects(renderer.render(broken));
});

test("a folder without compiled pages is refused with build_failed", async () => {
  await assert.rejects(openRenderer(tmpdir()), { code: "build_failed" });
});

test("there is one stylesheet, small, and the front page with everything is under 60 kB over the wire", () => {
  const stylesheets = renderer.assets.filter(({ path }) => path.endsWith(".css"));
  assert.equal(stylesheets.length, 1);
  assert.ok((stylesheets[0]?.bytes.length ?? Infinity) < MAX_STYLESHEET, `${stylesheets[0]?.bytes.length} bytes`);
  const wire = [Buffer.from(pages.get("front") ?? ""), ...renderer.assets.map(({ bytes }) => bytes)].reduce(
    (sum, bytes) => sum + brotliCompressSync(bytes).length,
    0,
  );
  assert.ok(wire < MAX_FRONT_PAGE, `${wire} bytes`);
});

test("a page of a folder is under 60 kB, however many objects lie in it, and leads by ranges of names to any other", async () => {
  const [{ input }] = fixtures.filter(({ name }) => name === "browse") as [(typeof fixtures)[number]];
  const rows = (input.model as BrowsePage).objects;
  const sentence = "Insertion keeps a list sorted, and so does the removal of an element, whatever its place. ".repeat(2);
  const objects = Array.from({ length: 10_000 }, (_, at) => ({
    ...(rows[0] as (typeof rows)[number]),
    key: `proofs/${String(at).padStart(6, "0")}-insertion-keeps-sorted.md`,
    title: `Insertion keeps a list sorted, part ${at}`,
    summary: sentence,
    media_type: "text/markdown",
    uploaded: "2026-01-02T03:04:05Z",
  }));
  const data: ViewData = { ...tinyData(TINY, "public"), objects };
  const folder = relationsOf(data).folders.get("proofs/") as Folder;
  for (const part of [1, 2, browseParts(folder)]) {
    const model = browsePage(data, folder, "name", part);
    const html = Buffer.from(await renderer.render({ ...input, model }));
    assert.ok(html.length < MAX_PAGE, `${html.length} bytes`);
    assert.equal(model.jumps.filter(({ here }) => here).length, 1);
  }
});

test("a record shows the lines of its theorem, its twin and its function, and what it cannot show it names", () => {
  const html = pages.get("record") ?? "";
  assert.match(html, /<h3[^>]*>Coq <code[^>]*><bdi[^>]*>insert_keeps_sorted<\/bdi>[^]*<span class="k">Lemma<\/span> insert_keeps_sorted/);
  assert.match(html, /href="[^"]*object\/proofs\/Sort\.v\/#L8-L10"/);
  assert.match(html, /<h3[^>]*>Lean [^]*The text of this file is gated\. Who is let in reads it/);
  assert.match(html, /<h3[^>]*>Rust [^]*it was pinned, and is not there any more/);
  assert.equal(html.match(/coqc -R proofs/g)?.length, 1, "the command once");
  assert.match(html, /and Coq \(coqc\), Lean \(lake\)/);
});

test("parts of one shape in a bar are told apart by their strength, in the bar and beside their numbers", () => {
  const html = pages.get("dashboard") ?? "";
  const figure =
    /<figure class="chart"[^]*?How many run in production[^]*?<\/figure>/.exec(html.slice(html.indexOf("How many run") - 200))?.[0] ?? "";
  const looks = [...figure.matchAll(/class="part (\w+ step-\d)"/g)].map(([, look]) => look);
  assert.ok(looks.length >= 8 && new Set(looks).size === looks.length / 2, looks.join(", "));
});

test("an image of an object is shown, and a PDF's text", () => {
  assert.match(pages.get("object-image") ?? "", /<img src="[^"]*objects\/proofs\/figures\/tree\.png"/);
  assert.match(pages.get("object-pdf") ?? "", /<article id="page-1"[^>]*>[^]*Page 1<\/h2>[^]*We show that insertion keeps order/);
  assert.doesNotMatch(pages.get("object-pdf") ?? "", /is not shown as text/);
});

test("a link to a picture is shown with it, and others with none", () => {
  const shown = (name: string): string | undefined => /<meta property="og:image" content="([^"]*)"/.exec(pages.get(name) ?? "")?.[1];
  assert.equal(shown("object-image"), "https://library.example.org/objects/proofs/figures/tree.png");
  assert.deepEqual([shown("front"), shown("claim"), shown("record")], [undefined, undefined, undefined]);
});

test("lines of a PDF's page are quoted above its text and marked in it, and no other page's", () => {
  const html = pages.get("object-pdf-quoted") ?? "";
  assert.match(html, /<h2[^>]*>Page 2, lines 2–3, as quoted<\/h2>[^]*<mark[^>]*>Lists are sorted by inserting<\/mark>/);
  assert.match(html, /href="#P2L2:~:text=[^"]*"[^>]*>See it in the text/);
  assert.deepEqual(
    [...html.matchAll(/id="(P\d+L\d+)" data-cited/g)].map(([, id]) => id),
    ["P2L2", "P2L3"],
  );
});

test("a result with copies links each of their pages", () => {
  const copies = /<p class="card-facts"[^>]*><span[^>]*>the same bytes:<\/span>(.*?)<\/p>/s.exec(pages.get("search") ?? "")?.[1] ?? "";
  assert.match(copies, /href="[^"]*object\/papers\/Sort\.v\/"/);
  assert.equal([...copies.matchAll(/<a /g)].length, 2);
});

test("the command that checks an object can be pasted whatever its key is", () => {
  const command = /<code>(curl[^<]*)</.exec(pages.get("object-hostile") ?? "")?.[1]?.replaceAll("&#39;", "'");
  assert.equal(
    command,
    `curl -s 'https://library.example.org/objects/notes/%3Cb%3E%22quoted%22%20%26%20'\\''single'\\''/%23%3F%2525%20%E2%80%AEcod.v' | sha256sum`,
  );
});

test("the internal view says that it is one", () => {
  assert.match(pages.get("front-internal") ?? "", /Internal view/);
  assert.doesNotMatch(pages.get("front") ?? "", /Internal view/);
});

test("a comparison of three hundred records that moved says once from where, and is no heavier than 100 kB", async () => {
  const input = fixtures.find(({ name }) => name === "diff")?.input;
  const [move, other] = input?.model.page === "diff" ? input.model.moves : [];
  assert.ok(input?.model.page === "diff" && move !== undefined && other !== undefined);
  const [row] = move.rows;
  assert.ok(row !== undefined);
  const rows = Array.from({ length: 300 }, (_, at) => ({
    ...row,
    name: `continuous_func_continuous_everywhere_${at}`,
    was: at % 3 === 0 ? "said" : row.was,
  }));
  const html = Buffer.from(
    await renderer.render({ ...input, model: { ...input.model, moves: [{ ...move, count: 300, rows }] } }),
  ).toString();
  assert.equal(html.match(/everywhere_<wbr>\d/g)?.length, 300);
  assert.equal(html.match(/<span>was <span class="state/g)?.length, 2);
  assert.ok(html.length < 100_000, `${html.length}`);
});

test("of two lists that changed only what differs is shown, a change of order is said, and the program's own files are folded", () => {
  const lists = elementsOf(pages.get("diff") ?? "").filter(({ tagName }) => tagName === "section");
  const of = (what: string): Node => lists.find(({ properties }) => properties?.["ariaLabelledBy"]?.toString() === `of-${what}`) as Node;
  const values = [...walk(of("claim"))].filter(({ tagName }) => tagName === "dd").map((value) => textOf(value).trim());
  assert.deepEqual(values.slice(-3), ["the same entries in another order", "a", "c"]);
  const folded = [...walk(of("other"))].find(({ tagName }) => tagName === "details");
  assert.ok(folded !== undefined && !("open" in (folded.properties ?? {})));
  assert.match(textOf(folded), /^Other files 1/);
});

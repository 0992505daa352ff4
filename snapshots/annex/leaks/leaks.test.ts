import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { sha256 } from "../../digest.ts";
import { formatKeyPath, objectPath, pagePath } from "../../format/layout.ts";
import { type GatedSecrets, gatedSecrets, matches } from "./gated.ts";
import { findLeaks, type Leak, type LeakOptions } from "./leaks.ts";
import type { ScannedFile } from "../../verify/scanned-file.ts";
import type { Extract } from "../../schema/extract.ts";
import { GATED_TEXT, TINY, tinyData, type TinySource } from "../../verify/tiny-shelf-fixture.ts";

const KEY = 'drafts/Überblick <final> & "notes"?.md';
const TITLE = "The <unannounced> merger & what's next";
const CANARY = "canary-7f3a9b21-private";
const SOURCE: TinySource = { ...TINY, objects: [...TINY.objects, { key: KEY, text: `${GATED_TEXT}.\n`, title: TITLE }] };

function passages(text: string): Extract {
  return {
    title: TITLE,
    summary: "",
    kind: "text",
    media_type: "text/plain",
    language: null,
    lines: 1,
    html: null,
    notes: [],
    passages: [{ heading: [], name: null, page: null, start_line: 1, end_line: 1, text }],
  };
}

const secretsOf = (source: TinySource = SOURCE, text = GATED_TEXT): Promise<GatedSecrets> =>
  gatedSecrets(
    tinyData(source, "public"),
    tinyData(source, "internal"),
    async (key) => (SOURCE.objects.some((object) => object.key === key) ? passages(text) : null),
    [CANARY],
  );

const file = (path: string, content: string | Uint8Array, more: Partial<ScannedFile> = {}): ScannedFile => ({
  path,
  bytes: Buffer.from(content),
  source: path.startsWith("objects/"),
  type: "text/plain",
  ...more,
});
const HTML = { type: "text/html; charset=utf-8" };
const JSON_TYPE = { type: "application/json" };

const leaksOf = async (secrets: GatedSecrets, files: readonly ScannedFile[], options: LeakOptions = {}): Promise<readonly Leak[]> =>
  (await findLeaks(secrets, files, options)).leaks;

async function scan(content: string | Uint8Array, more: Partial<ScannedFile> = {}): Promise<string[]> {
  const leaks = await leaksOf(await secretsOf(), [file(more.path ?? "pages/x", content, { source: false, ...more })]);
  return [...new Set(leaks.map((leak) => `${leak.severity} ${leak.kind}`))];
}

const html = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
const numeric = (text: string): string => [...text].map((letter) => `&#x${(letter.codePointAt(0) ?? 0).toString(16)};`).join("");
const unicode = (text: string): string =>
  [...text].map((letter) => `\\u${(letter.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`).join("");

test("a gated key is found in every spelling that a file of the public view could use", async () => {
  for (const [spelling, more] of [
    [KEY],
    [formatKeyPath(KEY)],
    [encodeURIComponent(KEY)],
    [objectPath(KEY)],
    [pagePath.object(KEY)],
    [decodeURIComponent(pagePath.object(KEY))],
    [JSON.stringify(KEY), JSON_TYPE],
    [`{"k":"${unicode(KEY)}"}`, JSON_TYPE],
    [html(KEY), HTML],
    [`<a href="${html(pagePath.object(KEY))}">`, HTML],
    [`<i>${numeric(KEY)}</i>`, HTML],
    [JSON.stringify({ html: `<p>${numeric(KEY)}</p>` }), { ...JSON_TYPE, path: "extracts/x" }],
  ] as const) {
    assert.deepEqual(await scan(spelling, more), ["error key"], spelling);
    if (more?.type !== JSON_TYPE.type) assert.deepEqual(await scan(`before ${spelling} after`, more), ["error key"], spelling);
  }
  assert.deepEqual(await scan(Buffer.from(`x${KEY}`, "utf16le")), ["error key"]);
});

test("a digest is found wherever it begins, whatever stands before and behind it", async () => {
  const digest = sha256(`${GATED_TEXT}.\n`);
  const secrets = await secretsOf();
  for (let length = 0; length <= 130; length++)
    for (const filling of ["x", "f"]) {
      const text = `${filling.repeat(length)}${digest}${filling.repeat(130 - length)} g`;
      const found = [...matches(secrets, Buffer.from(text))].map(({ offset, end }) => text.slice(offset, end));
      assert.deepEqual(found, [digest], `${length} ${filling}`);
    }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("a", "0", "F", "g", " ", "\n", digest), { maxLength: 200 }), async (parts) => {
      const planted = parts.filter((part) => part === digest).length;
      // A digest that begins inside another would be no accident.
      assert.equal([...matches(secrets, Buffer.from(parts.join("")))].length, planted);
    }),
  );
});

test("digests are found in either case, inside longer runs of hex, and as bytes or base64", async () => {
  const digest = sha256(`${GATED_TEXT}.\n`);
  const raw = Buffer.from(digest, "hex");
  for (const spelling of [
    digest,
    digest.toUpperCase(),
    `ab${digest}cd`,
    `sha-256=:${raw.toString("base64")}:`,
    raw.toString("base64url"),
    Buffer.concat([Buffer.of(1, 2), raw, Buffer.of(3)]),
  ]) {
    assert.deepEqual(await scan(spelling), ["error digest"], String(spelling));
  }
  assert.deepEqual(await scan(digest.slice(1)), []);
  assert.deepEqual(await scan(sha256("something else")), []);
});

test("titles, withheld evidence, gated prefixes and canaries are found; short titles and public ones are not", async () => {
  assert.deepEqual(await scan(`<h1>${html(TITLE)}</h1>`, HTML), ["error title"]);
  assert.deepEqual(await scan("<li>Unpublished drafts</li>", HTML), ["error title"]);
  assert.deepEqual(await scan(`href="/browse/drafts/"`), ["error key"]);
  assert.deepEqual(await scan("see example/withheld-repository"), ["error private"]);
  assert.deepEqual(await scan(`{"x":"${CANARY}"}`), ["error private"]);
  assert.deepEqual(await scan("Hello, what?.md, notes/hello.md, Sorting is correct, Tiny library"), []);
});

test("gated text is found from eight words on, whatever its case, punctuation, markup and line breaks", async () => {
  const words = GATED_TEXT.split(" ");
  const content = (inside: string): string => `<main><section class="text markdown">${inside}</section></main>`;
  for (const [quoted, more] of [
    [words.slice(3, 11).join(" ")],
    [words.slice(0, 8).join("\n\t "), { type: "text/css" }],
    [words.slice(5, 13).join(", ").toUpperCase()],
    [
      `<p>${words
        .slice(4, 12)
        .map((word) => `<b>${word}</b>`)
        .join(" ")}</p>`,
      HTML,
    ],
    [
      `<td>${words
        .slice(4, 12)
        .map((word) => `<span>${word.slice(0, 2)}</span><span>${word.slice(2)}</span>`)
        .join(" ")}</td>`,
      HTML,
    ],
    [`<meta name="description" content="${words.slice(2, 10).join(" ")}">`, HTML],
    [`<!-- ${words.slice(2, 10).join(" ")} -->`, HTML],
    [`<script>/* ${words.slice(2, 10).join(" ")} */</script>`, HTML],
    [
      content(
        words
          .slice(2, 10)
          .map((word) => `<p>${word}</p>`)
          .join(""),
      ),
      HTML,
    ],
    [
      content(
        `<pre>${words
          .slice(2, 10)
          .map((word) => `<a href="#">${word}</a>`)
          .join("\n")}</pre>`,
      ),
      HTML,
    ],
    [`${words.slice(0, 8).join("&nbsp;")}<br>`, HTML],
    [JSON.stringify({ a: words.slice(2, 10).join("\n") }), JSON_TYPE],
    [JSON.stringify({ [words.slice(2, 10).join(" ")]: 1 }), JSON_TYPE],
    [
      JSON.stringify({
        html: words
          .slice(2, 10)
          .map((word) => `<p>${word}</p>`)
          .join(""),
      }),
      { ...JSON_TYPE, path: "extracts/x" },
    ],
  ] as const)
    assert.deepEqual(await scan(quoted, more), ["error text"], quoted);
  assert.deepEqual(await scan(words.slice(3, 10).join(" ")), []);
  assert.deepEqual(await scan([...words].reverse().join(" ")), []);
});

test("texts that stand beside each other by layout alone are not one text", async () => {
  const [start, rest] = [GATED_TEXT.split(" ").slice(0, 4).join(" "), GATED_TEXT.split(" ").slice(4, 9).join(" ")];
  for (const [apart, more] of [
    [JSON.stringify([start, rest]), JSON_TYPE],
    [JSON.stringify({ [start]: rest }), JSON_TYPE],
    [`${start}\n${rest}`, { path: "pages/llms.txt" }],
    [`<main><section class="text markdown"><p>${start}</p></section><nav><a>${rest}</a></nav></main>`, HTML],
    [`<main><section class="text code"><section><pre>${start}</pre></section></section><p>${rest}</p></main>`, HTML],
    [`<ul><li>${start}</li><li>${rest}</li></ul>`, HTML],
    [`<table><tr><th><a>${start}</a><code>${rest}</code></th></tr></table>`, HTML],
    [`<img alt="${start}" title="${rest}">`, HTML],
    [`<p title="${start}">${rest}</p>`, HTML],
    // Rows of the index stand end to end in its files.
    [`${start} ${rest}`, { path: "index/0.lance", type: "application/octet-stream", binary: true }],
  ] as const)
    assert.deepEqual(await scan(apart, more), [], apart);
});

test("neither JSON nor escapes nor markup make a text that is another's", async () => {
  // As a gated program has it, to be written into a file, and as public files have it between real line breaks.
  const literal = String.raw`let header = "\n\n(* From Core Require Import Core. *)\n\n";`;
  const secrets = await secretsOf(SOURCE, literal);
  const text = "Open Scope Z_scope.\n\n(* From Core Require Import Core. *)\n\nLemma a : True.";
  for (const [said, more] of [
    [JSON.stringify({ passages: [{ text }] }), { path: "extracts/notes/a.v", ...JSON_TYPE }],
    [`<section class="text code"><pre>${text}</pre></section>`, HTML],
    [text, { path: "objects/notes/a.v" }],
  ] as const)
    assert.deepEqual(await leaksOf(secrets, [file("pages/x", said, more)]), [], said);
  assert.equal((await leaksOf(secrets, [file("pages/x", literal, { type: "text/css" })])).length, 1);
  assert.equal((await leaksOf(secrets, [file("api/x.json", JSON.stringify([literal]), JSON_TYPE)])).length, 1);
  const titled = await gatedSecrets(
    tinyData(SOURCE, "public"),
    tinyData({ objects: [...TINY.objects, { key: KEY, text: "", title: "Use &lt;b&gt; and &amp;" }] }, "internal"),
    async () => null,
  );
  assert.deepEqual(await leaksOf(titled, [file("pages/x", "<p>Use &lt;b&gt; and &amp;</p>", HTML)]), []);
  assert.equal((await leaksOf(titled, [file("pages/x", "<p>Use &amp;lt;b&amp;gt; and &amp;amp;</p>", HTML)])).length, 1);
});

test("a gated JSON document is its strings as well as its lines", async () => {
  const json = JSON.stringify({ name: "x", note: 'first line of it\nsecond "line" of it and more words' }, null, 1);
  const extract: Extract = { ...passages(json), kind: "json" };
  const secrets = await gatedSecrets(tinyData(SOURCE, "public"), tinyData(SOURCE, "internal"), async () => extract);
  const found = await leaksOf(secrets, [file("pages/x", "<p>line of it\nsecond “line” of it and more</p>", HTML)]);
  assert.deepEqual(
    found.map(({ kind }) => kind),
    ["text"],
  );
});

test("compressed files are looked into, also a cut-off file", async () => {
  const text = JSON.stringify({ content: `${GATED_TEXT} ${KEY}`, filler: sha256("1").repeat(200) });
  assert.deepEqual(await scan(gzipSync(text), JSON_TYPE), ["error key", "error text"]);
  assert.deepEqual(await scan(gzipSync(text).subarray(0, -20), JSON_TYPE), ["error key", "error text"]);
  assert.deepEqual(await scan(brotliCompressSync(text), { ...JSON_TYPE, path: "pages/x.br" }), ["error key", "error text"]);
  assert.deepEqual(await scan(Buffer.from([0x1f, 0x8b, 1, 2, 3])), []);
});

test("what hostile markup takes to read grows with its length", async () => {
  const secrets = await secretsOf();
  for (const part of ["<!--", "<a '", '<a "', "<a x", "<script>", '<section class="text ">', "&#x", "["]) {
    const bytes = part.repeat(200_000);
    assert.deepEqual(
      await leaksOf(secrets, [file("objects/notes/x.html", bytes, HTML), file("objects/notes/x.json", bytes, JSON_TYPE)]),
      [],
    );
  }
});

test("what a public source says itself is a warning there, and none in what follows from it", async () => {
  const said = `${GATED_TEXT}. See ${KEY}.`;
  const page = file("pages/derived", `<p>${html(said)}</p>`, HTML);
  const source = file("objects/notes/a.md", said);
  for (const order of [
    [page, source],
    [source, page],
  ]) {
    assert.deepEqual(
      (await leaksOf(await secretsOf(), order)).map(({ severity, kind, public: { path } }) => [severity, kind, path]),
      [["warning", "key", "objects/notes/a.md"]],
    );
  }
  // One gated secret being public does not excuse another.
  const more = file("pages/derived", `<p>${html(said)}</p><p>${CANARY}</p>`, HTML);
  const errors = (await leaksOf(await secretsOf(), [source, more])).filter((leak) => leak.severity === "error");
  assert.deepEqual(
    errors.map((leak) => leak.kind),
    ["private"],
  );
});

test("an extract says what its object says when that is read anew, and nothing more is believed", async () => {
  const source = file("objects/notes/a.md", `${GATED_TEXT.replaceAll(" ", " [](http://x.example/) ")}\n`);
  const extract = (more: string): ScannedFile =>
    file("extracts/notes/a.md", JSON.stringify({ html: `<p>${GATED_TEXT}</p>`, summary: more }), JSON_TYPE);
  const asked: string[] = [];
  const reread = async (key: string): Promise<readonly string[]> => {
    asked.push(key);
    return [GATED_TEXT];
  };
  const page = file("pages/a", `<section class="text markdown"><p>${GATED_TEXT}</p></section>`, HTML);
  assert.equal((await leaksOf(await secretsOf(), [source, extract(""), page])).length, 2);
  assert.deepEqual(await leaksOf(await secretsOf(), [source, extract(""), page], { reread }), []);
  assert.deepEqual(asked, ["notes/a.md"]);
  const [leak, ...others] = await leaksOf(await secretsOf(), [source, extract(TITLE), page], { reread });
  assert.deepEqual([leak?.kind, leak?.public.pointer, others], ["title", "/summary", []]);
  await leaksOf(await secretsOf(), [file("extracts/notes/b.md", JSON.stringify({ html: "<p>Nothing of it</p>" }), JSON_TYPE)], { reread });
  assert.equal(asked.length, 2);
});

test("a leak says which public file with its line, which gated object with its line, and the text", async () => {
  const source: TinySource = { objects: [{ key: "drafts/plan.md", text: "", title: "Plan" }] };
  const secrets = await gatedSecrets(tinyData(source, "public"), tinyData(source, "internal"), async () => ({
    ...passages(""),
    passages: [{ heading: [], name: null, page: null, start_line: 7, end_line: 9, text: `# Plan\n\nThen: ${GATED_TEXT}` }],
  }));
  const text = "The committee met at dawn behind the old observatory";
  const gated = { name: "drafts/plan.md", line: 9 };
  const passage = { start_line: 4, text: `Before.\n${text}!` };
  const [inExtract, inPage, ...others] = await leaksOf(secrets, [
    file("extracts/notes/a.md", JSON.stringify({ passages: [passage] }), JSON_TYPE),
    file("pages/index.html", `<html>\n<p>\nSomebody: ${text}.</p>`, HTML),
  ]);
  assert.deepEqual(inExtract, {
    severity: "error",
    kind: "text",
    text,
    public: { name: "notes/a.md", path: "extracts/notes/a.md", line: 5, pointer: "/passages/0/text" },
    gated,
  });
  assert.deepEqual(inPage?.public, { name: "pages/index.html", path: "pages/index.html", line: 3, pointer: null });
  assert.deepEqual(others, []);
  const [key] = await leaksOf(secrets, [file("pages/x.txt", "a\nb drafts/plan.md")]);
  assert.deepEqual(
    [key?.kind, key?.text, key?.public.line, key?.gated],
    ["key", "drafts/plan.md", 2, { name: "drafts/plan.md", line: null }],
  );
});

test("what is allowed in one public file is no leak there, nor in what is made of it, and what allows nothing is said", async () => {
  const words = GATED_TEXT.split(" ");
  const text = words.slice(0, 9).join(" ");
  const files = [
    file("extracts/notes/a.md", JSON.stringify({ summary: `${text} and ${TITLE}` }), JSON_TYPE),
    file("pages/a", `<p>${text}</p><p>${html(TITLE)}</p>`, HTML),
  ];
  const allow = (covered: string, said: string | null, gated: string | null = null) => ({
    covers: (name: string) => name === covered,
    text: said,
    gated,
  });
  const tell = async (...allowances: ReturnType<typeof allow>[]): Promise<unknown> => {
    const { leaks, allowed } = await findLeaks(await secretsOf(), files, { allow: allowances });
    return [[...new Set(leaks.map(({ kind }) => kind))].sort(), allowed];
  };
  assert.deepEqual(await tell(), [["text", "title"], []]);
  assert.deepEqual(await tell(allow("notes/a.md", text)), [["title"], [true]]);
  assert.deepEqual(await tell(allow("notes/a.md", `${text}, they say`), allow("notes/a.md", TITLE)), [[], [true, true]]);
  assert.deepEqual(await tell(allow("notes/a.md", null, KEY)), [[], [true]]);
  assert.deepEqual(await tell(allow("notes/a.md", text, KEY)), [["title"], [true]]);
  assert.deepEqual(await tell(allow("notes/a.md", text, "drafts/other.md")), [["text", "title"], [false]]);
  assert.deepEqual(await tell(allow("notes/b.md", text)), [["text", "title"], [false]]);
  assert.deepEqual(await tell(allow("notes/a.md", words.slice(5, 16).join(" "))), [["text", "title"], [false]]);
});

test("long passages that a public object shares with a gated one are told, boilerplate and short ones are not", async () => {
  const long = Array.from({ length: 90 }, (_, n) => `word${n} of`).join(" ");
  const source: TinySource = { objects: ["a", "b", "c"].map((name) => ({ key: `drafts/${name}.md`, text: name, title: name })) };
  const texts: Record<string, string> = { "drafts/a.md": `Begin\n${long}`, "drafts/b.md": long.replaceAll("of", "to"), "drafts/c.md": "" };
  texts["drafts/c.md"] = texts["drafts/b.md"] ?? "";
  const secrets = (): Promise<GatedSecrets> =>
    gatedSecrets(tinyData(source, "public"), tinyData(source, "internal"), async (key) => passages(texts[key] ?? ""));
  const publicFiles = (key: string, text: string): ScannedFile[] => [
    file(`objects/${key}`, text),
    file(`extracts/${key}`, JSON.stringify({ passages: [{ start_line: 3, text }] }), JSON_TYPE),
  ];
  const shared = async (count: number, text: string): Promise<unknown> => {
    const files = Array.from({ length: count }, (_, n) => publicFiles(`notes/${n}.md`, text));
    const report = await findLeaks(await secrets(), files.flat());
    assert.deepEqual(report.leaks, []);
    return report.shared;
  };
  const pair = (n: number) => ({ words: 179, public: { key: `notes/${n}.md`, line: 4 }, gated: { key: "drafts/a.md", line: 2 } });
  const text = `Title\n${long}`;
  assert.deepEqual(await shared(1, text), [{ ...pair(0), words: 180 }]);
  assert.deepEqual(
    (await shared(3, text)) as unknown[],
    [0, 1, 2].map((n) => ({ ...pair(n), words: 180 })),
  );
  assert.deepEqual(await shared(4, text), []);
  assert.deepEqual(await shared(1, long.replaceAll("of", "to")), []);
  const short = long.split(" ").slice(0, 12).join(" ");
  assert.deepEqual(
    ((await shared(1, long.slice(0, 200))) as { words: number }[]).map(({ words }) => words),
    [42],
  );
  assert.deepEqual(
    ((await shared(1, short)) as { words: number }[]).map(({ words }) => words),
    [12],
    "all that it says is gated",
  );
  assert.deepEqual(await shared(1, `${short} and some words of its own`), []);
});

test("a gated prefix inside another path is no word about it, and one that begins a path is told with its line; both are public then", async () => {
  const note = (text: string): ScannedFile => file("objects/notes/x.md", text);
  for (const inside of ["See https://example.org/drafts/1.", "lib/drafts/", "x-drafts/", "a.drafts/", "%2Fdrafts/", "user@host:drafts/"])
    assert.deepEqual(await leaksOf(await secretsOf(), [note(inside), file("pages/x", inside, HTML)]), [], inside);
  for (const begins of ["drafts/", "(drafts/)", "[x](../drafts/)", "/objects/drafts/", "http://example.org/drafts/ and drafts/"]) {
    const leaks = await leaksOf(await secretsOf(), [note(`\n\n${begins}`), file("pages/x", begins, HTML)]);
    assert.deepEqual(
      leaks.map(({ severity, kind, text, public: { path, line } }) => [severity, kind, text, path, line]),
      [["warning", "key", "drafts/", "objects/notes/x.md", 3]],
      begins,
    );
  }
});

test("names that only begin like a gated key are no leak", async () => {
  const source: TinySource = {
    objects: [
      { key: "notes/plan.md", text: "x" },
      { key: "drafts/plan", text: "y" },
    ],
  };
  const secrets = await gatedSecrets(tinyData(source, "public"), tinyData(source, "internal"), async () => null);
  const found = async (text: string): Promise<number> => (await leaksOf(secrets, [file("p", text)])).length;
  for (const harmless of ["my-draft/plan", "drafts-of/planning", "draft"]) assert.equal(await found(harmless), 0, harmless);
  for (const leak of ["drafts/plan", "(drafts/plan)", "drafts/plan.", "x/drafts/plan?"]) assert.equal(await found(leak), 1, leak);
  assert.equal((await leaksOf(secrets, [file("p", "drafts/plan")]))[0]?.text, "drafts/plan");
  // Told for its gated prefix.
  assert.equal((await leaksOf(secrets, [file("p", "drafts/plan.md")]))[0]?.text, "drafts/");
});

test("an object with the bytes, title or text of a public one is secret by its key only", async () => {
  const text = "One public text that is also kept among the gated ones, word for word.";
  const source: TinySource = {
    objects: [
      { key: "notes/same.md", text, title: "The same long title" },
      { key: "drafts/same.md", text, title: "The same long title" },
    ],
  };
  const secrets = await gatedSecrets(tinyData(source, "public"), tinyData(source, "internal"), async () => passages(text));
  const files: ScannedFile[] = [
    file("objects/notes/same.md", `# The same long title\n${text}`),
    file("pages/same", `The same long title ${sha256(text)} ${text}`),
    file("pages/leak", "drafts/same.md"),
  ];
  assert.deepEqual(
    (await leaksOf(secrets, files)).map((leak) => [leak.severity, leak.kind, leak.text, leak.public.path]),
    [
      ["warning", "title", "The same long title", "objects/notes/same.md"],
      ["error", "key", "drafts/same.md", "pages/leak"],
    ],
  );
});

test("a title is found in whatever case it is written, and said in public so as well", async () => {
  assert.deepEqual(await scan(TITLE.toLowerCase()), ["error title"]);
  const files = [file("objects/a.md", TITLE.toUpperCase()), file("pages/a", TITLE), file("assets/words", TITLE.toLowerCase())];
  const told = (await leaksOf(await secretsOf(), files)).map(({ severity, kind, public: { path } }) => [severity, kind, path]);
  assert.deepEqual(told, [["warning", "title", "objects/a.md"]]);
});

test("what a module is called by its path alone is no secret; its path is, and a name that it gives itself", async () => {
  const data = async (text: string): Promise<GatedSecrets> => {
    const source: TinySource = {
      objects: [...TINY.objects, { key: "drafts/exporter/src/sinto.rs", text, title: "exporter::sinto" }],
    };
    const internal = tinyData(source, "internal");
    const code = {
      ...internal,
      objects: internal.objects.map((row) => (row.title === "exporter::sinto" ? { ...row, kind: "code" as const } : row)),
    };
    return gatedSecrets(tinyData(source, "public"), code, async () => passages(text));
  };
  const found = async (text: string, said: string): Promise<string[]> =>
    (await leaksOf(await data(text), [file("assets/words", said)])).map(({ kind }) => kind);
  assert.deepEqual(await found("pub fn x() {}", "name:exporter::sinto"), []);
  assert.deepEqual(await found("pub fn x() {}", "drafts/exporter/src/sinto.rs"), ["key"]);
  assert.deepEqual(await found("//! exporter::sinto does it", "name:exporter::sinto"), ["title"]);
});

test("with nothing gated no file is read", async () => {
  const source: TinySource = { objects: TINY.objects.filter((object) => object.key.startsWith("notes/")) };
  const data = tinyData(source, "public");
  const secrets = await gatedSecrets(data, { ...tinyData(source, "internal"), library: data.library }, async () =>
    assert.fail("an extract was read"),
  );
  assert.equal(secrets.empty, true);
  const untouchable = { [Symbol.asyncIterator]: () => assert.fail("a file was read") };
  assert.deepEqual(await findLeaks(secrets, untouchable), { leaks: [], shared: [], allowed: [], looked: { files: 0, bytes: 0 } });
});

test("wherever a secret is put into other bytes, it is found; other bytes alone are clean", async () => {
  const secrets = await secretsOf();
  const find = (bytes: Uint8Array): Promise<readonly Leak[]> => leaksOf(secrets, [file("p", bytes)]);
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(KEY, TITLE, CANARY, sha256(`${GATED_TEXT}.\n`)),
      async (before, after, secret) => {
        assert.deepEqual(await find(Buffer.concat([before, after])), []);
        // A space, so that a random letter does not make the key a longer name.
        assert.equal((await find(Buffer.concat([before, Buffer.from(`${secret} `), after]))).length, 1);
      },
    ),
  );
});

test("the time is linear: ten thousand secrets cost a scan hardly more than ten", async () => {
  const bytes = Buffer.from(Array.from({ length: 30_000 }, (_, at) => `drafts word${at} ${(at * 7919) % 1000} notes/hello`).join(" "));
  const time = async (count: number): Promise<number> => {
    const objects = Array.from({ length: count }, (_, at) => ({
      key: `drafts/${at}/file-${at}.md`,
      text: "",
      title: `drafts word title ${at} of many`,
    }));
    const source: TinySource = { objects };
    const secrets = await gatedSecrets(tinyData(source, "public"), tinyData(source, "internal"), async () => null);
    const began = performance.now();
    assert.deepEqual(await leaksOf(secrets, [file("p", bytes)]), []);
    return performance.now() - began;
  };
  await time(10);
  const [few, many] = [await time(10), await time(10_000)];
  // A thousand times the secrets; a quadratic search would take minutes, so that a wide margin is enough.
  assert.ok(many < few * 100 + 2000, `${few} ms against ${many} ms`);
});

test("of a binary object names and digests are looked for, and no words: its bytes are unfolded and decoded by nobody", async () => {
  const object = { path: "objects/a.bin", source: true, binary: true };
  assert.deepEqual(await scan(`\0${KEY}\0`, object), ["warning key"]);
  assert.deepEqual(await scan(Buffer.from(sha256(`${GATED_TEXT}.\n`), "hex"), object), ["warning digest"]);
  assert.deepEqual(await scan(`\0${GATED_TEXT}`, object), []);
  assert.deepEqual(await scan(gzipSync(KEY), object), []);
  assert.deepEqual(await scan(gzipSync(KEY), { ...object, binary: false }), ["warning key"]);
});

test("in the index's own files texts stand end to end: a title that two of them make there is none", async () => {
  const index = { path: "index/passages.lance/data/a.lance", source: false, binary: true };
  const stem = TITLE.slice(0, -1);
  assert.deepEqual(await scan(`Sums.v\0${stem}today`, index), []);
  assert.deepEqual(await scan(Buffer.from(`${stem}today`, "utf16le"), index), []);
  assert.deepEqual(await scan(`A${TITLE}`, index), []);
  assert.deepEqual(await scan(`\0${TITLE}\n`, index), ["error title"]);
  assert.deepEqual(await scan(`${stem}today, \xe4${TITLE}.`, index), ["error title"]);
  assert.deepEqual(await scan(`${stem}today`), ["error title"]);
  assert.deepEqual(await scan(`A${CANARY}b`, index), ["error private"]);
});

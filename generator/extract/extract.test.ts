import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Extract } from "../../snapshots/schema/extract.ts";
import { extract } from "./extract.ts";
import { MAX_LENGTH } from "./passages.ts";

const KEYS =
  "a.md a.html a.txt a.rst a.v a.lean a.rs a.tex a.csv a.tsv a.json a.jsonl a.yaml a.py a.js a.hs a.xml a.sh a.pdf a.png a.svg a".split(
    " ",
  );
const read = (key: string, text: string | Uint8Array): Promise<Extract> =>
  extract(key, typeof text === "string" ? Buffer.from(text) : text);

/** What holds for every extract of anything. */
function checkShape(value: Extract, bytes: Uint8Array): void {
  assert.ok(value.title.length > 0 && value.title.length <= 200);
  assert.ok(value.summary.length <= 280);
  assert.equal(value.lines === null, ["pdf", "image", "binary"].includes(value.kind));
  if (["pdf", "image", "binary"].includes(value.kind) && value.kind !== "pdf") assert.deepEqual(value.passages, []);
  const lines = value.lines === null ? null : Buffer.from(bytes).toString("utf8").split("\n");
  let last = 0;
  for (const part of value.passages) {
    assert.ok(part.text.length > 0 && part.text.length <= MAX_LENGTH, `${part.text.length}`);
    assert.ok(part.start_line >= 1 && part.start_line <= part.end_line);
    if (lines === null || value.kind === "html") continue;
    const exact = lines.slice(part.start_line - 1, part.end_line).join("\n");
    assert.ok(part.text === exact || (part.start_line === part.end_line && exact.includes(part.text)), "a quote that is not in the object");
    assert.ok(part.start_line > last || (part.start_line === last && part.text !== exact), "passages overlap");
    last = part.end_line;
  }
}

test("random bytes under any name give an extract", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...KEYS), fc.uint8Array({ maxLength: 400 }), async (key, bytes) =>
      checkShape(await read(key, bytes), bytes),
    ),
    { numRuns: 400 },
  );
});

test("random text of any structure gives passages that are its lines, twice the same", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "\n",
      "\n\n",
      "\r\n",
      "\r",
      "\ufeff",
      "# T\n",
      "## U\n",
      "Title\n=====\n",
      "---\n",
      "---\ntitle: x\n---\n",
      "```\n",
      "> ",
      "- ",
      "1. ",
      "| a | b |\n|--|--|\n",
      "<h2>x</h2>\n",
      "<p>y\n",
      "<pre>\n  z\n\n",
      "<table><tr><th>a<td>\n",
      "<td><p>b</p>",
      "<tr>\n",
      "</table>\n",
      "<br>",
      "(* c *)\n",
      "(* ",
      "(** * H *)\n",
      "Lemma a : x.\n",
      "Proof.\n",
      "Qed.\n",
      "Section S.\n",
      "End S.\n",
      "theorem a : x := by\n",
      "/-- d -/\n",
      "/-",
      "-/",
      "namespace N\n",
      "end N\n",
      "fn f() {\n",
      "}\n",
      "impl X {\n",
      "/* ",
      "*/",
      '"',
      "'",
      'r#"',
      "\\section{S}\n",
      "\\begin{verbatim}\n",
      "\\title{",
      "}",
      '{"a": [\n',
      "],\n",
      "a: b\n",
      "- c\n",
      'a,b,"c\n',
      '"\n',
      "x".repeat(1500),
      "word ".repeat(300),
      "𝕏é漢\n",
    ),
    fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replaceAll("\0", "")),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...KEYS), fc.array(piece, { maxLength: 40 }), async (key, pieces) => {
      const bytes = Buffer.from(pieces.join(""));
      const value = await read(key, bytes);
      checkShape(value, bytes);
      assert.deepEqual(await read(key, Buffer.from(bytes)), value);
    }),
    { numRuns: 500 },
  );
});

test("an empty file, a file of line breaks and a file of NUL bytes are what they are", async () => {
  const empty = await read("notes/a.md", "");
  assert.deepEqual([empty.title, empty.lines, empty.passages, empty.notes], ["a.md", 0, [], ["This file is empty."]]);
  const breaks = await read("a.txt", "\n\n\n");
  assert.deepEqual([breaks.lines, breaks.passages], [3, []]);
  const nul = await read("a.v", "\0\0");
  assert.deepEqual([nul.kind, nul.lines, nul.html, nul.notes.length], ["binary", null, null, 1]);
});

test("an HTML document in another encoding has the title that it declares, by the encoding that it declares", async () => {
  const page = (charset: string): string =>
    `<html><head><meta http-equiv=Content-Type content="text/html; charset=${charset}"><title>Caf\xe9 M\xf6ller</title></head><body><p>Une pr\xe9sentation de la m\xe9thode, en quelques mots.</p></body></html>`;
  const latin = await read("a/old.html", Buffer.from(page("iso-8859-1"), "latin1"));
  assert.deepEqual([latin.title, latin.summary], ["Caf\xe9 M\xf6ller", "Une pr\xe9sentation de la m\xe9thode, en quelques mots."]);
  assert.deepEqual([latin.kind, latin.lines, latin.passages], ["binary", null, []]);
  assert.match(latin.notes.join(), /not valid UTF-8/);
  const wide = Buffer.from(`\ufeff${page("utf-16")}`, "utf16le");
  assert.equal((await read("wide.htm", wide)).title, "Caf\xe9 M\xf6ller");
  const bad = Uint8Array.from([...Buffer.from("<title>x</title><meta charset=no-such-thing>"), 0xff]);
  for (const [name, bytes] of [
    ["unknown.html", bad],
    ["silent.html", Uint8Array.from([0x3c, 0x62, 0x3e, 0xff])],
    ["old.txt", Buffer.from(page("iso-8859-1"), "latin1")],
  ] as const)
    assert.equal((await read(name, bytes)).title, name);
});

test("the summary of an HTML document is no slogan of its site, and what leads it up to its first heading counts", async () => {
  const page = (lead: string): string =>
    `<title>Savepoints</title><body><div>${lead}</div><h1>Syntax</h1><p>A savepoint is a mark in a transaction.</p>`;
  const lead = "A page about savepoints, which are marks in a transaction to which one may go back.";
  assert.equal((await read("a.html", page("Small. Fast. Reliable."))).summary, "A savepoint is a mark in a transaction.");
  assert.equal((await read("a.html", page(lead))).summary, lead);
});

test("what is not UTF-8 is listed with its reason", async () => {
  assert.match((await read("a.txt", Uint8Array.from([0xff, 0xfe, 0x61, 0]))).notes.join(), /UTF-16/);
  assert.match((await read("a.md", Uint8Array.from([0x61, 0xc3]))).notes.join(), /UTF-8/);
  assert.match((await read("a.pdf", "no pdf")).notes.join(), /\.pdf/);
  assert.match((await read("a.png", "no png")).notes.join(), /\.png/);
});

test("carriage returns stay in passages and make no lines on the page", async () => {
  const value = await read("a.txt", "one\r\ntwo\rthree\r\n");
  assert.deepEqual(
    value.passages.map((part) => part.text),
    ["one\r\ntwo\rthree\r"],
  );
  assert.equal(
    value.html,
    '<pre class="code"><code><span class="line" id="L1">one</span>\n<span class="line" id="L2">two three</span>\n</code></pre>',
  );
});

test("signs that reverse the reading order are reported with their line", async () => {
  assert.match((await read("a.rs", "fn a() {}\n// \u202e }\n")).notes.join(), /Line 2/);
});

test("a title comes from the document, a summary is its first prose", async () => {
  const note = await read(
    "n/a.md",
    "---\ntitle: 'Sorting, twice'\ntags: [a]\n---\n\n![badge](b.svg)\n\nWe sort *lists* of numbers, and prove it.\n\n# Other\n",
  );
  assert.deepEqual([note.title, note.summary], ["Sorting, twice", "We sort lists of numbers, and prove it."]);
  assert.equal((await read("a.md", "intro\n\nSetext *title*\n===\n")).title, "Setext title");
  assert.equal((await read("a.md", '<h1 align="center">Raw <b>title</b></h1>\n\ntext\n')).title, "Raw title");
  assert.equal((await read("a.html", "<title> A &amp; B </title><h1>C</h1>")).title, "A & B");
  assert.equal((await read("a.json", '{"title": "Config"}')).title, "Config");
  assert.equal(
    (
      await read(
        "a.v",
        "(************)\n(*  Copyright X  *)\n(************)\n(** * Insertion sort *)\n(** It sorts a list of numbers by insertion. *)\n",
      )
    ).title,
    "Insertion sort",
  );
  assert.equal((await read("dir/plain.txt", "just text")).title, "plain.txt");
});

test("a page of commands is summarised by what is said about them, not by a command", async () => {
  const page = (about: string): string =>
    `# 7z\n\n${about}- [a]dd a file to an archive:\n\n\`7z a {{path/to/archive.7z}} {{path/to/file}} with many more words\`\n\n- List it:\n\n\`7z l x\`\n`;
  const { title, summary } = await read(
    "common/7z.md",
    page("> File archiver with a high compression ratio.\n> See also: `tar`.\n> More information: <https://manned.org/7z>.\n\n"),
  );
  assert.deepEqual([title, summary], ["7z", "File archiver with a high compression ratio. See also: tar."]);
  assert.equal((await read("a.md", page(""))).summary, "[a]dd a file to an archive:");
  assert.equal((await read("a.md", "# A\n\n> A motto of somebody else.\n\nWhat this is about.\n")).summary, "What this is about.");
  const leading = "# A\n\nInstall it by this command:\n\n    pip install a\n\nIt needs no other program.\n";
  assert.equal((await read("a.md", leading)).summary, "It needs no other program.");
  const paper = "\\begin{document}Two programs write this object:\n\nOne of them is older than the other.\\end{document}";
  assert.equal((await read("a.tex", paper)).summary, "One of them is older than the other.");
});

test("cells that hold paragraphs are told one by one, with their lines", async () => {
  const rows = Array.from({ length: 80 }, (_, n) => `<tr>\n<td><p>key ${n}</p></td>\n<td><p>value ${n}</p></td>\n</tr>`);
  const text = `<h1>Table</h1>\n<table>\n${rows.join("\n")}\n</table>\n<table><tr><td>plain<td>cell</table>\n`;
  const value = await read("a.html", text);
  checkShape(value, Buffer.from(text));
  const told = value.passages.map((part) => part.text).join("\n\n");
  assert.ok(told.startsWith("Table\n\nkey 0\n\nvalue 0\n\nkey 1\n"), told.slice(0, 100));
  assert.ok(told.endsWith("value 79\n\nplain cell"), told.slice(-100));
  const at = value.passages.find((part) => part.text.includes("value 70"));
  assert.ok(at !== undefined && at.start_line <= 2 + 4 * 70 + 3 && at.end_line >= 2 + 4 * 70 + 3);
});

test("an entry of a page of HTML that explains a name is a passage of its own, called so, at its line", async () => {
  const { passages } = await read(
    "a.html",
    [
      "<h1>Keys</h1><p>Before.</p><dl>",
      '<dt id="os.path.join"><code>os.path.<b>join</b></code>(path, *paths)<a class="headerlink" href="#os.path.join">#</a></dt>',
      "<dd>Joins.<p>More.</p></dd>",
      '<dt id="term-1">core.autocrlf</dt><dd>Converts.</dd>',
      '<dt id="other.thing">add</dt><dd>Adds.</dd><dt>well known</dt><dd>Not a name.</dd>',
      "</dl><h2>Next</h2><p>After.</p>",
    ].join("\n"),
  );
  assert.deepEqual(
    passages.map(({ name, start_line, text }) => [name, start_line, text]),
    [
      [null, 1, "Keys\n\nBefore."],
      ["os.path.join", 2, "os.path.join(path, *paths)\n\nJoins.\n\nMore."],
      ["core.autocrlf", 4, "core.autocrlf\n\nConverts."],
      [null, 5, "add\n\nAdds.\n\nwell known\n\nNot a name."],
      [null, 6, "Next\n\nAfter."],
    ],
  );
});

test("who wrote a page of HTML, and when, is read of its head, or below the title as DocBook has it", async () => {
  const about = async (text: string) => {
    const found = (await extract("a.html", Buffer.from(text))).about;
    return [found?.authors, found?.date];
  };
  assert.deepEqual(
    await about(
      '<head><meta name="author" content="Ada Lovelace &amp; Sons"><meta content="Bo B." name=\'citation_author\'><meta name="DC.date" content="1843-09-05"></head><p>Words.</p>',
    ),
    [["Ada Lovelace & Sons", "Bo B."], "1843-09-05"],
  );
  const docbook =
    '<div class="author"><h3 class="author"><span class="firstname">Ada</span> <span class="surname">Lovelace</span></h3></div>';
  assert.deepEqual(await about(`<h1>Notes</h1>${docbook}<p>Words.</p>`), [["Ada Lovelace"], null]);
  assert.deepEqual(await about('<meta name="viewport" content="Nobody"><p>Words.</p>'), [undefined, undefined]);
});

test("HTML shows and searches its main part, and knows the source lines", async () => {
  const value = await read(
    "a.html",
    "<title>T</title>\n<nav>menu</nav>\n<main>\n<h1>T</h1>\n<p>One\n two</p>\n<script>no()</script>\n<h2>Part</h2><ul><li>x</ul>\n<pre>\na\n b</pre>\n</main><footer>foot</footer>",
  );
  assert.deepEqual(
    value.passages.map((part) => [part.heading, part.start_line, part.end_line, part.text]),
    [
      [["T"], 4, 6, "T\n\nOne two"],
      [["T", "Part"], 8, 11, "Part\n\nx\n\na\n b"],
    ],
  );
  assert.ok(value.html !== null && !value.html.includes("menu") && !value.html.includes("foot") && !value.html.includes("no()"));
  assert.ok(value.html.includes('<p id="L5">'));
});

test("money is no formula, a formula is MathML, a broken one is its source", async () => {
  const { html } = await read("a.md", "Costs $5 and $10, 𝕏 first. But $x^2$ and $\\frac{1$ too.\n");
  assert.ok(
    html !== null &&
      html.includes("Costs $5 and $10") &&
      html.includes("<msup>") &&
      html.includes('<code class="math-source">\\frac{1</code>'),
    html ?? "",
  );
  const displayed = (await read("a.md", "$$x^2$$\n\n$$\ny^2\n$$\n\nOr $z^2$.\n")).html ?? "";
  assert.equal(displayed.match(/<math[^>]* display="block"/g)?.length, 2, displayed);
  assert.equal(displayed.match(/<math/g)?.length, 3);
});

test("code blocks of Markdown are coloured in the language they name", async () => {
  const { html } = await read("a.md", "```coq\nLemma a : 1 = 1.\n```\n\n```nonsense\n<b>\n```\n");
  assert.ok(html !== null && html.includes('<span class="k">Lemma</span>') && html.includes("<code>&lt;b&gt;</code>"));
});

test("cells that are numbers, amounts or dates say so, and prose does not", async () => {
  const { html } = await read("a.md", "| a | b | c | d | e |\n|---|--:|---|---|---|\n| 12 345.67 | −3 | 2026-11-22 | 4 kB | 3 of 4 |\n");
  assert.deepEqual(
    [...(html ?? "").matchAll(/<td([^>]*)>([^<]*)/g)].map(([, name, text]) => `${text}${name}`),
    ['12 345.67 class="number"', '−3 class="right number"', '2026-11-22 class="number"', '4 kB class="number"', "3 of 4"],
  );
  assert.ok((await read("a.csv", "a,b\n1,2026-11-22\nx,2026-11-23\n")).html?.includes('<td class="number">2026-11-23</td>'));
});

test("CSV becomes a table with a caption, numbers to the right, and a note on rows left out", async () => {
  const { html, summary } = await read("d/a.csv", `name,n\n${Array.from({ length: 600 }, (_, n) => `<r${n}>,${n}`).join("\n")}\n`);
  assert.ok(html !== null && html.includes("600 rows, the first 500 are here") && html.includes('href="../../../objects/d/a.csv"'));
  assert.ok(html.includes('<tr id="L2"><td>&lt;r0&gt;</td><td class="right number">0</td></tr>'));
  assert.equal(summary, "600 rows. Columns: name, n");
});

test("what else a process has read does not change how an object looks", async () => {
  const note = Buffer.from('# Page\n\n```html\n<script>alert("x")</script>\n<style>a { color: red }</style>\n```\n');
  const first = await extract("note.md", note);
  for (const name of ["a.js", "a.css", "a.py", "a.sh"]) await extract(name, Buffer.from("let a = 1;\n"));
  assert.deepEqual(await extract("note.md", note), first);
});

test("HTML keeps formulas, leads to what plays, and its pictures are found by their words", async () => {
  const { html, passages } = await extract(
    "a.html",
    Buffer.from(
      `<title>M</title><p>Let <math alttext="x^{2}"><semantics><msup><mi>qx</mi><mn>2</mn></msup><annotation encoding="application/x-tex">x^{2}</annotation></semantics></math> be given.</p>
<p>And <math><mi>pq</mi></math>, <img src="a.png" alt="A tidal gauge"> here.</p>
<video src="tide.mp4" title="The tide"></video><iframe src="https://example.org/embed"></iframe><audio><source src="a.ogg"></audio>
<p>By Pandoc <span class="math inline">\\(ab_1\\)</span> and <span class="math display">\\[\\frac{1}{2}\\]</span>.</p>
<math><mtext><a href="javascript:alert(1)">words</a><img src=x onerror=alert(1)></mtext></math>`,
    ),
  );
  const shown = html ?? "";
  for (const part of [
    "<math",
    "<mfrac>",
    "ab_1</annotation>",
    "<mi>qx</mi>",
    ">Video: The tide</a>",
    ">Embedded page: https://example.org/embed</a>",
    ">Audio: a.ogg</a>",
    "words",
  ])
    assert.ok(shown.includes(part), `${part} in ${shown}`);
  assert.doesNotMatch(shown, /javascript:|onerror|<mtext><(?:a|img)/);
  const text = passages.map((passage) => passage.text).join(" ");
  for (const part of ["Let x^{2} be given.", "pq", "A tidal gauge"]) assert.ok(text.includes(part), `${part} in ${text}`);
});

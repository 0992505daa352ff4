import assert from "node:assert/strict";
import { test } from "node:test";
import type { Extract } from "../../snapshots/schema/extract.ts";
import { makePng } from "../testing/png.ts";
import { toExtracted } from "./extract-json.ts";
import { extract, extractAsking } from "./extract.ts";

/** One pixel. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const METADATA = {
  kernelspec: { name: "python3", display_name: "Python 3", language: "python" },
  language_info: { name: "python" },
  authors: [{ name: "Ada Lovelace" }],
};
const prose = (...source: readonly string[]): object => ({ cell_type: "markdown", metadata: {}, source });
const code = (source: string, ...outputs: readonly object[]): object => ({
  cell_type: "code",
  execution_count: 1,
  metadata: {},
  source,
  outputs,
});
const drawn = (type: string, base64: string): object => ({
  output_type: "display_data",
  metadata: {},
  data: { [type]: base64, "text/plain": "<Figure>" },
});

async function read(value: unknown, key = "notes/tides.ipynb"): Promise<Extract> {
  return await extract(key, Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
}
const readCells = async (...cells: readonly object[]): Promise<Extract> =>
  await read({ nbformat: 4, nbformat_minor: 5, metadata: METADATA, cells });

test("nothing of a notebook runs, loads or stands for a part of the page", async () => {
  const { html, notes } = await readCells(
    prose("<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) ![y](data:image/svg+xml;base64,AAAA)"),
    prose("<div data-l='P9L9\" onclick=\"x' id=search>\n\nunclosed"),
    code("'</code></pre><script>alert(2)</script>'", { output_type: "stream", name: "stdout", text: "<img src=x onerror=alert(3)>" }),
    code(
      "draw()",
      drawn("image/png", `${DOT}" onerror="alert(4)`),
      drawn("image/svg+xml", "<svg onload='alert(5)'/>"),
      drawn("image/png", Buffer.from("<html><script>alert(6)</script>").toString("base64")),
      { output_type: "display_data", data: { "text/html": "<script>alert(7)</script>", "application/javascript": "alert(8)" } },
    ),
  );
  const shown = html ?? "";
  assert.doesNotMatch(shown, /<script|<svg|<[^>]*\son\w+=|="javascript:|="data:(?!image\/png;base64,[A-Za-z0-9+/=]*")/);
  assert.match(shown, /&#x3C;img src=x onerror=alert\(3\)>|&lt;img/);
  assert.doesNotMatch(shown, /id="search"/);
  assert.deepEqual(notes, ["2 outputs of this notebook cannot be shown here: of a type that is not shown, damaged or too large."]);
});

test("what is no notebook is JSON with a note", async () => {
  for (const broken of [
    "{",
    "[]",
    "null",
    { nbformat: 4 },
    { nbformat: 4, cells: {} },
    { nbformat: 4, cells: [null] },
    { nbformat: 4, cells: [{ cell_type: "sql", source: "select 1" }] },
    { nbformat: 3, worksheets: [] },
    `${"[".repeat(100_000)}`,
  ]) {
    const { kind, notes, html } = await read(broken);
    assert.equal(kind, "notebook");
    assert.match(notes.join(), /This notebook is shown as JSON: /, JSON.stringify(broken).slice(0, 60));
    assert.match(html ?? "", /<pre class="code">/);
  }
});

test("cells are prose and code with anchors, and the first heading is the title", async () => {
  const found = await readCells(
    prose("# The tides\n", "\n", "Water rises twice on most days of the year.\n"),
    prose("## Harmonics"),
    code("def amplitude(moon):\n    return moon * 2\n", {
      output_type: "stream",
      name: "stdout",
      text: ["\u001b[31mhigh\u001b[0m water\n"],
    }),
    prose("Nothing is drawn before."),
    code("plot()", drawn("image/png", `${DOT.slice(0, 20)}\n${DOT.slice(20)}`)),
  );
  assert.equal(found.title, "The tides");
  assert.equal(found.media_type, "application/x-ipynb+json");
  assert.equal(found.summary, "Water rises twice on most days of the year.");
  assert.deepEqual(found.about?.authors, ["Ada Lovelace"]);
  assert.deepEqual(found.facts, [
    ["Kernel", "Python 3"],
    ["Cells", "3 of prose, 2 of code, 2 with output"],
  ]);
  assert.deepEqual(
    found.passages.map(({ page, start_line, heading, name, text }) => [page, start_line, heading.join(), name, text]),
    [
      [1, 1, "The tides", null, "# The tides\n\nWater rises twice on most days of the year."],
      [3, 1, "The tides,Harmonics", "amplitude", "```python\ndef amplitude(moon):\n    return moon * 2\n```\n```\nhigh water\n```"],
      [4, 1, "The tides,Harmonics", null, "Nothing is drawn before."],
      [5, 1, "The tides,Harmonics", null, "```python\nplot()\n```"],
    ],
  );
  const html = found.html ?? "";
  for (const { page, start_line: line } of found.passages.slice(1)) assert.match(html, new RegExp(` id="P${page}L${line}"`));
  assert.match(html, new RegExp(`<img src="data:image/png;base64,${DOT.replaceAll("+", "\\+")}" alt="Drawn by cell 5"`));
  assert.match(html, /<h2[^>]*>(?:<span[^>]*><\/span>)?Harmonics/);
});

test("an image that is too large is left out and counted, and what a loop prints is cut", async () => {
  const large = makePng("x".repeat(1_100_000)).toString("base64");
  const { html, notes, passages } = await readCells(
    code("a", drawn("image/png", large), drawn("image/png", large)),
    code("b", { output_type: "stream", text: "line\n".repeat(100_000) }),
  );
  assert.doesNotMatch(html ?? "", /<img/);
  assert.match(notes.join(), /^2 outputs of this notebook/);
  assert.ok(passages.length < 40);
});

test("an image of a notebook lies in a file beside its page, with its size and digest, as far as a limit; a tiny one stands in the page", async () => {
  const [first, second] = ["a", "b"].map((sign) => makePng(sign.repeat(5_000)));
  const notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: METADATA,
    cells: [
      code("plot()", ...[first, second].map((png) => drawn("image/png", png?.toString("base64") ?? ""))),
      code("dot()", drawn("image/png", DOT)),
      code("again()", ...Array.from({ length: 15 }, () => drawn("image/png", makePng("c".repeat(1_000_000)).toString("base64")))),
    ],
  };
  const asking = await extractAsking("notes/tides.ipynb", Buffer.from(JSON.stringify(notebook)), null);
  const { images } = toExtracted("notes/tides.ipynb", asking);
  assert.deepEqual(
    images.slice(0, 2).map(({ png }) => Buffer.from(png)),
    [first, second],
  );
  assert.deepEqual(
    asking.extract.images,
    images.map(({ png: _, ...facts }) => facts),
  );
  const html = asking.extract.html ?? "";
  const shown = /<img src="([^"]+)" width="1" height="1" alt="Drawn by cell 1" loading="lazy">/.exec(html)?.[1] ?? "";
  assert.equal(new URL(shown, "http://a.example/browse/notes/tides.ipynb/").pathname, "/images/notes/tides.ipynb/1.png");
  assert.match(html, /<img src="data:image\/png;base64,[^"]+" alt="Drawn by cell 2"/);
  assert.ok(images.reduce((sum, { size }) => sum + size, 0) <= 12_000_000);
  assert.ok(html.length < 20_000, "what has no room is left out, and not put into the page");
  assert.match(asking.extract.notes.join(), /^4 outputs of this notebook cannot be shown here/);
});

test("bytes written as text are no passage of any format", async () => {
  const base64 = "QUJD".repeat(5000);
  for (const [key, text] of [
    ["a/x.json", `{"a": "${base64}", "b": "a word"}`],
    ["a/x.md", `a word\n\n![dot](data:image/png;base64,${base64})\n`],
    ["a/x.txt", `a word\n\n${base64}\n`],
  ] as const) {
    const { passages } = await read(text, key);
    assert.ok(passages.length <= 4, `${key}: ${passages.length}`);
  }
});

test("the handle that a cell which draws returns is not printed; what it says and what another returns are", async () => {
  const handle = (text: string): object => ({ output_type: "execute_result", data: { "text/plain": text } });
  const handles = [
    "<AxesSubplot:>",
    "<Axes: xlabel='x', ylabel='y'>",
    "[<matplotlib.lines.Line2D at 0x7f>]",
    "Text(0.5, 1.0, 'Age')",
    "array([[<Axes: >,\n  <Axes: >]], dtype=object)",
  ];
  for (const text of handles) {
    const { html, passages } = await readCells(code("plot()", handle(text), drawn("image/png", DOT)));
    assert.doesNotMatch(html ?? "", /output|Axes|Line2D|Age/, text);
    assert.doesNotMatch(JSON.stringify(passages), /Axes|Line2D|Age/, text);
    assert.match((await readCells(code("model", handle(text)))).html ?? "", /class="code output"/, text);
  }
  for (const said of ["163 <people>", "<a>\n<b>", "Text of 3"])
    assert.match((await readCells(code("f()", handle(said), drawn("image/png", DOT)))).html ?? "", /class="code output"/, said);
});

test("the summary is what follows the title, and what stands above it only where nothing does", async () => {
  const line = prose("This notebook is part of a book on the tides.");
  assert.equal(
    (await readCells(line, prose("# Springs"), prose("They come with the full moon."))).summary,
    "They come with the full moon.",
  );
  assert.equal((await readCells(line, prose("# Springs"), code("1"))).summary, "This notebook is part of a book on the tides.");
});

test("outputs of every harmless type are shown and found, attachments stand below their cell, and what cannot be shown is counted", async () => {
  const shown = await readCells(
    { cell_type: "markdown", source: "# A\n\nSee ![pic](attachment:p.png).", attachments: { "p.png": { "image/png": DOT } } },
    code("f()", {
      output_type: "display_data",
      data: { "text/html": ["<table><tr><th scope=col></th><th>n</th></tr><tr><td>cellvalue</td></tr></table>"], "text/plain": "  col" },
    }),
    code("g()", {
      output_type: "display_data",
      data: { "text/markdown": "**boldout** word", "text/plain": "<IPython.core.display.Markdown object>" },
    }),
    code("h()", { output_type: "display_data", data: { "text/latex": "$\\frac{1}{2}$" } }),
    code("i()", { output_type: "display_data", data: { "application/json": { answer: 42 } } }),
    code("j()", { output_type: "display_data", data: { "application/vnd.jupyter.widget-view+json": {} } }),
  );
  const html = shown.html ?? "";
  for (const part of ["<img src", "<tr><td></td><th>n</th></tr>", "<td>cellvalue</td>", "<strong>boldout</strong>", "<math", "42"])
    assert.ok(html.includes(part), part);
  assert.doesNotMatch(html, /IPython/);
  assert.ok(["cellvalue", "boldout", "42"].every((word) => shown.passages.some(({ text }) => text.includes(word))));
  assert.match(shown.notes.join(), /^One output of this notebook/);
  assert.match(JSON.stringify(shown.facts), /5 with output/);
});

test("notebooks as older programs and other tools write them are read: NaN, odd cells, format 3, a title in a raw cell", async () => {
  const nan =
    '{"nbformat":4,"cells":[{"cell_type":"markdown","source":"# Nan book\\n\\nSays \\"NaN\\"."},{"cell_type":"code","source":"f()","outputs":[{"data":{"application/json":{"v":NaN,"w":-Infinity}}}]}]}';
  assert.deepEqual([(await read(nan)).title, (await read(nan)).passages.some(({ text }) => text.includes('"NaN"'))], ["Nan book", true]);
  const odd = await read({ nbformat: 4, cells: [{ cell_type: "sql", source: "select 1" }, { cell_type: "markdown" }, prose("# After")] });
  assert.deepEqual([odd.title, odd.notes], ["After", []]);
  const old = await read({
    nbformat: 3,
    worksheets: [
      {
        cells: [
          { cell_type: "heading", level: 1, source: "Old book" },
          { cell_type: "code", input: "x = 1", outputs: [{ output_type: "pyout", text: "oldout" }] },
        ],
      },
    ],
  });
  assert.deepEqual([old.title, /x = <span|x = 1/.test(old.html ?? ""), (old.html ?? "").includes("oldout")], ["Old book", true, true]);
  const raw = await read({ nbformat: 4, cells: [{ cell_type: "raw", source: '---\ntitle: "Raw title"\n---' }, prose("Prose words.")] });
  assert.equal(raw.title, "Raw title");
});

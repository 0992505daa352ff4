import assert from "node:assert/strict";
import { test } from "node:test";
import { makePdf } from "../testing/pdf.ts";
import { extract } from "./extract.ts";

test("a broken, an encrypted and an empty PDF each say why they have no text", async () => {
  const broken = await extract("a.pdf", Buffer.from("%PDF-1.7\n\xff\xff garbage", "latin1"));
  assert.deepEqual([broken.kind, broken.passages, broken.title], ["pdf", [], "a.pdf"]);
  assert.match(broken.notes.join(), /damaged/);
  const key = "00".repeat(32);
  const encrypted = await extract(
    "a.pdf",
    makePdf(["secret"], `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<00> <00>]`),
  );
  assert.match(encrypted.notes.join(), /encrypted/);
  assert.match((await extract("a.pdf", makePdf([""]))).notes.join(), /no text layer/);
});

test("passages are lines of a page, and the title is the document's", async () => {
  const value = await extract(
    "p/a.pdf",
    makePdf(["Sorting lists\nby insertion is simple.", "Second page here."], "", "<< /Title (On sorting) >>"),
  );
  assert.deepEqual([value.title, value.lines, value.notes], ["On sorting", null, []]);
  assert.deepEqual(
    value.passages.map((part) => [part.page, part.start_line, part.end_line, part.text]),
    [
      [1, 1, 2, "Sorting lists\nby insertion is simple."],
      [2, 1, 1, "Second page here."],
    ],
  );
});

test("the name of a file is no title", async () => {
  for (const name of [
    "paper.dvi",
    "C:/Documents and Settings/A/paper.dvi",
    "/home/a b/x.tex",
    "Untitled",
    "Microsoft Word - draft.doc",
    "main.tex",
  ]) {
    const { title } = await extract("p/a.pdf", makePdf(["Sorting lists."], "", `<< /Title (${name}) >>`));
    assert.notEqual(title, name);
  }
  const { title } = await extract("p/a.pdf", makePdf(["Sorting lists."], "", "<< /Title (How node.js runs main.tex) >>"));
  assert.equal(title, "How node.js runs main.tex");
});

test("the text is shown by pages and paragraphs, each line with an anchor, and nothing in it is markup", async () => {
  const { html } = await extract("p/a.pdf", makePdf(["Sorting <b>lists</b>\nby insertion.", "Second page here."]));
  assert.equal(
    html,
    '<h2 id="page-1" class="quiet">Page 1</h2>\n<p><span id="P1L1">Sorting &lt;b&gt;lists&lt;/b&gt;</span>\n<span id="P1L2">by insertion.</span></p>\n' +
      '<h2 id="page-2" class="quiet">Page 2</h2>\n<p><span id="P2L1">Second page here.</span></p>\n',
  );
  const long = await extract("p/a.pdf", makePdf(Array.from({ length: 90 }, () => `${"many words ".repeat(7)}\n`.repeat(45))));
  assert.match(
    long.html ?? "",
    /<p class="cut">Shown up to page \d\d of 90; <a href="\.\.\/\.\.\/\.\.\/objects\/p\/a\.pdf">the whole file<\/a>\.<\/p>$/,
  );
  assert.ok((long.html ?? "").length < 400_000);
  assert.equal(long.passages.at(-1)?.page, 90);
});

test("the summary is the abstract, and the title does not run into it", async () => {
  const prose =
    "We show that insertion keeps a list of numbers in order, and that every exam-\nple of a list has the same elements afterwards.";
  const said =
    "We show that insertion keeps a list of numbers in order, and that every example of a list has the same elements afterwards.";
  const info = "<< /Title (On sorting) >>";
  assert.equal((await extract("a.pdf", makePdf([`On sorting\n${prose}`], "", info))).summary, said);
  assert.equal((await extract("a.pdf", makePdf([`On sorting\nAbstract. ${prose}`], "", info))).summary, said);
});

test("the contents that a file lists are its outline, and an entry that leads nowhere is left out", async () => {
  const contents = [
    ["One", 1],
    ["Nowhere", 9],
    ["Two  \\000 words", 2],
  ] as const;
  const { outline } = await extract("p/a.pdf", makePdf(["First page.", "Second page."], "", "", undefined, contents));
  assert.deepEqual(outline, [
    { title: "One", page: 1, depth: 0 },
    { title: "Two words", page: 2, depth: 0 },
  ]);
  assert.equal("outline" in (await extract("p/a.pdf", makePdf(["First page."]))), false);
});

test("a PDF cut off anywhere gives an extract", async () => {
  const whole = makePdf(["One.", "Two."]);
  for (let length = 8; length < whole.length; length += 97) {
    const { html, passages } = await extract("a.pdf", whole.subarray(0, length));
    assert.equal(html === null, passages.length === 0);
  }
});

test("letters of a Japanese font that the file only names are read, beside pages in other fonts", async () => {
  const font =
    "<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /UniJIS-UTF16-H /DescendantFonts [<< /Type /Font " +
    "/Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 6 >> " +
    "/FontDescriptor << /Type /FontDescriptor /FontName /Ryumin-Light /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 " +
    "/Ascent 800 /Descent -200 /StemV 80 >> >>] >>";
  const octal = (text: string): string =>
    [...Buffer.from(text, "utf16le").swap16()].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  const written = ["東京は日本の首都である。\n人口は千四百万人である。", "二頁目の文である。"];
  const pages = written.map((page) => page.split("\n").map(octal).join("\n"));
  const { passages, notes } = await extract("a.pdf", makePdf(pages, "", "", "0 0 600 800", [], font));
  assert.deepEqual(
    passages.map(({ page, text }) => [page, text]),
    written.map((text, at) => [at + 1, text]),
  );
  assert.deepEqual(notes, []);
});

test("an accent that is set in front of its letter is composed with it", async () => {
  // Octal codes of the dieresis and the acute accent in Adobe's standard encoding.
  const { passages } = await extract("a.pdf", makePdf(["By M\\310oller of the Universit\\302e here."]));
  assert.equal(passages[0]?.text, "By M\u00f6ller of the Universit\u00e9 here.");
});

/** Pages as a book has them: a head and a number on each, words cut at the ends of lines. */
const BOOK = [1, 2, 3, 4, 5].map((page) =>
  [
    "On sorting by insertion",
    ...[0, 1, 2].map((line) => `Line ${"abc"[line]} of page ${"vwxyz"[page - 1]} stands here.`),
    `Page ${page}`,
  ].join("\n"),
);

test("what stands above and below every page is read once, and numbers of pages are not", async () => {
  const { passages, html } = await extract("a.pdf", makePdf(BOOK));
  const text = passages.map((passage) => passage.text).join("\n");
  assert.equal(text.match(/On sorting/g)?.length, 1);
  assert.equal(text.match(/stands here/g)?.length, 15);
  assert.doesNotMatch(text, /Page [2-5]/);
  assert.equal((html ?? "").match(/On sorting/g)?.length, 1);
  const two = await extract("a.pdf", makePdf(BOOK.slice(0, 2)));
  assert.equal(two.html?.match(/On sorting/g)?.length, 2, "two pages may begin alike");
  assert.equal((await extract("a.pdf", makePdf(["Alone", "Alone", "Alone"]))).passages.length, 3, "a page that has nothing else keeps it");
});

test("a word that the end of a line cuts is one word, the last one too, and keeps its hyphen where the document writes it with one", async () => {
  const lines = [
    "A well-known obser-",
    "vation of Knuth, and a well-",
    "known one, by pages 10-",
    "20 of Al-",
    "Khwarizmi, in obser-",
    "vatories",
  ];
  const { passages, html } = await extract("a.pdf", makePdf([lines.join("\n")]));
  const read = "A well-known observation\nof Knuth, and a well-known\none, by pages 10-\n20 of Al-\nKhwarizmi, in observatories";
  assert.equal(passages[0]?.text, read);
  assert.equal(
    (html ?? "")
      .replaceAll(/<[^>]*>/g, "")
      .trim()
      .split("\n")
      .slice(1)
      .join("\n"),
    read,
  );
});

test("larger type is a heading, and type of equally wide signs is code with its indents", async () => {
  const large = `Sorting) Tj ET BT /F 12 Tf 50 640 Td 14 TL (${"All of this is prose in the usual type. ".repeat(2)}`;
  const bytes = Buffer.from(makePdf([large]))
    .toString("latin1")
    .replace("/F 12 Tf 50 700", "/F 18 Tf 50 700");
  assert.match(
    (await extract("a.pdf", Buffer.from(bytes, "latin1"))).html ?? "",
    /<h3><span id="P1L1">Sorting<\/span><\/h3>\n<p><span id="P1L2">All of/,
  );
  const courier = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>";
  const code = `for (;;) {) Tj T* 14.4 0 Td (step\\(\\);) Tj T* -14.4 0 Td (}`;
  const { html } = await extract("a.pdf", makePdf([code], "", "", "0 0 600 800", [], courier));
  assert.match(
    html ?? "",
    /<pre><span id="P1L1">for \(;;\) \{<\/span>\n {2}<span id="P1L2">step\(\);<\/span>\n<span id="P1L3">\}<\/span><\/pre>/,
  );
});

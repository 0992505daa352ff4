/** Lists of works of strangers, imported by the program and built. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { extract } from "../../extract/extract.ts";
import { openConfig } from "../../config/config.ts";
import { useParts } from "../../publish/parts.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { runIn } from "../../testing/run-program.ts";
import { readBibtex } from "./bibtex.ts";
import { addressOf, formatEntry, slugOf } from "./entry.ts";
import { readTable } from "./table.ts";
import { readZenodo } from "./zenodo.ts";

useParts(PLAIN_PARTS);

const CONFIG = `# The head of it.
title: Library
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: works, prefix: works/, title: Works, visibility: public } # mine
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
`;

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-import-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "library/notes"), { recursive: true });
  writeFileSync(join(folder, "library/notes/a.md"), "# A\n\nText.\n");
  writeFileSync(join(folder, "proofshelf.yaml"), CONFIG);
  return folder;
}

const BIB = String.raw`@article{M/../oller:2020, author = {M{\"o}ller, J. and {The Group} and Ada Lovelace}, title = {On {S}orting \& lists}, year = 2020, month = mar,
  journal = {J. Proofs}, doi = {10.1000/x}, file = {../../etc/passwd}, abstract = {We show <script>alert(1)</script> it.}, license = {CC-BY-4.0}}
@misc{m-oller-2020, title = {B: "quoted" --- *stars*}, url = {javascript:alert(1)}}
`;

test("a bibliography becomes objects with authors, dates, licences and sources, and the configuration keeps what it was", async (t) => {
  const folder = newFolder(t);
  writeFileSync(join(folder, "list.bib"), BIB);
  const { status, stderr, stdout } = await runIn(folder, ["import", "bibtex", "list.bib"]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^Wrote 2 files under works\/ \(public\)/);
  assert.deepEqual(readdirSync(join(folder, "library/works")).sort(), ["M-oller-2020.md", "m-oller-2020-2.md"]);
  const key = "works/M-oller-2020.md";
  const { title, about } = await extract(key, readFileSync(join(folder, "library", key)));
  assert.deepEqual(
    [title, about],
    ["On Sorting & lists", { authors: ["J. M\u00f6ller", "The Group", "Ada Lovelace"], date: "2020-03", license: "CC-BY-4.0" }],
  );
  const config = await openConfig(join(folder, "proofshelf.yaml"));
  assert.deepEqual(config.credits, [{ prefix: key, authors: ["J. M\u00f6ller", "The Group", "Ada Lovelace"], license: "CC-BY-4.0" }]);
  assert.deepEqual(config.sources, [{ prefix: key, repo: "https://doi.org/10.1000/x", ref: "10.1000/x", path: "" }]);
  const text = readFileSync(join(folder, "proofshelf.yaml"), "utf8");
  assert.match(text, /^# The head of it\.$/m);
  assert.match(text, /# mine$/m);
  assert.equal((await runIn(folder, ["import", "bibtex", "list.bib"])).status, 0, "once more changes nothing");
  assert.equal(readFileSync(join(folder, "proofshelf.yaml"), "utf8"), text);
  assert.match((await runIn(folder, ["build"])).stdout, /3 added/);
});

test("nothing is written of a list that cannot be read, over what is there, or out of the library", async (t) => {
  const folder = newFolder(t);
  const before = readFileSync(join(folder, "proofshelf.yaml"), "utf8");
  const outside = join(folder, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(folder, "library/notes/link"));
  const lists: readonly (readonly [form: string, content: string | Uint8Array, to: string, why: RegExp])[] = [
    ["bibtex", "@misc{a, title = {x", "works/", /no bibtex that can be read/],
    ["bibtex", "no entry at all", "works/", /nothing was written/],
    ["bibtex", "http://127.0.0.1:1/list.bib", "works/", /nothing was written/],
    ["bibtex", `@misc{a, title={${"{".repeat(100_000)}x${"}".repeat(100_000)}}}`, "works/", /no bibtex that can be read/],
    ["bibtex", Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]), "works/", /UTF-8/],
    ["bibtex", Buffer.from("@misc{a, title={M\xf6ller}}", "latin1"), "works/", /UTF-8/],
    ["zenodo-json", "{", "works/", /no zenodo-json/],
    ["zenodo-json", '{"id": 1}', "works/", /no zenodo-json/],
    ["zenodo-json", "[".repeat(100_000), "works/", /no zenodo-json/],
    ["csv", "name\nx\n", "works/", /column name is not known/],
    ["csv", 'title\n"x\n', "works/", /no csv/],
    ["csv", "title\nA\n", "../works/", /dot segment/],
    ["csv", "title\nA\n", "elsewhere/", /No collection/],
    ["csv", "title\nA\n", "notes/link/", /leads out of the library/],
    ["csv", "title,id\nAnother,a\n", "notes/", /is there already/],
  ];
  for (const [form, content, to, why] of lists) {
    writeFileSync(join(folder, "list"), content);
    const { status, stderr } = await runIn(folder, ["import", form, "list", "--to", to]);
    assert.notEqual(status, 0, String(why));
    assert.match(stderr, why);
    assert.doesNotMatch(stderr, /\n {4}at /);
  }
  assert.equal(readFileSync(join(folder, "proofshelf.yaml"), "utf8"), before);
  assert.deepEqual([readdirSync(outside), existsSync(join(folder, "library/works"))], [[], false]);
});

test("a deposit has its people, its licence, its version and its files, and a table its columns", () => {
  const deposit = {
    id: 42,
    doi: "10.5281/zenodo.42",
    links: { self_html: "https://zenodo.org/records/42" },
    metadata: {
      title: "Proofs",
      creators: [{ name: "Lovelace, Ada" }, { name: "The Group" }],
      publication_date: "2024-05-06",
      description: "<p>Proofs &amp; <b>code</b> for a &lt; b.</p>",
      version: "1.2",
      license: { id: "cc-by-4.0" },
    },
    files: [{ key: "a.zip", checksum: "md5:00", links: { self: "https://zenodo.org/a.zip" } }],
  };
  const [one] = readZenodo(JSON.stringify({ hits: { hits: [deposit] } }));
  assert.deepEqual(one, {
    id: "zenodo-42",
    title: "Proofs",
    authors: ["Ada Lovelace", "The Group"],
    date: "2024-05-06",
    license: "CC-BY-4.0",
    abstract: "Proofs & code for a < b.",
    doi: "10.5281/zenodo.42",
    url: "https://zenodo.org/records/42",
    venue: "version 1.2",
    files: [{ name: "a.zip", url: "https://zenodo.org/a.zip", checksum: "md5:00" }],
  });
  for (const [said, id] of [
    ["mit", "MIT"],
    ["apache-2.0", "Apache-2.0"],
    ["gpl-3.0-or-later", "GPL-3.0-or-later"],
    ["bsd-3-clause", "BSD-3-Clause"],
  ] as const)
    assert.equal(readZenodo(JSON.stringify([{ ...deposit, metadata: { ...deposit.metadata, license: said } }]))[0]?.license, id);
  const [row] = readTable("\ufefftitle,authors,date,url\r\nSorting,Ann Example; Ben,2020-01,https://e.org/x\r\n");
  assert.deepEqual([row?.title, row?.authors, row?.date, row?.id], ["Sorting", ["Ann Example", "Ben"], "2020-01", "Sorting"]);
  assert.equal(readBibtex(BIB).entries.length, 2);
});

test("no name leads out of a folder, no text is more than text, and no address is a script", async () => {
  const taken = new Set<string>();
  for (const id of ["../../etc/passwd", "..", "", "CON\0", "a/b", "A/B", "\u202etxt", "x".repeat(5000), "\u0645\u0631"]) {
    const slug = slugOf(id, taken);
    taken.add(slug.toLowerCase());
    assert.match(slug, /^[A-Za-z0-9-]{1,90}$/, id);
  }
  assert.equal(taken.size, 9);
  for (const url of ["javascript:alert(1)", "file:///etc/passwd", "https://a:b@e.org/", "x"])
    assert.equal(addressOf({ doi: null, url }), null, url);
  const hostile = 'T: "x"\n---\nauthors: [Eve]\n# <img src=x onerror=alert(1)> ![a](http://e.org/b)';
  const entry = {
    id: "a",
    title: hostile,
    authors: [hostile],
    date: null,
    license: null,
    abstract: hostile,
    doi: null,
    url: null,
    venue: hostile,
    files: [],
  };
  const { html, about, title } = await extract("works/a.md", Buffer.from(formatEntry(entry)));
  assert.doesNotMatch(html ?? "", /<img|<h[1-6][^>]*>.*onerror/);
  assert.equal(about?.authors.length, 1);
  assert.match(title, /^T: "x"/);
});

test("a bibliography's names keep all of their parts, others are no person, and an entry that cannot be read is named beside the others", () => {
  const names = (author: string): readonly string[] | undefined =>
    readBibtex(`@misc{k, title={T}, author={${author}}}`).entries[0]?.authors;
  assert.deepEqual(names("van Gogh, Vincent and de la Cruz, Juan and Ludwig van Beethoven"), [
    "Vincent van Gogh",
    "Juan de la Cruz",
    "Ludwig van Beethoven",
  ]);
  assert.deepEqual(names("King, Jr., Martin Luther and al-Khwarizmi and others"), ["Martin Luther King, Jr.", "al-Khwarizmi"]);
  assert.deepEqual(names("{The {\\LaTeX} Team}"), ["The LaTeX Team"]);
  assert.equal(readBibtex("@misc{k, title={This &amp; that}}").entries[0]?.title, "This & that");
  for (const entry of [
    "@book(paren, title={A work}, year={2001})",
    "@misc{, title={A work}}",
    "@misc{title={A work}}",
    "@misc{a key, title={A work}}",
  ])
    assert.deepEqual(
      readBibtex(entry).entries.map(({ title }) => title),
      ["A work"],
      entry,
    );
  const { entries, left } = readBibtex("@misc{a, title={First}}\n\n@misc{b, title={Open\n\n@misc{c, title={Third}}\n");
  assert.deepEqual([entries.map(({ title }) => title), left.length, left[0]?.startsWith("@misc{b")], [["First", "Third"], 1, true]);
});

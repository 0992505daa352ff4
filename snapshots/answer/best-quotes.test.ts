import assert from "node:assert/strict";
import { test } from "node:test";
import { words } from "../words/words.ts";
import { findQuotes, rankCandidates } from "./best-quotes.ts";
import { Candidates } from "./candidates.ts";
import { DECISION_FEATURES, FEATURES } from "./features.ts";
import { readQuestion, subjectOf } from "./question.ts";
import type { AnswerSource } from "./sources.ts";
import { DECISIONS, ORDER } from "./weights.ts";

const digests = [
  "# Digests",
  "",
  "Whoever prints a digest prints it in groups. People read digests badly.",
  "",
  "A digest is a short text that stands for a long one. It has 64 hex digits.",
  "",
  "## How do I check a digest?",
  "",
  "To check a digest, run `sha256sum` on the file and compare the two, as here:",
  "",
  "```sh",
  "sha256sum notes.md",
  "```",
].join("\n");

/** Texts as a search that counts words would find them. */
const KIND = { md: "markdown", csv: "csv", html: "html", yaml: "yaml", json: "json" } as const;

function ask(question: string, texts: Readonly<Record<string, string>>, isHarmless = (text: string): boolean => !text.includes("evil")) {
  const worth = new Map([...new Set(words(subjectOf(question)))].map((word) => [word, 4]));
  const rank = (text: string): number => new Set(words(text).filter((word) => worth.has(word))).size;
  const found = Object.entries(texts).sort((a, b) => rank(b[1]) - rank(a[1]));
  const best = Math.max(1, ...found.map(([, text]) => rank(text)));
  const sources = found.map(([key, source], at): AnswerSource => {
    const lines = source.split("\n").length;
    const kind = KIND[key.slice(key.lastIndexOf(".") + 1) as keyof typeof KIND];
    const row = {
      doc: key,
      n: 0,
      key,
      title: key,
      kind,
      collection: "",
      heading: "",
      name: "",
      page: null,
      sha256: key,
    };
    const passage = { row: { ...row, text: source, start_line: 1, end_line: lines }, words: rank(source) / best, near: 0.5 };
    const text = { rank: at + 1, share: rank(source) / best, passages: [passage] };
    return { found: text, key, title: key, kind, sha256: key, page: null, source, start_line: 1, above: [] };
  });
  const score = best * 4;
  const asked = readQuestion(question, worth);
  const all = { results: [], texts: sources.map((one) => one.found), worth, score, near: { high: 0.6, low: 0.3 } };
  return findQuotes(asked, all, rankCandidates(asked, all, sources, new Candidates()), isHarmless);
}

test("the weights are of the features, each once and in their order", () => {
  assert.deepEqual(Object.keys(ORDER), [...FEATURES]);
  for (const { weights, enough } of Object.values(DECISIONS)) {
    assert.deepEqual(Object.keys(weights), [...DECISION_FEATURES]);
    assert.ok(enough > 0 && enough < 1);
  }
});

test("what stands under the heading that is asked is quoted first, with its command, and where it stands is told", () => {
  const { finding, quotes } = ask("How do I check a digest?", { "notes/digests.md": digests });
  assert.notEqual(finding, "none");
  const [first] = quotes;
  assert.equal(first?.plain, "To check a digest, run sha256sum on the file and compare the two, as here: sha256sum notes.md");
  assert.equal(first?.heading, "How do I check a digest?");
  assert.deepEqual([first?.start_line, first?.end_line], [9, 12]);
  assert.ok(digests.includes(first?.quote ?? "-"));
  for (const [at, { quote }] of quotes.entries()) assert.ok(!quotes.slice(0, at).some((better) => better.quote.includes(quote)));
});

test("where nothing holds a word of the question, or none is left of it, there is no quote", () => {
  for (const question of ["What is a zeppelin?", "?"])
    assert.deepEqual(ask(question, { "notes/digests.md": digests }), { finding: "none", quotes: [] });
});

test("a sentence that may stand in no answer is left out of what is shown, and the others stay", () => {
  const note = "# Digests\n\nA digest is checked by its reader. An evil sentence stands here. A digest is short, as everybody knows.\n";
  const [first] = ask("How is a digest checked by its reader?", { "notes/d.md": note }).quotes;
  assert.equal(first?.plain, "A digest is checked by its reader. \u2026 A digest is short, as everybody knows.");
  assert.match(first?.quote ?? "", /evil/, "what is cited are the object's own bytes");
  assert.deepEqual(ask("How is a digest checked?", { "notes/d.md": "# Digests\n\nAn evil digest is checked.\n" }).quotes, []);
});

test("a name with another number is another thing", () => {
  const note = "# Digests\n\nA SHA-256 digest is used to name a file, and SHA-256 has no known collision.\n";
  assert.deepEqual(ask("Can I use a SHA-1 digest?", { "notes/sha.md": note }).quotes, []);
  assert.equal(ask("What is a SHA 256 digest?", { "notes/sha.md": note }).quotes.length, 1);
  const release =
    "# Releases\n\nDebian releases are signed. A Release file says Origin: Debian, Suite: stable, Version: 12.4, and when it was released.\n";
  for (const question of ["Debian 12 released", "When was Debian 12 released?"])
    assert.deepEqual(ask(question, { "notes/release.md": release }).quotes, [], question);
  assert.equal(ask("Debian releases since 12", { "notes/release.md": release }).quotes.length, 1);
});

test("a frame is no part of what is asked", () => {
  for (const [question, subject] of [
    ["What is said about the walrus operator?", "the walrus operator"],
    ["Does the library mention Stackless Python?", "Stackless Python"],
    ["does the text say anything about Rust", "Rust"],
    ["Tell me about the index", "the index"],
    ["Please tell me more about leaves.", "leaves"],
    ["What is a packfile?", "What is a packfile?"],
    ["Tell me about?", "Tell me about?"],
  ] as const)
    assert.equal(subjectOf(question), subject, question);
});

test("a statement is held against several texts, and a question may be answered from one", () => {
  const texts = {
    "a.md":
      "# Sorting\n\nInsertion sort keeps equal keys in their order.\n\n## Keys\n\nEqual keys keep their order in insertion sort, always.\n",
    "b.md": "# Order\n\nIn insertion sort the order of equal keys is kept, as in merge sort.\n",
  };
  const keysOf = (question: string): readonly string[] => ask(question, texts).quotes.map(({ source }) => source.key);
  assert.deepEqual(keysOf("Insertion sort keeps the order of equal keys.").toSorted(), ["a.md", "b.md"]);
  assert.deepEqual(keysOf("Does insertion sort keep the order of equal keys?").toSorted(), ["a.md", "a.md", "b.md"]);
});

test("a question that names a row and a column of a table is answered by their cell, with the row and its line", () => {
  const tables = {
    "prices.md":
      "# Prices of tools\n\nAll prices are in euro.\n\n| Tool | Price | Weight |\n|--|--|--|\n| Hammerlite | 15 | 2 kg |\n| Sawmaster | 27 | 3 kg, with the case |\n",
    "lands.csv": 'country,"capital, seat",population\nNorvania,"Bergvik, North",340000\nSudonia,Portel,12\n',
    "ports.html":
      "<table><tr><th>Service</th><th>Port</th></tr><tr><td>gateway</td><td>8443</td></tr><tr><td>admin</td><td>9000</td></tr></table>",
    "conf.yaml": "server:\n  timeout: 30 # seconds\n  host: a.example\n",
    "package.json": '{\n  "name": "zlorp",\n  "version": "4.5.6"\n}\n',
  };
  const cells: readonly (readonly [question: string, cell: string | null, line: number, quote: string])[] = [
    ["What is the price of Hammerlite?", "Price: 15", 7, "Hammerlite | 15 | 2 kg"],
    ["What is the weight of Sawmaster?", "Weight: 3 kg, with the case", 8, "Sawmaster | 27 | 3 kg, with the case"],
    ["What is the population of Norvania?", "population: 340000", 2, 'Norvania,"Bergvik, North",340000'],
    ["Which country has the capital Portel?", "country: Sudonia", 3, "Sudonia,Portel,12"],
    ["Which port does the gateway use?", "Port: 8443", 1, "gateway</td><td>8443"],
    ["What is the timeout of the server?", null, 2, "timeout: 30 # seconds"],
    ["What is the version of zlorp?", null, 3, '"version": "4.5.6"'],
  ];
  for (const [question, said, line, quote] of cells) {
    const { finding, quotes } = ask(question, tables);
    const [first] = quotes;
    assert.deepEqual([finding, quotes.length, first?.start_line, first?.quote.replace(/,$/, "")], ["answer", 1, line, quote], question);
    assert.equal(first?.cell === undefined ? null : `${first.cell.column}: ${first.cell.value}`, said, question);
  }
  for (const question of ["What is the price of Sawmaster in Norway?", "What is the colour of Hammerlite?", "What is the price?"])
    assert.ok(
      ask(question, tables).quotes.every(({ cell }) => cell === undefined),
      question,
    );
});

test("what is quoted answers only where the rarest words of the question stand in it or above it", () => {
  const found = (question: string): string => ask(question, { "notes/digests.md": digests }).finding;
  assert.notEqual(found("How do I check the zeppelin of a digest?"), "answer");
  assert.notEqual(found("How does a penguin check a digest?"), "answer");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { words } from "../../snapshots/index/words.ts";
import { findQuotes, type Text } from "./extractive.ts";
import { readQuestion, subjectOf } from "./question.ts";

const merkle = [
  "# What a Merkle proof proves",
  "",
  "A Merkle proof convinces you that a leaf belongs to a tree whose root you know. You hash, and compare with your root.",
  "",
  "## What it does not prove",
  "",
  "- An old root has perfectly valid proofs, so freshness is another matter.",
].join("\n");
const digests = [
  "---",
  "title: Digests and nothing else, said at length.",
  "---",
  "# Digests",
  "",
  "Whoever prints a digest prints it in groups. People read digests badly.",
  "",
  "A digest is a short text that stands for a long one. It has 64 hex digits.",
  "",
  "```sh",
  "To check a digest run sha256sum on the file, as here.",
  "```",
  "",
  "To check a digest, run `sha256sum` on the file and compare the two.",
].join("\n");

const text = (key: string, title: string, source: string, score: number, kind: Text["kind"] = "markdown"): Text => {
  return { key, title, heading: "", sha256: "", page: null, kind, source, found: { start: 0, end: source.length }, start_line: 1, score };
};
const LIBRARY = [
  text("proofs/Merkle.v", "Merkle.v", "(** A Merkle proof is a list of steps. *)\nDefinition proof := list step.\n", 9, "code"),
  text("notes/digests.md", "Digests", digests, 8),
  text("notes/merkle.md", "What a Merkle proof proves", merkle, 7),
];
const ask = (question: string, library: readonly Text[] = LIBRARY) =>
  findQuotes(readQuestion(question, new Map([...new Set(words(question))].map((word) => [word, 1]))), library);

test("a definition is quoted from the sentence that defines, and instructions from the one that instructs", () => {
  const [defined] = ask("What is a digest?");
  assert.equal(defined?.quote, "A digest is a short text that stands for a long one. It has 64 hex digits.");
  assert.deepEqual([defined?.start_line, defined?.end_line], [8, 8]);
  const [how] = ask("How do I check a digest?");
  assert.equal(how?.plain, "To check a digest, run sha256sum on the file and compare the two.");
  assert.match(how?.quote ?? "", /`sha256sum`/, "the quote has the object's own marks");
});

test("what a question asks the definition of is known by its form", () => {
  for (const [question, subject] of [
    ["What does git stash do?", "git stash"],
    ["what is a packfile", "packfile"],
    ["What's the index?", "index"],
    ["What does HEAD mean?", "HEAD"],
    ["Define refspec.", "refspec"],
    ["What is the meaning of a bare repository?", "bare repository"],
    ["What is the difference between a leaf and a branch?", null],
    ["What does a Merkle proof prove?", null],
    ["Why is the index locked?", null],
  ] as const)
    assert.equal(subjectOf(question), subject, question);
});

test("a question and its opposite are answered from where each is answered, prose before code", () => {
  const [does] = ask("What does a Merkle proof prove?");
  assert.match(does?.plain ?? "", /^A Merkle proof convinces you/);
  const [doesNot] = ask("What does a Merkle proof not prove?");
  assert.match(doesNot?.plain ?? "", /^An old root/);
});

test("where the words stand apart, or some that matter stand nowhere, nothing answers", () => {
  for (const question of [
    "What is a zeppelin?",
    "Who proved the digest of Fermat?",
    "What is the difference between a leaf and a branch?",
    "?",
  ])
    assert.deepEqual(ask(question), [], question);
});

test("no quote is a title, a heading, front matter or a fence", () => {
  for (const question of [
    "Digests",
    "What a Merkle proof proves",
    "digests and nothing else said at length",
    "To check a digest run sha256sum",
  ]) {
    for (const { quote } of ask(question)) assert.doesNotMatch(quote, /^#|^title:|as here|^What a Merkle/, question);
  }
});

test("of a passage out of the middle of a text, what stands around it tells what is code, and where a sentence ends", () => {
  const source = [
    "Settings of the zonal cache, in short.",
    "",
    "```js",
    "// A zonal cache is what keeps a zone in memory here.",
    "```",
    "",
    "A zonal cache is a cache that belongs to",
    "one zone, and to no other.",
    "",
    "A zonal cache is named after its zone.",
  ].join("\n");
  const quotes = (from: string, to: string) => {
    const found = { start: source.indexOf(from), end: source.indexOf(to) + to.length };
    return ask("What is a zonal cache?", [{ ...text("notes/cache.md", "Settings", source, 9), found }]).map(({ quote }) => quote);
  };
  assert.deepEqual(quotes("// A zonal", "in memory here."), []);
  assert.deepEqual(quotes("A zonal cache is a", "belongs to"), ["A zonal cache is a cache that belongs to\none zone, and to no other."]);
  assert.deepEqual(quotes("one zone", "after its zone."), ["A zonal cache is named after its zone."]);
});

test("what a sentence defines is its subject, and not the place that it begins with", () => {
  const other = text("clone.md", "Cloning", "In a work tree, this is the branch that is checked out, and every other work is not.", 9);
  const own = text("words.md", "Words", "In a library with files, a work tree is the folder that its files lie in.", 7);
  assert.equal(ask("What is a work tree?", [other, own])[0]?.text.key, "words.md");
});

test("the summary of a manual page defines its command, and what two forms of a page say is quoted once", () => {
  const page = "NAME\n\nstow-away - Put unfinished work aside\n\nDESCRIPTION\n\nUse stow away when the day ends before the work does.\n";
  const html = "Whoever calls stow away twice has two pieces of work aside, and no way to tell which came first.";
  const pages = [
    text("tell.html", "tell", html, 9, "text"),
    text("tell.txt", "tell", `+\n${html}`, 9, "text"),
    text("stow-away.txt", "stow-away(1)", page, 8, "text"),
  ];
  const said = ask("What does stow away do?", pages).map(({ plain }) => plain);
  assert.equal(said[0], "stow-away - Put unfinished work aside");
  assert.equal(said.filter((plain) => plain.includes("twice")).length, 1);
  const [other] = ask("What is the work?", [
    text("a.txt", "a", "work-tree-list - Show what lies where\n\nThe work is what is done.", 9, "text"),
  ]);
  assert.equal(other?.plain, "The work is what is done.");
});

test("a reason is quoted for why, and the section that is about the question for what it does not say again", () => {
  const note = [
    "# Renaming",
    "",
    "A rename is quick. The file is written first, and renamed after it.",
    "",
    "A rename works in the same folder only, because across file systems it is a copy.",
    "",
    "## Why not a lock?",
    "",
    "Whoever holds it may die, and everybody waits.",
  ].join("\n");
  const library = [text("notes/renaming.md", "Renaming", note, 5)];
  assert.match(ask("Why does a rename need the same folder?", library)[0]?.plain ?? "", /because across file systems/);
  assert.match(ask("Why not a lock?", library)[0]?.plain ?? "", /^Whoever holds it/);
  assert.deepEqual(ask("Why not a queue?", library), []);
});

test("a glossary and a table answer what their terms mean, and nothing else", () => {
  const glossary = text("data/words.yaml", "words.yaml", "pin: a digest that is written down\nhole: a step that was left out\n", 3, "yaml");
  const states = text(
    "notes/states.md",
    "States",
    "# States\n\n| state | meaning |\n|---|---|\n| `dead` | nothing calls it any more |\n",
    2,
  );
  const asked = (question: string) => ask(question, [glossary, states]).map(({ plain, quote }) => [plain, quote]);
  assert.deepEqual(asked("What is a hole?"), [["hole: a step that was left out", "hole: a step that was left out"]]);
  assert.deepEqual(asked("What does dead mean?"), [["dead: nothing calls it any more", "`dead` | nothing calls it any more"]]);
  assert.deepEqual(asked("How do I find a hole?"), []);
});

test("what a colon announces is quoted with it", () => {
  const list =
    "# Canonical text\n\nA canonical text is made so:\n\n- no spaces between tokens;\n- members sorted by their names.\n\nThat is enough for everybody.\n";
  const [made] = ask("How is a canonical text made?", [text("notes/c.md", "Canonical text", list, 2)]);
  assert.equal(made?.plain, "A canonical text is made so: no spaces between tokens; members sorted by their names.");
});

test("a list under the heading that is asked about is quoted as a whole, and nothing that says the opposite stands beside it", () => {
  const note = merkle.replace(
    "freshness is another matter.",
    "freshness is another matter.\n- Absence takes two neighbours in a sorted tree.",
  );
  const paper = text("papers/merkle.md", "Merkle proofs", "# Merkle proofs\n\nA Merkle proof proves that a leaf belongs to its tree.\n", 8);
  const quotes = ask("What does a Merkle proof not prove?", [paper, text("notes/merkle.md", "What a Merkle proof proves", note, 7)]);
  assert.deepEqual(
    quotes.map(({ plain }) => plain),
    ["An old root has perfectly valid proofs, so freshness is another matter. Absence takes two neighbours in a sorted tree."],
  );
});

test("a statement that says no is answered by what says yes as well", () => {
  const [denies, affirms] = ["Folic acid has no effect on the kidney, they say.", "Folic acid has an effect on the kidney, they say."];
  const library = [text("a.md", "One", `# One\n\n${affirms}\n`, 5), text("b.md", "Two", `# Two\n\n${denies}\n`, 4)];
  assert.deepEqual(
    ask("Folic acid has no effect on the kidney", library).map(({ plain }) => plain),
    [affirms, denies],
  );
});

test("of a text that is named for what is to be done its steps are quoted, in their order and without what introduces them", () => {
  const note = [
    "# Recheck a proof",
    "",
    "A proof that one has to believe is a rumour. You need the package `coq` and nothing else.",
    "",
    "```sh",
    "coqc Numbers.v",
    "```",
    "",
    "`coqc` prints nothing when it is content. Other files can then use it.",
    "",
    "People have strong opinions about proofs in general.",
  ].join("\n");
  assert.deepEqual(
    ask("How do I recheck a proof?", [text("notes/recheck.md", "Recheck a proof", note, 5)]).map(({ plain }) => plain),
    ["You need the package coq and nothing else.", "coqc prints nothing when it is content. Other files can then use it."],
  );
});

test("a statement is answered where its words stand together, and not where they only stand", () => {
  const apart =
    "# Letters\n\nAlpha is a letter and was the first one. Many pages later a beta came along. Still later, in quite another book by somebody else, a gamma stood far away from all of them.\n";
  const together = "# Letters\n\nThe alpha beta gamma rule was found late.\n";
  const statement = "Alpha beta gamma delta";
  assert.deepEqual(ask(statement, [text("a.md", "Letters", apart, 5)]), []);
  assert.equal(ask(statement, [text("b.md", "Letters", together, 5)]).length, 1);
});

test("a name with another number is another thing, and an entry answers only who asks for its term", () => {
  const digests = text(
    "notes/sha.md",
    "Digests",
    "# Digests\n\nA SHA-256 digest is used to name a file, and SHA-256 has no known collision.\n",
    5,
  );
  assert.deepEqual(ask("Can I use SHA-1?", [digests]), []);
  assert.equal(ask("What is SHA 256?", [digests]).length, 1);
  const glossary = text("data/words.yaml", "words.yaml", "verified: a command checks the whole statement\n", 3, "yaml");
  assert.deepEqual(ask("What are the three ways a verified claim rots?", [glossary]), []);
  assert.deepEqual(ask("What is not verified?", [glossary]), []);
  assert.equal(ask("What does verified mean?", [glossary]).length, 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../schema/kinds.ts";
import { excerpt, findWords } from "./excerpt.ts";

/** The excerpt with the words between asterisks. */
function shown(kind: Kind, text: string, query = "insertion"): { readonly text: string; readonly code: boolean } {
  const { pieces, code } = excerpt(kind, text, findWords(query, ["en"]));
  return { text: pieces.map((piece) => (piece.marked ? `*${piece.text}*` : piece.text)).join(""), code };
}

test("prose is shown as it is read: no mark of Markdown or LaTeX is left", () => {
  const markdown: readonly (readonly [source: string, read: string])[] = [
    ["## Sorting\n\nAn **insertion** keeps `xs` _sorted_.", "An *insertion* keeps xs sorted."],
    ["## Insertion", "*Insertion*"],
    ["> quoted\n> insertion\n\n- one\n2. two\n* * *", "quoted *insertion* one two"],
    ['See [the *insertion*](https://x.example/a_b "t") and ![a tree](tree.svg).', "See the *insertion* and a tree."],
    ["```coq\nLemma insertion_keeps.\n```", "Lemma *insertion_keeps*."],
    ["| a | insertion |\n|---|---|\n| 1 | 2 |", "a *insertion* 1 2"],
    ["a <b>bold</b> insertion<!-- not this --> 3 \\* 4", "a bold *insertion* 3 * 4"],
    ["snake_case_name insertion", "snake_case_name *insertion*"],
  ];
  for (const [source, read] of markdown) assert.deepEqual(shown("markdown", source), { text: read, code: false }, source);
  assert.deepEqual(shown("latex", "\\section{Sorting}\\label{s}\nAn \\emph{insertion}~here. % note"), {
    text: "An *insertion* here.",
    code: false,
  });
  assert.equal(shown("text", "# insertion as_it_is").text, "# *insertion* as_it_is", "plain text has no marks");
  assert.equal(shown("rst", "An ``insertion`` of :py:class:`list <builtins.list>`.").text, "An *insertion* of list.");
});

test("of code, lines are shown where they hold the words, and what a comment says without its signs where that does", () => {
  const coq = "(** An insertion keeps [xs] sorted. *)\nLemma keeps : forall xs,\n  sorted xs -> sorted (put 1 xs).\nProof. auto. Qed.";
  assert.deepEqual(shown("code", coq), { text: "An *insertion* keeps [xs] sorted.", code: false });
  assert.deepEqual(shown("code", coq, "keeps sorted lemma"), {
    text: "*Lemma* *keeps* : forall xs,\n  *sorted* xs -> *sorted* (put 1 xs).",
    code: true,
  });
  for (const comment of [
    "/-- An insertion. -/",
    "/// An insertion.",
    "//! An insertion.",
    "/**\n * An insertion.\n */",
    "-- An insertion.",
    "# An insertion.",
    '"""An insertion."""',
    'r"""\n    An insertion.\n    """',
  ]) {
    assert.deepEqual(shown("code", `${comment}\ndef put := 1`), { text: "An *insertion*.", code: false }, comment);
  }
  assert.equal(
    shown("code", "impl Insertion {\n    /// Where it goes.\n    pub fn place(&self) {}\n}").text,
    "impl *Insertion* {\n    pub fn place(&self) {}",
    "a comment between two lines of code is left out",
  );
});

test("a declaration is shown, and not the section that opens before it in the passage", () => {
  const coq =
    "Section PermSeq.\n\nVariable T : eqType.\nImplicit Type s : seq T.\n\nDefinition perm_eq s1 s2 :=\n  all (same s1 s2) (s1 ++ s2).";
  assert.equal(shown("code", coq, "perm_eq").text, "Definition *perm_eq* s1 s2 :=\n  all (same s1 s2) (s1 ++ s2).");
});

test("of an entry that is called by the words its beginning is shown, of others what holds most of them", () => {
  const text = `os.path.join(path, *paths)\n\nJoins. ${"And so on. ".repeat(60)}\n\nNever join what os.path.join joined, says os.path.`;
  const read = (query: string): string =>
    excerpt("html", text, findWords(query, ["en"]), "os.path.join")
      .pieces.map((piece) => piece.text)
      .join("");
  assert.match(read("os.path.join"), /^os\.path\.join\(path, \*paths\) Joins\./);
  assert.match(read("never joined"), /Never join what/);
});

test("a line that only brings in what stands elsewhere is shown where nothing else holds the words", () => {
  const embedded = '/// The proof travels with the program.\nconst MERKLE_PROOF: &str = include_str!("../coq/Merkle.v");';
  assert.deepEqual(shown("code", embedded, "merkle proof"), { text: "The *proof* travels with the program.", code: false });
  assert.deepEqual(shown("code", "mod log;\nmod merkle;\n\nfn climb() -> Merkle {", "merkle"), {
    text: "fn climb() -> *Merkle* {",
    code: true,
  });
  assert.deepEqual(shown("code", "mod log;\nmod merkle;\n", "merkle"), { text: "mod *merkle*;", code: true });
});

test("hostile markup is read in time that grows with its length, and nothing of it is lost to a rule that does not fit", () => {
  for (const part of ["[", "**", "`", "<a ", "_x", "\\", "| ", "> ", "# ", "(*", "/-", "![](", "- - ", '"""', '\n"""']) {
    const text = part.repeat(2000 / part.length);
    for (const kind of ["markdown", "latex", "code", "text"] as const) shown(kind, text);
  }
  assert.equal(shown("markdown", "a < b and c > d, insertion").text, "a < b and c > d, *insertion*");
});

test("a line of code that is cut ends in a whole sign", () => {
  for (let at = 0; at < 6; at++) {
    const { text, code } = shown("code", `def insertion := ${"x".repeat(at)}${"\u{1f600}".repeat(900)}`);
    assert.ok(code && text.isWellFormed() && text.endsWith("…"), `${at}`);
  }
});

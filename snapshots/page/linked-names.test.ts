import assert from "node:assert/strict";
import { test } from "node:test";
import { highlightLines, loadLanguage } from "../highlight/highlight.ts";
import { type KnownName, linkNames } from "./linked-names.ts";

const known = (name: string, id = name): KnownName => ({ name, path: `/registry/${id}/`, type: `the type of ${name}` });
await loadLanguage("coq");

function linked(text: string, ...names: readonly KnownName[]): string[] {
  const html = linkNames(highlightLines(text, "coq"), names, "Lists.here", "/registry/CUB-0001/").join("\n");
  assert.equal(html.replaceAll(/<a [^>]*>|<\/a>/g, ""), highlightLines(text, "coq").join("\n"), "nothing but links is added");
  return [...html.matchAll(/<a [^>]*>([^<]*)<\/a>/g)].map(([, name = ""]) => name);
}

test("a name is a link to what declares it, with what that says, by each way in which it can be written", () => {
  const [html] = linkNames(["sorted (Lists.insert x l) &lt; insert"], [known("Dev.Lists.insert", "CUB-0002")], "t", "/registry/CUB-0001/");
  const link = (name: string): string => `<a href="../CUB-0002/" data-type="the type of Dev.Lists.insert">${name}</a>`;
  assert.equal(html, `sorted (${link("Lists.insert")} x l) &lt; ${link("insert")}`);
  assert.deepEqual(linked("Proof. intros. apply insert'. exact (insert1 + insert). Qed.", known("insert")), ["insert"]);
  assert.deepEqual(linked("lt a b -> a < b && a <= 1", known("lt")), ["lt"]);
});

test("a name that could mean two things, that the text binds or declares, or that a comment or a string says, is no link", () => {
  assert.deepEqual(linked("exact (f x).", known("A.f"), known("B.f")), []);
  assert.deepEqual(linked("exact (A.f x).", known("A.f"), known("B.f")), ["A.f"]);
  for (const text of [
    "forall (f : nat) x, f x",
    "forall x f, f x",
    "fun f => f x",
    "let f := 1 in f x",
    "Proof. intros [x f] y. exact (f x). Qed.",
    "Proof. destruct H as [f|y]. exact f. Qed.",
    "match l with | cons f _ => f end",
    "assert (f : True). exact f.",
  ])
    assert.deepEqual(linked(text, known("f")), [], text);
  assert.deepEqual(linked("Lemma here : here = 1.", known("Other.here")), []);
  assert.deepEqual(linked('(* f *) exact "f" (* x\n f *).', known("f")), []);
  assert.deepEqual(linked("x.f = y", known("f")), []);
});

test("types are text on one line, however they are written, and links do not outgrow a page", () => {
  const [html = ""] = linkNames(["f"], [{ name: "f", path: "/x/", type: `"><script>\n\u202e${"y".repeat(900)}` }], "t", "/");
  assert.match(html, /^<a href="x\/" data-type="&quot;&gt;&lt;script&gt; y{20,200}…">f<\/a>$/);
  assert.ok(linkNames(Array(5000).fill("f"), [known("f")], "t", "/").join("\n").length < 30_000);
});

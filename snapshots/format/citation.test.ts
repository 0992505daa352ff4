import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findCitationProblem, locateQuote, readLines } from "./citation.ts";
import { sha256 } from "../digest.ts";

const TEXT = "one\ntwo \u201cquoted\u201d\r\n\n\tfour caf\u00e9 \ud83e\udd80\nfive";
const bytes = Buffer.from(TEXT);
const cite = (quote: string, start_line: number, end_line = start_line) =>
  findCitationProblem({ n: 1, key: "k", sha256: sha256(TEXT), start_line, end_line, quote }, bytes);

test("a quote outside its lines, across their end, or in another spelling does not hold", () => {
  assert.match(cite("two", 1) ?? "", /does not occur/);
  assert.match(cite("one\ntwo", 1) ?? "", /does not occur/);
  assert.match(cite("one\n", 1) ?? "", /does not occur/);
  assert.match(cite("cafe\u0301", 4) ?? "", /does not occur/);
  assert.match(cite('two "quoted"', 2) ?? "", /does not occur/);
  assert.match(cite("\ud83e", 4) ?? "", /does not occur/);
  assert.match(cite("", 1) ?? "", /empty/);
});

test("line numbers that are not there, turned round or no numbers do not hold", () => {
  for (const [start, end] of [
    [0, 1],
    [6, 6],
    [2, 1],
    [1, 6],
    [1.5, 2],
    [Number.NaN, 1],
    [1, Infinity],
  ] as const) {
    assert.match(cite("one", start, end) ?? "", /has no lines/);
  }
});

test("another digest and a missing object do not hold", () => {
  const citation = { n: 1, key: "k", sha256: sha256("other"), start_line: 1, end_line: 1, quote: "one" };
  assert.match(findCitationProblem(citation, bytes) ?? "", /another digest/);
  assert.match(findCitationProblem(citation, null) ?? "", /not in this snapshot/);
});

test("what stands there holds, over line ends, with any script, and in the last line without an end", () => {
  for (const [quote, start, end] of [
    ["one", 1, 1],
    ["one\ntwo", 1, 2],
    ["quoted\u201d\r", 2, 2],
    ["caf\u00e9 \ud83e\udd80", 4, 4],
    ["five", 5, 5],
    [TEXT, 1, 5],
  ] as const) {
    assert.equal(cite(quote, start, end), null);
  }
  assert.equal(readLines(bytes, 5, 5), "five");
  assert.equal(readLines(Buffer.from([0xff, 0x0a]), 1, 1), null);
});

test("any stretch of any text is located, and what is located holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }), fc.nat(), fc.nat(), (text, a, b) => {
      const source = Buffer.from(text);
      const from = a % text.length;
      const wanted = text.slice(from, from + 1 + (b % 50));
      const located = locateQuote(text, 1, wanted);
      if (located === null) return;
      const citation = { n: 1, key: "k", sha256: sha256(source), ...located };
      if (located.quote.isWellFormed()) assert.equal(findCitationProblem(citation, source), null);
    }),
    { numRuns: 1_000 },
  );
});

test("white space, dashes and quotation marks may differ in what is wanted, never in what is cited", () => {
  assert.deepEqual(locateQuote(TEXT, 10, 'one  two "quoted"'), { quote: "one\ntwo \u201cquoted\u201d", start_line: 10, end_line: 11 });
  assert.deepEqual(locateQuote("a \u2013 b", 1, "a - b"), { quote: "a \u2013 b", start_line: 1, end_line: 1 });
  assert.equal(locateQuote(TEXT, 1, "   "), null);
  assert.equal(locateQuote("x".repeat(50), 1, "(x+)+$"), null);
  assert.equal(locateQuote("f(a|b)* [c] {2} ^$ \\d /", 1, "f(a|b)* [c] {2} ^$ \\d /")?.quote, "f(a|b)* [c] {2} ^$ \\d /");
});

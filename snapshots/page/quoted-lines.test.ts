import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { markHits } from "../query/excerpt.ts";
import { pageBytes, parseLineRange, quotedLines } from "./quoted-lines.ts";

const SNAPSHOT = "5".repeat(64);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const markedOf = (found: ReturnType<typeof quotedLines>): string =>
  found.lines
    .filter(({ cited }) => cited)
    .map(({ pieces }) =>
      pieces
        .filter(({ marked }) => marked)
        .map(({ text }) => text)
        .join(""),
    )
    .join("\n");

test("lines that are no range are refused with a reason, and no lines are no request", () => {
  for (const lines of ["", "0", "3-2", "-1", "1-", "1e3", "99999999999", "1,2", "L3"]) {
    assert.throws(() => parseLineRange(new URLSearchParams({ lines })), { code: "bad_parameter" }, lines);
  }
  assert.throws(() => parseLineRange(new URLSearchParams({ lines: "1", quote: "x".repeat(1_501) })), { code: "bad_parameter" });
  assert.equal(parseLineRange(new URLSearchParams({ quote: "x" })), null);
  assert.deepEqual(parseLineRange(new URLSearchParams({ lines: "12-14" })), { page: null, start: 12, end: 14, quote: "" });
});

test("a quote that is nearly there is not there", () => {
  const bytes = bytesOf("one\ntwo  three\nfour\n");
  for (const quote of ["two three", "Two  three", "two  three\r\nfour", "three four", "\ud800"]) {
    const found = quotedLines(bytes, { page: null, start: 2, end: 3, quote }, SNAPSHOT);
    assert.equal(found.problem, "no_quote", quote);
    assert.ok(
      found.lines.every(({ pieces }) => pieces.every(({ marked }) => !marked)),
      quote,
    );
  }
  // It stands in the file, but on another line.
  assert.equal(quotedLines(bytes, { page: null, start: 1, end: 1, quote: "four" }, SNAPSHOT).problem, "no_quote");
});

test("lines beyond the end, bytes that are no text, and files too large to read are told apart from a false quote", () => {
  assert.equal(quotedLines(bytesOf("one\n"), { page: null, start: 3, end: 3, quote: "" }, SNAPSHOT).problem, "no_lines");
  assert.equal(quotedLines(Uint8Array.of(0xff, 0xfe), { page: null, start: 1, end: 1, quote: "" }, SNAPSHOT).problem, "no_lines");
  assert.equal(quotedLines(null, { page: null, start: 1, end: 1, quote: "" }, SNAPSHOT).problem, "too_large");
});

test("lines of a PDF are those of one page's text; what no passage holds is an empty line", () => {
  assert.deepEqual(parseLineRange(new URLSearchParams({ page: "3", lines: "2" })), { page: 3, start: 2, end: 2, quote: "" });
  for (const page of ["0", "-1", "x", "1e3", "9999999"]) {
    assert.throws(() => parseLineRange(new URLSearchParams({ page, lines: "1" })), { code: "bad_parameter" }, page);
  }
  const passage = (page: number, start_line: number, text: string) => ({
    heading: [],
    name: null,
    page,
    start_line,
    end_line: start_line,
    text,
  });
  const bytes = pageBytes([passage(1, 1, "Other"), passage(3, 1, "one\ntwo"), passage(3, 4, "four")], 3);
  assert.equal(new TextDecoder().decode(bytes), "one\ntwo\n\nfour");
  const found = quotedLines(bytes, { page: 3, start: 1, end: 2, quote: "one\ntwo" }, SNAPSHOT);
  assert.deepEqual([found.page, found.problem, markedOf(found)], [3, null, "one\ntwo"]);
  assert.equal(quotedLines(pageBytes([], 7), { page: 7, start: 1, end: 1, quote: "Other" }, SNAPSHOT).problem, "no_quote");
});

test("a line of a megabyte and a range of thousands of lines are shown in part", () => {
  const long = quotedLines(
    bytesOf(`${"a".repeat(1_000_000)}needle${"b".repeat(1_000_000)}`),
    { page: null, start: 1, end: 1, quote: "needle" },
    SNAPSHOT,
  );
  assert.equal(markedOf(long), "needle");
  assert.ok(JSON.stringify(long).length < 2_000);
  const many = quotedLines(bytesOf("line\n".repeat(5_000)), { page: null, start: 1, end: 5_000, quote: "" }, SNAPSHOT);
  assert.equal(many.lines.filter(({ cited }) => cited).length + many.more, 5_000);
  assert.ok(many.lines.length <= 64);
});

test("what is marked is the quote, whatever the lines hold and wherever it begins and ends", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "😀", "<", "&", "\t"), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(), (lines, a, b) => {
      const text = lines.join("\n");
      const from = a % (text.length + 1);
      const quote = text.slice(from, from + (b % (text.length - from + 1))).toWellFormed();
      const found = quotedLines(bytesOf(text), { page: null, start: 1, end: lines.length, quote }, SNAPSHOT);
      if (quote.includes("\ufffd")) return found.problem === "no_quote";
      return (
        found.problem === null &&
        markedOf(found).replaceAll(/^\n+|\n+$/g, "") === (quote === "" ? text : quote).replaceAll(/^\n+|\n+$/g, "")
      );
    }),
  );
});

test("a snippet in pieces is the snippet, also where hits overlap", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.array(fc.tuple(fc.nat(40), fc.nat(10)), { maxLength: 8 }), (text, spans) => {
      const hits = spans.map(([start, length]) => ({
        start: Math.min(start, text.length),
        end: Math.min(start + length, text.length),
        word: "",
        worth: 1,
      }));
      return (
        markHits(text, hits)
          .map((piece) => piece.text)
          .join("") === text
      );
    }),
  );
});

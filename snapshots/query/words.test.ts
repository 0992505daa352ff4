import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldCase, foldSpaces, formsOf, identifierParts, parseWordQuery, wholeWords } from "./words.ts";

const searchWords = (text: string): ReadonlySet<string> => new Set(wholeWords(text).flatMap(formsOf));

test("any text is a query: nothing throws, and nothing but white space and quotes is dropped", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const { words, phrases } = parseWordQuery(text);
      const empty = text.split('"').every((part) => part.trim() === "");
      assert.equal(words.length + phrases.length === 0, empty);
      for (const item of [...words, ...phrases]) assert.notEqual(item.trim(), "");
    }),
  );
});

test("a text is found by each of its own words, however its letters are cased or composed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-composite", maxLength: 60 }), fc.constantFrom("NFC", "NFD"), (text, form) => {
      const known = searchWords(text);
      for (const word of parseWordQuery(text.replaceAll('"', " ").normalize(form)).words) assert.ok(known.has(foldCase(word)), word);
    }),
  );
});

test("identifiers are found whole and by their parts", () => {
  const found = searchWords("SortedLists.insertionSort_perm v2 HTTPServer' x_1");
  for (const word of [
    "sortedlists.insertionsort_perm",
    "insertionsort_perm",
    "insertion",
    "sort",
    "perm",
    "sortedlists",
    "sorted",
    "lists",
    "http",
    "server",
    "v2",
    "x_1",
  ]) {
    assert.ok(found.has(word), word);
  }
  assert.deepEqual(identifierParts("camelCase_and.dots"), ["camel", "case", "and", "dots"]);
});

test("quotes make phrases, an unclosed one to the end, an empty one nothing", () => {
  assert.deepEqual(parseWordQuery('merkle "on the  Log" x'), { words: ["merkle", "x"], phrases: ["on the log"] });
  assert.deepEqual(parseWordQuery('a "b c'), { words: ["a"], phrases: ["b c"] });
  assert.deepEqual(parseWordQuery('""'), { words: [], phrases: [] });
});

test("signs without a letter are looked for as they stand", () => {
  const { words, phrases } = parseWordQuery("∀ x <= y");
  assert.deepEqual(words, ["x", "y"]);
  assert.deepEqual(phrases, ["∀", "<="]);
});

test("a phrase ignores case and the kind of white space", () => {
  assert.equal(foldSpaces(" A\t b\n\nC "), "a b c");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { WordCounts } from "./index/statistics.ts";
import { words } from "./words/words.ts";
import { formsOf, wholeWords } from "./query/words.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const TEXTS = 400;
const LENGTH = 20_000; // code units of each

/** Bytes of texts that are held when `read` has seen each of them. */
function heldAfter(read: (text: string) => void): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < TEXTS; at++) {
    const word = `an_identifier_of_text_${at}`;
    read(`the ${word} ${"and so on ".repeat(LENGTH / 10)}${at}`.normalize("NFC"));
  }
  collectGarbage();
  return process.memoryUsage().heapUsed - before;
}

const SOME = (TEXTS * LENGTH) / 10;

test("words that are remembered keep no text in memory that they were cut out of", () => {
  const counts = new WordCounts();
  const index = new Set<string>();
  for (const [name, read] of [
    ["analysed words", (text) => void words(text)],
    ["counted words", (text) => counts.add(text, 1)],
    [
      "words of records",
      (text) =>
        wholeWords(text)
          .flatMap(formsOf)
          .forEach((word) => index.add(word)),
    ],
  ] as const satisfies readonly (readonly [string, (text: string) => void])[]) {
    const held = heldAfter(read);
    assert.ok(held < SOME, `${name}: ${held} bytes`);
  }
  assert.equal(counts.changes().get("an_identifier_of_text_7"), 1);
});

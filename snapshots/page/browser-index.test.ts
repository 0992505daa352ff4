import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KIND_NUMBERS } from "../schema/kinds.ts";
import { formatPosting, formatWords, groupOf, nearShards, parsePosting, parseWords, readGroup, splitPostings } from "./browser-index.ts";
import { shardOf } from "../query/words.ts";

const posting = fc.record({ weight: fc.nat(255), page: fc.nat(0xffff_ffff), group: fc.nat(0xffff) }, { noNullPrototype: true });

test("words come back as they were written, whatever they are made of", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme", maxLength: 20 }), fc.array(posting, { maxLength: 5 }))), (words) => {
      const entries = words.map(([word, postings]) => ({
        word: word.toWellFormed(),
        pages: postings.length + 7,
        postings: Buffer.concat(postings.map(formatPosting)),
      }));
      const read = [...parseWords(Buffer.concat(formatWords(entries)))];
      assert.deepEqual(
        read.map(({ word, pages }) => [word, pages]),
        entries.map(({ word, pages }) => [word, pages]),
      );
      assert.deepEqual(
        read.map((entry) => [...splitPostings(entry.postings)].map(parsePosting)),
        words.map(([, postings]) => postings),
      );
    }),
  );
});

test("the order of a posting's bytes is: weight, then page", () => {
  fc.assert(
    fc.property(posting, posting, (a, b) => {
      const expected = a.weight - b.weight || a.page - b.page || a.group - b.group;
      assert.equal(Math.sign(Buffer.compare(formatPosting(a), formatPosting(b))), Math.sign(expected));
    }),
  );
});

test("a word has a shard that there is", () => {
  fc.assert(fc.property(fc.string(), fc.nat(1000), (word, bundles) => assert.ok(shardOf(word, bundles + 1) <= bundles)));
});

test("a word with one wrong letter is in a shard of the word that was meant", () => {
  for (const [meant, written] of [
    ["heron", "hreon"],
    ["heron", "eron"],
    ["heron", "heroon"],
    ["heron", "herom"],
    ["merkle", "merkel"],
    ["insert_keeps", "isnert_keeps"],
  ] as const) {
    const shards = new Set(nearShards(meant, 1000));
    assert.ok(
      nearShards(written, 1000).some((shard) => shards.has(shard)),
      `${written} for ${meant}`,
    );
  }
});

test("a group tells kind and collection, also where there is no collection", () => {
  for (const kind of KIND_NUMBERS) {
    for (const collection of [-1, 0, 3, 500]) assert.deepEqual(readGroup(groupOf(kind, collection)), { kind, collection });
  }
});

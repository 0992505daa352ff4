import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, test } from "node:test";
import { counting } from "../annex/counting/answer-counted.ts";
import { makeViews } from "../serve/view-fixture.ts";
import { mendQuestion } from "./mend.ts";

const views = await makeViews();
after(() => rmSync(views.folder, { recursive: true }));
const open = (await views.publicView.current()) ?? assert.fail();
const reader = await open.reader();
const known = counting.knownWords(await open.snapshot.data());
const mend = (question: string): Promise<string> => mendQuestion(question, "", reader, known);

test("a word that stands nowhere is read as the one that is near it, and as a whole word only", async () => {
  for (const [asked, read] of [
    ["wich sort is stable", "which sort is stable"],
    ["Why is insertoin sort stable?", "Why is insertion sort stable?"],
    ["Why is insertion sort stabel?", "Why is insertion sort stable?"],
    ["How many recrods are verified?", "How many records are verified?"],
    ["How many records are deployabel?", "How many records are deployable?"],
    ["compariosns and comparisons", "comparisons and comparisons"],
    ["diges digests", "digest digests"],
  ] as const)
    assert.equal((await mend(asked)).toLowerCase(), read.toLowerCase());
});

test("what a library or a counting question has is no slip, nor what nothing is near", async () => {
  for (const asked of ["How many records are unwired?", "Why is insertion sort stable?", "zebra xylophone", "", "???", "a\u{1f600}b"])
    assert.equal(await mend(asked), asked);
});

test("a word of the registry is never read as another one", async () => {
  for (const asked of [
    "What is a hole?",
    "Which records have holes?",
    "What does admitted mean?",
    "Is an axiom used?",
    "axioms",
    "What is drift?",
    "Which records drifted?",
    "Is it verified or disputed?",
    "What is a claim, and what is evidence?",
    "Which theorems are withdrawn or recalled?",
  ]) {
    assert.equal(await mend(asked), asked);
    assert.equal(await mendQuestion(asked, "", reader, new Set()), asked);
  }
});

test("the index is asked for a word and never ranked", async () => {
  const queries: number[] = [];
  const watched = {
    ...reader,
    find: (query: Parameters<typeof reader.find>[0]) => {
      queries.push(query.words.length, query.limit);
      return reader.find(query);
    },
  };
  // As the library writes it: a title has a capital.
  assert.match(await mendQuestion("Why is insertoin sort stable?", "", watched, known), /^Why is insertion sort stable\?$/i);
  assert.ok(queries.length > 0 && queries.every((one) => one <= 3), queries.join());
});

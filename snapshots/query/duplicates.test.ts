import assert from "node:assert/strict";
import { test } from "node:test";
import type { IndexRow } from "../index/row.ts";
import { foldDuplicates } from "./duplicates.ts";
import type { ExactReason } from "./parsed-query.ts";

type Given = {
  readonly text: string;
  readonly score: number;
  readonly kind?: IndexRow["kind"];
  readonly exact?: ExactReason;
  readonly sha256?: string;
};

function kept(...given: readonly Given[]): number[] {
  const results = given.map(({ text, score, kind = "markdown", exact = null, sha256 = "" }, at) => ({
    at,
    score,
    exact,
    row: {
      doc: String(at),
      n: 0,
      key: String(at),
      kind,
      collection: "",
      title: "",
      heading: "",
      name: "",
      text,
      page: null,
      start_line: 1,
      end_line: 1,
      sha256,
    } as IndexRow,
  }));
  return foldDuplicates(results).map(({ at }) => at);
}

const LONG =
  "a digest names bytes and the same bytes have the same name everywhere so that nobody has to be trusted for it at any time in any place by anyone who reads what is written here today";

test("what is said twice is shown once, the better one; a word or a mark more changes nothing", () => {
  assert.deepEqual(
    kept({ text: LONG, score: 5 }, { text: `${LONG}, indeed.`, score: 4.99 }, { text: "something else", score: 4.9 }),
    [0, 2],
  );
  assert.deepEqual(kept({ text: LONG, score: 5 }, { text: LONG, score: 5 }), [0], "the same bytes under two keys");
});

test("another text, a part of a text, and short texts stay", () => {
  assert.deepEqual(kept({ text: LONG, score: 5 }, { text: LONG.split(" ").reverse().join(" "), score: 5 }), [0, 1]);
  assert.deepEqual(kept({ text: LONG, score: 5 }, { text: LONG.slice(0, 90), score: 5 }), [0, 1]);
  assert.deepEqual(kept({ text: "A zebra.", score: 1 }, { text: "A zebra.", score: 1 }), [0, 1]);
  assert.deepEqual(kept({ text: "", score: 1 }, { text: "", score: 1 }), [0, 1]);
});

test("the same bytes are one result, however short and whatever their names score; a copy that the query names stays", () => {
  const [sha256, other] = ["5".repeat(64), "6".repeat(64)];
  assert.deepEqual(
    kept({ text: "A zebra.", score: 9, sha256 }, { text: "A zebra.", score: 5, sha256: other }, { text: "A zebra.", score: 1, sha256 }),
    [0, 1],
  );
  assert.deepEqual(kept({ text: "A zebra.", score: 9, sha256 }, { text: "A zebra.", score: 5, sha256, exact: "key" }), [0, 1]);
  const named = { text: "A zebra.", score: 9, sha256, exact: "name" } as const;
  assert.deepEqual(kept(named, named), [0], "a name that both declare is one result");
});

test("records, claims and what the query names stay", () => {
  assert.deepEqual(
    kept({ text: LONG, score: 3, kind: "record" }, { text: LONG, score: 3, kind: "claim" }, { text: LONG, score: 3, kind: "record" }),
    [0, 1, 2],
  );
  assert.deepEqual(kept({ text: LONG, score: 3 }, { text: LONG, score: 3, exact: "key" }), [0, 1]);
});

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { formatNote, generateKey, parseKey, parseSigningKey, signNote } from "../../../snapshots/log/index.ts";
import { readReviews } from "./reviews.ts";

const NOW = "a".repeat(64);
const BEFORE = "b".repeat(64);
const folder = mkdtempSync(join(tmpdir(), "proofshelf-reviews-"));
let files = 0;
const file = (text: string, ending = ".yaml"): string => {
  const name = join(folder, `r${files++}${ending}`);
  writeFileSync(name, text);
  return name;
};
const review = (more: string, meaning = NOW): string => `  - { record: CUB-0001, meaning: ${meaning}, by: Ada, on: 2026-11-01, ${more} }\n`;
const list = (...reviews: readonly string[]): string => `reviews:\n${reviews.join("")}`;

test("an approval holds at the meaning that was read, and falls when that moves", () => {
  const { of } = readReviews(
    [file(list(review("says: faithful, source: https://example.org/paper"), review("says: faithful", BEFORE)))],
    [],
  );
  assert.deepEqual(
    of("CUB-0001", NOW).map(({ holds }) => holds),
    [true, false],
  );
  assert.deepEqual(
    of("CUB-0001", "").map(({ holds }) => holds),
    [false, false],
    "nobody knows what it means now",
  );
  assert.deepEqual(of("CUB-0002", NOW), []);
});

test("a review counts as signed where a trusted key signed its note, and a note that nobody trusts is refused", () => {
  const { publicKey, privateKey } = generateKey("ada.example.org");
  const text = list(review("says: doubted, why: n may be 0"));
  const note = file(formatNote({ text, signatures: [signNote(text, parseSigningKey(privateKey))] }), ".note");
  const [one] = readReviews([note], [parseKey(publicKey)]).of("CUB-0001", NOW);
  assert.equal(one?.signed, true);
  assert.equal(readReviews([file(text)], []).of("CUB-0001", NOW)[0]?.signed, false);
  assert.throws(() => readReviews([note], []), /nobody who is trusted here has signed it/);
});

test("a review of no record, or of what none ever meant, is told with its file and line", () => {
  const name = file(list(review("says: faithful"), review("says: faithful", BEFORE), review("says: faithful").replace("0001", "0009")));
  const findings = readReviews([name], []).findings(new Map([["CUB-0001", new Set([NOW])]]));
  assert.equal(findings.length, 2);
  assert.match(findings[0] ?? "", /:3: no check that lies here is of CUB-0001 with the meaning bbbb/);
  assert.match(findings[1] ?? "", /:4: there is no record CUB-0009/);
});

test("a mistake is refused with its line: a doubt without a reason, a day that is none, an approval that was settled", () => {
  for (const [more, says] of [
    ["says: doubted", /why is missing; write what is doubted/],
    ["says: faithful, settled: yes", /settled is of a doubt/],
    ["says: perhaps", /says/],
    ["says: faithful, source: nowhere", /is no address/],
  ] as const)
    assert.throws(() => readReviews([file(list(review(more)))], []), says);
  assert.throws(() => readReviews([file(list(review("says: faithful").replace("2026-11-01", "2026-13-01")))], []), /is no day/);
  assert.throws(() => readReviews([file(list(review("says: faithful", "abc")))], []), /is no digest of a meaning/);
});

test("ten thousand reviews in two files are read", () => {
  const many = (from: number): string =>
    file(list(...Array.from({ length: 5000 }, (_, at) => review("says: faithful").replace("0001", String(from + at)))));
  assert.equal(readReviews([many(1000), many(6000)], []).findings(new Map()).length, 10_000);
});

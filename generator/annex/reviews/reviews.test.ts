import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openReview, readReviews, type SealedReview, stateReview } from "./reviews.ts";

const NOW = "a".repeat(64);
const BEFORE = "b".repeat(64);
const folder = mkdtempSync(join(tmpdir(), "proofshelf-reviews-"));
let files = 0;
const file = (text: string, ending = ".yaml"): string => {
  const name = join(folder, `r${files++}${ending}`);
  writeFileSync(name, text);
  return name;
};
const review = (more: string, meaning = NOW): string => `  - { record: CUB-0001, meaning: ${meaning}, by: Ada, on: 2025-11-01, ${more} }\n`;
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

const signed = (more: object = {}): SealedReview => ({
  record: "CUB-0001",
  meaning: NOW,
  by: "Ada",
  on: "2025-11-01",
  says: "doubted",
  why: "n may be 0",
  signed: true,
  attestation: "c".repeat(64),
  place: "checks/c.json:1",
  untrusted: "",
  ...more,
});

test("a signed statement says what the review says, and nothing else is read as one", () => {
  const { signed: _, attestation: __, place: ___, untrusted: ____, ...bare } = signed();
  const statement = stateReview(bare, "https://library.example");
  assert.deepEqual(statement.subject, [{ name: "CUB-0001", digest: { sha256: NOW } }]);
  assert.deepEqual(openReview(JSON.parse(JSON.stringify(statement))), { review: bare });
  assert.equal(openReview({ ...statement, predicateType: "https://library.example/predicates/proof-check/v1" }), null);
  for (const [predicate, says] of [
    [{ by: "Ada", on: "2025-11-01", says: "doubted" }, /why is missing/],
    [{ ...statement.predicate, says: "VERIFIED" }, /says/],
    [{ ...statement.predicate, on: "2025-13-01" }, /no day/],
    [{ ...statement.predicate, on: "2099-01-01" }, /a day that has not come/],
    [{ ...statement.predicate, holds: true }, /holds/],
  ] as const) {
    const opened = openReview({ ...statement, predicate });
    assert.match(opened !== null && "refused" in opened ? opened.refused : "", says);
  }
});

test("a doubt stays until it is settled, a signed one until that is signed, and what is said twice is shown once", () => {
  const doubt = review("says: doubted, why: n may be 0");
  const settled = review("says: doubted, why: n may be 0, settled: by a lemma");
  const told = (files: readonly string[], sealed: readonly SealedReview[]) =>
    readReviews(files, sealed)
      .of("CUB-0001", NOW)
      .map(({ signed: isSigned, settled: how = "" }) => [isSigned, how]);
  assert.deepEqual(told([file(list(doubt))], []), [[false, ""]]);
  assert.deepEqual(told([file(list(doubt)), file(list(settled))], []), [[false, "by a lemma"]]);
  assert.deepEqual(told([file(list(doubt))], [signed()]), [[true, ""]]);
  assert.deepEqual(told([file(list(settled))], [signed()]), [
    [true, ""],
    [false, "by a lemma"],
  ]);
  assert.deepEqual(told([file(list(settled))], [signed(), signed({ settled: "by a lemma" })]), [[true, "by a lemma"]]);
  assert.equal(readReviews([], [signed()]).of("CUB-0001", NOW)[0]?.attestation, "c".repeat(64));
});

test("a review of no record, of what none ever meant, or by a key that nobody trusts is told with its file and line", () => {
  const name = file(list(review("says: faithful"), review("says: faithful", BEFORE), review("says: faithful").replace("0001", "0009")));
  const stranger = signed({ signed: false, untrusted: "is signed by nobody who is trusted here, but by eve.example+1" });
  const findings = readReviews([name], [stranger]).findings((id) => (id === "CUB-0001" ? new Set([NOW]) : null));
  assert.deepEqual(
    findings.map((what) => what.replace(name, "r.yaml")),
    [
      "r.yaml:4: there is no record CUB-0009; its review is of nothing.",
      "r.yaml:3: no check that lies here is of CUB-0001 with the meaning bbbbbbbbbbbb.",
      "checks/c.json:1: the review is signed by nobody who is trusted here, but by eve.example+1.",
    ],
  );
});

test("a mistake is refused with its line: a doubt without a reason, a day that is none, an approval that was settled", () => {
  for (const [more, says] of [
    ["says: doubted", /why is missing; write what is doubted/],
    ["says: faithful, settled: yes", /settled is of a doubt/],
    ["says: perhaps", /says/],
    ["says: faithful, source: nowhere", /is no address/],
    ['says: doubted, why: " "', /why is empty/],
  ] as const)
    assert.throws(() => readReviews([file(list(review(more)))], []), says);
  assert.throws(() => readReviews([file(list(review("says: faithful").replace("2025-11-01", "2025-13-01")))], []), /is no day/);
  assert.throws(
    () => readReviews([file(list(review("says: faithful"), review("says: faithful").replace("2025-11-01", "2099-01-01")))], []),
    /:3: .*is a day that has not come/,
  );
  assert.throws(() => readReviews([file(list(review("says: faithful", "abc")))], []), /is no digest of a meaning/);
});

test("of ten thousand reviews of nothing some are told, and the others are counted", () => {
  const many = (from: number): string =>
    file(list(...Array.from({ length: 5000 }, (_, at) => review("says: faithful").replace("0001", String(from + at)))));
  const findings = readReviews([many(1000), many(6000)], []).findings(() => null);
  assert.equal(findings.length, 21);
  assert.equal(findings.at(-1), "And 9980 more reviews of records that are not there.");
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { describeUnknownClaims } from "./registry-findings.ts";
import { parseClaims, readClaims } from "./claims.ts";

const folder = mkdtempSync(join(tmpdir(), "claims-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const encode = (text: string) => new TextEncoder().encode(text);
const yaml = (text: string) => parseClaims(encode(text), "yaml");
const json = (value: unknown) => parseClaims(encode(JSON.stringify(value)), "json");
const CLAIM = { id: "c1", title: "T", status: "verified", scope: "S", statement: "It holds." };

test("bombs of aliases, of depth and in a circle are refused", () => {
  const doubling = ["claims:", "  - &a0 { id: x }"];
  for (let level = 1; level < 40; level++) doubling.push(`  - &a${level} { l: *a${level - 1}, r: *a${level - 1} }`);
  assert.throws(() => yaml(doubling.join("\n")), /aliases in the claims file expand to too much/);
  const wide = `x: &x [${Array(2000).fill("0").join(",")}]\ny: &y [${Array(40).fill("*x").join(",")}]\nz: [${Array(40).fill("*y").join(",")}]\nclaims: []`;
  assert.throws(() => yaml(wide), /expand to too much/);
  assert.throws(() => yaml(`a: &a 1\nclaims: [${Array(101).fill("*a").join(",")}]`), /aliases/);
  assert.throws(() => yaml("claims: &a\n  - { runContract: *a }"), ShelfError);
  for (const text of ["[".repeat(200_000), "- ".repeat(200_000), "{a: ".repeat(100_000)]) assert.throws(() => yaml(text), ShelfError);
});

test("what is no claims registry says so, with the line where there is one", () => {
  assert.throws(() => yaml(""), ShelfError);
  assert.throws(() => yaml("a: 1\nb: [\n"), /not valid YAML at line/);
  assert.throws(() => yaml("a: 1\na: 2\nclaims: []"), /not valid YAML at line 2/);
  assert.throws(() => yaml("- 1"), /not a mapping/);
  assert.throws(() => yaml("meta: {}"), /no list named claims/);
  assert.throws(() => yaml("meta: []\nclaims: []"), /meta of the claims file/);
  assert.throws(() => yaml("claims: !!js/function 'x'"), ShelfError);
  assert.throws(() => parseClaims(Uint8Array.of(0xff), "yaml"), /UTF-8/);
  assert.throws(() => parseClaims(encode('{"claims":[],"claims":[]}'), "json"), /twice/);
});

test("a claim that breaks the schema is refused with its id and every reason, and the rest is kept", () => {
  const bad: [unknown, string, RegExp][] = [
    ["text", "claim 1", /not a mapping/],
    [{ ...CLAIM, status: "proven" }, "c1", /status is not "verified" or "scoped" or "partial"/],
    [{ id: "c1" }, "c1", /title is missing; status is not .*; scope is missing; statement is missing/],
    [{ ...CLAIM, id: 1 }, "claim 1", /id is a number, not text/],
    [{ ...CLAIM, id: "a\nb" }, "a\nb", /control characters/],
    [
      { ...CLAIM, evidence: [{ artifact: "a", kind: "k", access: "secret" }] },
      "c1",
      /evidence\[0\]\.access is not "public" or "email-gated" or "private"/,
    ],
    [
      { ...CLAIM, evidence: [{ artifact: "a", kind: "k", access: "public", sha256: "12" }] },
      "c1",
      /evidence\[0\]\.sha256 is not a SHA-256/,
    ],
    [
      { ...CLAIM, evidence: [{ artifact: "a", kind: "k", access: "public", url: "javascript:alert(1)" }] },
      "c1",
      /evidence\[0\]\.url is not an http/,
    ],
    [{ ...CLAIM, gaps: "none" }, "c1", /gaps is text, not a list/],
    [{ ...CLAIM, runContract: { a: ["\udc00"] } }, "c1", /runContract\.a\[0\] holds half/],
  ];
  for (const [claim, key, expected] of bad) {
    const result = json({ claims: [claim, { ...CLAIM, id: "good" }] });
    assert.deepEqual(
      result.claims.map(({ id }) => id),
      ["good"],
    );
    assert.equal(result.rejected[0]?.key, key);
    assert.equal(result.rejected[0]?.source, "claims");
    assert.match(result.rejected[0]?.reason ?? "", expected);
  }
});

test("of claims with one id the first is kept", () => {
  const result = json({ claims: [CLAIM, { ...CLAIM, title: "second" }] });
  assert.deepEqual(
    result.claims.map(({ title }) => title),
    ["T"],
  );
  assert.match(result.rejected[0]?.reason ?? "", /number 2 in the file/);
});

test("dates stay text, and null or empty members of evidence are left out", () => {
  const result = yaml(
    [
      "meta: { title: Claims, generated: 2026-08-01, fact_checked: 2026-08-01T10:00:00Z, note: null, pins: { v: '1.10' } }",
      "claims:",
      "  - { id: c1, title: T, status: scoped, scope: S, statement: X, runContract: { when: 2026-01-01, n: 3, deep: { ok: true } },",
      "      evidence: [{ artifact: a, kind: k, access: private, sha256: '', url: null, ref: '0123' }] }",
    ].join("\n"),
  );
  assert.deepEqual(result.meta, {
    title: "Claims",
    subtitle: "",
    generated: "2026-08-01",
    fact_checked: "2026-08-01T10:00:00Z",
    note: "",
    pins: { v: "1.10" },
  });
  assert.deepEqual(result.claims[0]?.evidence, [{ artifact: "a", kind: "k", access: "private", ref: "0123" }]);
  assert.deepEqual(result.claims[0]?.runContract, { when: "2026-01-01", n: 3, deep: { ok: true } });
  assert.deepEqual([result.claims[0]?.gaps, result.claims[0]?.verify], [[], []]);
});

test("a revision that YAML reads as a number is refused, not changed", () => {
  const result = yaml(
    "meta: { pins: { x: 1.10 } }\nclaims:\n  - { id: c1, title: T, status: partial, scope: S, statement: X, evidence: [{ artifact: a, kind: k, access: public, ref: 1234567 }] }",
  );
  assert.match(result.rejected[0]?.reason ?? "", /evidence\[0\]\.ref is a number, not text/);
  assert.match(result.notes[0] ?? "", /pins\.x is a number, not text/);
});

test("JSON and YAML of the same claims are the same, and the digest is that of the file", async () => {
  const kept = { dir: join(folder, "kept"), keep: false };
  const text = JSON.stringify({ meta: { title: "T" }, claims: [CLAIM] });
  writeFileSync(join(folder, "c.JSON"), text);
  writeFileSync(join(folder, "c.yaml"), text);
  const [first, second] = [await readClaims(join(folder, "c.JSON"), kept), await readClaims(join(folder, "c.yaml"), kept)];
  assert.deepEqual(first, second);
  assert.equal(first.sha256, sha256(text));
  await assert.rejects(readClaims(join(folder, "none"), kept), /does not exist/);
  await assert.rejects(readClaims(folder, kept), (error: unknown) => error instanceof ShelfError && !error.message.includes(folder));
});

test("any text gives claims or a ShelfError", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(..."claims:[]{}-?!&*|>'\"#%@`,\n 0", "claims: ", "\n  - ", "id: a", "meta: ", "&a ", "*a "), {
        maxLength: 40,
      }),
      (parts) => {
        try {
          yaml(parts.join(""));
        } catch (error) {
          assert.ok(error instanceof ShelfError, String(error));
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("fields that are not known are told, with what may have been meant", () => {
  const { unknownFields, claims, notes } = json({
    claims: [
      { ...CLAIM, id: "a", visibility: "email-gated" },
      { ...CLAIM, id: "b", visibility: "public", sope: "s" },
    ],
  });
  assert.equal(claims.length, 2);
  assert.deepEqual(notes, [], "nothing of it is for readers");
  assert.deepEqual(describeUnknownClaims(unknownFields), [
    'The claims have a field "visibility" that is not known and says nothing, in 2 claims, a for one.',
    'The claims have a field "sope" that is not known and says nothing, in b; did you mean scope?',
  ]);
});

test("a command of LaTeX whose backslash YAML took is told", () => {
  const { notes } = parseClaims(
    Buffer.from('claims:\n  - { id: a, title: A, status: partial, scope: s, statement: "\\forall x", gaps: [g] }\n'),
    "yaml",
  );
  assert.match(notes.join(), /^claim a: statement holds the control sign U\+000C before "orall"/);
});

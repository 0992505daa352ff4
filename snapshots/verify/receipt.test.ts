import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 } from "../digest.ts";
import type { Snapshot } from "../shelf/read.ts";
import { checkReceipt, makeReceipt, parseReceipt } from "./receipt.ts";
import type { Receipt } from "../schema/resources.ts";

const TEXT = "Equal keys keep their order.\nSecond line.\n";
const id = sha256("snapshot");
const receipt = makeReceipt({
  question: "Why?",
  prefix: "",
  snapshot: id,
  mode: "ai",
  answer: "Equal keys keep their order. [1]",
  citations: [{ n: 1, key: "notes/a.md", sha256: sha256(TEXT), start_line: 1, end_line: 1, quote: "keys keep" }],
  model: "m",
});

/** A snapshot of one object. */
function snapshot(text: string | null, snapshotId = id): Snapshot {
  const part: Pick<Snapshot, "id" | "find" | "read"> = {
    id: snapshotId,
    find: (path) =>
      Promise.resolve(
        text === null || path !== "objects/notes/a.md"
          ? null
          : { kind: "blob", name: "a.md", sha256: sha256(text), size: text.length, type: "text/markdown" },
      ),
    read: () => (text === null ? Promise.reject(new Error()) : Promise.resolve(Buffer.from(text))),
  };
  return part as Snapshot;
}

test("every change to a receipt is found", async () => {
  const changes: Partial<Receipt>[] = [
    { question: "How?" },
    { answer: "No. [1]" },
    { mode: "search" },
    { model: "other" },
    { prefix: "x/" },
    { citations: [] },
    { digest: sha256("x") },
  ];
  for (const change of changes) {
    assert.match((await checkReceipt({ ...receipt, ...change }, snapshot(TEXT))).join(), /was changed/);
  }
});

test("a missing, changed or damaged object, and another snapshot, are found", async () => {
  assert.match((await checkReceipt(receipt, snapshot(null))).join(), /\[1\] notes\/a\.md is not in this snapshot/);
  assert.match((await checkReceipt(receipt, snapshot(`${TEXT}x`))).join(), /another digest/);
  assert.match((await checkReceipt(receipt, snapshot(TEXT, sha256("y")))).join(), /this is snapshot/);
  assert.match((await checkReceipt(receipt, { ...snapshot(TEXT), read: () => Promise.reject(new Error()) })).join(), /damaged/);
});

test("a quote that is not there, and a number without a citation, are found though the digest is right", async () => {
  const [citation] = receipt.citations;
  assert.ok(citation !== undefined);
  const { format: _, digest: __, ...parts } = receipt;
  const lying = makeReceipt({ ...parts, citations: [{ ...citation, quote: "keys lose" }] });
  assert.match((await checkReceipt(lying, snapshot(TEXT))).join(), /does not occur/);
  assert.match((await checkReceipt(makeReceipt({ ...parts, answer: "So. [2]" }), snapshot(TEXT))).join(), /refers to \[2\]/);
});

test("a good receipt has no findings, alone or inside the answer that it came with", async () => {
  assert.deepEqual(await checkReceipt(receipt, snapshot(TEXT)), []);
  assert.deepEqual(parseReceipt(JSON.stringify(receipt)), receipt);
  const { question, format: _, digest: __, model: ___, ...parts } = receipt;
  const whole = {
    query: question,
    ...parts,
    citations: parts.citations.map((citation) => ({ ...citation, href: "/at/x" })),
    sources: [],
    receipt,
  };
  assert.deepEqual(parseReceipt(JSON.stringify(whole)), receipt);
  const changed = parseReceipt(JSON.stringify({ ...whole, answer: "No. [1]" }));
  assert.ok(changed !== null);
  assert.match((await checkReceipt(changed, snapshot(TEXT))).join(), /was changed/);
  for (const text of ["", "{}", "null", "[]", '{"receipt":1}', '{"receipt":null}', "{"]) assert.equal(parseReceipt(text), null);
});

/** Notes and checkpoints: the published examples, and what strangers may send. */
import assert from "node:assert/strict";
import { hash, sign } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { formatCheckpoint, formatHead, openCheckpoint, parseCheckpoint } from "./checkpoint.ts";
import {
  formatNote,
  generateKey,
  MAX_NOTE_BYTES,
  type NoteKey,
  parseKey,
  parseNote,
  parseSigningKey,
  signNote,
  verifiedBy,
} from "./note.ts";

/** Of the documentation of golang.org/x/mod/sumdb/note. */
const GO_PRIVATE = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const GO_PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const GO_LINE = "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";

const ORIGIN = "library.example/shelf";
const PAIR = generateKey(ORIGIN);
const KEY = parseKey(PAIR.publicKey);
const SIGNER = parseSigningKey(PAIR.privateKey);
const HEAD = { origin: ORIGIN, size: 7, root: Buffer.alloc(32, 5) };
const SIGNED = formatCheckpoint(HEAD, [signNote(formatHead(HEAD), SIGNER)]);

const open = (text: string | Uint8Array, keys: readonly NoteKey[] = [KEY], origin = ORIGIN) =>
  openCheckpoint(Buffer.from(text), { origin, log: keys });
const refuses = (text: string | Uint8Array, message: RegExp) => assert.throws(() => open(text), { code: "bad_checkpoint", message });

test("Go's own example is signed and checked as Go does it", () => {
  const signer = parseSigningKey(GO_PRIVATE);
  assert.equal(signer.text, GO_PUBLIC);
  assert.equal(signNote(GO_TEXT, signer).line, GO_LINE);
  const note = parseNote(Buffer.from(`${GO_TEXT}\n${GO_LINE}\n`));
  assert.deepEqual(
    verifiedBy(note, [parseKey(GO_PUBLIC)]).map(({ name }) => name),
    ["PeterNeumann"],
  );
  assert.equal(formatNote(note), `${GO_TEXT}\n${GO_LINE}\n`);
});

test("the example of tlog-cosignature is a checkpoint, with two signatures", () => {
  const { origin, size, note } = parseCheckpoint(
    Buffer.from(`example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
\u2014 witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`),
  );
  assert.deepEqual([origin, size, note.signatures.length], ["example.com/behind-the-sofa", 20_852_163, 2]);
});

test("what a log signs is believed, and nothing else", () => {
  assert.equal(open(SIGNED).checkpoint.size, 7);
  assert.throws(() => open(SIGNED, [KEY], "other.example/shelf"), {
    code: "bad_checkpoint",
    message: /of another log: "library.example\/shelf"/,
  });
  const other = parseKey(generateKey(ORIGIN).publicKey);
  assert.throws(() => open(SIGNED, [other]), { code: "bad_checkpoint", message: /No key of the log signed/ });
  refuses(formatHead(HEAD), /unsigned/);
  assert.equal(parseCheckpoint(Buffer.from(formatHead(HEAD))).note.signatures.length, 0);
  refuses(SIGNED.replace("\n7\n", "\n8\n"), /is not of this text/);
});

test("signatures of unknown keys are kept and ignored; one that a known key did not make refuses the whole", () => {
  const stranger = parseSigningKey(generateKey("witness.example/w1").privateKey);
  const both = formatCheckpoint(HEAD, [signNote(formatHead(HEAD), stranger), signNote(formatHead(HEAD), SIGNER)]);
  assert.deepEqual(open(both).signedBy, [KEY]);
  const [own] = parseNote(Buffer.from(SIGNED)).signatures;
  const spoilt = Buffer.from(own?.bytes ?? []);
  spoilt[3] = (spoilt[3] ?? 0) ^ 1;
  const bad = `\u2014 ${ORIGIN} ${Buffer.concat([Buffer.from(KEY.id, "hex"), spoilt]).toString("base64")}`;
  refuses(formatCheckpoint(HEAD, [{ line: bad }]), /is not of this text/);
  refuses(formatCheckpoint(HEAD, [signNote(formatHead(HEAD), SIGNER), { line: bad }]), /is not of this text/);
});

test("a witness's cosignature is checked over its time, and one at another time is not his", () => {
  const pair = generateKey("witness.example/w1");
  const signer = parseSigningKey(pair.privateKey);
  // The same bytes as a key of type 4.
  const raw = Buffer.from(signer.key.export({ format: "jwk" }).x ?? "", "base64url");
  const witness = witnessKey("witness.example/w1", raw);
  const cosign = (time: bigint, said = time): { line: string } => {
    const message = `cosignature/v1\ntime ${time}\n${formatHead(HEAD)}`;
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(said);
    const signature = sign(null, Buffer.from(message), signer.privateKey);
    return { line: `\u2014 ${witness.name} ${Buffer.concat([Buffer.from(witness.id, "hex"), bytes, signature]).toString("base64")}` };
  };
  const check = (line: { line: string }) =>
    openCheckpoint(Buffer.from(formatCheckpoint(HEAD, [signNote(formatHead(HEAD), SIGNER), line])), {
      origin: ORIGIN,
      log: [KEY],
      witnesses: [witness],
    });
  assert.deepEqual(check(cosign(1_679_315_147n)).signedBy, [KEY, witness]);
  assert.throws(() => check(cosign(1_679_315_147n, 1_679_315_148n)), { code: "bad_checkpoint" });
  // A cosignature alone is not the log's word.
  assert.throws(
    () => openCheckpoint(Buffer.from(formatCheckpoint(HEAD, [cosign(1n)])), { origin: ORIGIN, log: [KEY], witnesses: [witness] }),
    { code: "bad_checkpoint", message: /No key of the log/ },
  );
});

/** A key of type 4: its id is over that type. */
function witnessKey(name: string, raw: Buffer): NoteKey {
  const bytes = Buffer.concat([Buffer.of(4), raw]);
  const id = hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), bytes]), "hex").slice(0, 8);
  return parseKey(`${name}+${id}+${bytes.toString("base64")}`);
}

test("malformed checkpoints are refused by name", () => {
  refuses(SIGNED.replace("\n7\n", "\n7\u0000\n"), /control character/);
  refuses(SIGNED.replace("\n7\n", "\r\n7\r\n"), /control character/);
  refuses(SIGNED.replace("\n7\n", "\n07\n"), /no checkpoint/);
  refuses(SIGNED.replace("\n7\n", "\n-7\n"), /no checkpoint/);
  refuses(SIGNED.replace("\n7\n", "\n99999999999999999999\n"), /no checkpoint/);
  refuses(SIGNED.slice(ORIGIN.length), /no checkpoint/);
  refuses(SIGNED.slice(0, -1), /no line of signatures/);
  refuses(Buffer.concat([Buffer.from(SIGNED), Buffer.of(0xff, 0x0a)]), /not UTF-8/);
  refuses("", /no (line|checkpoint)/);
  const line = signNote(formatHead(HEAD), SIGNER);
  assert.equal(
    open(
      formatCheckpoint(
        HEAD,
        Array.from({ length: 16 }, () => line),
      ),
    ).checkpoint.size,
    7,
  );
  refuses(
    formatCheckpoint(
      HEAD,
      Array.from({ length: 17 }, () => line),
    ),
    /17 signatures/,
  );
  refuses(SIGNED + "\u2014 a b\n".repeat(200_000), /bytes/);
  refuses(Buffer.alloc(1024 * 1024, "a"), /104\d+ bytes/);
  assert.ok(MAX_NOTE_BYTES < 1024 * 1024);
  refuses(SIGNED.replace(/[A-Za-z0-9+/]=*\n$/, "\n"), /none/);
});

test("whatever the bytes, a checkpoint is read or refused by name", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.string().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        try {
          parseCheckpoint(bytes);
        } catch (error) {
          assert.equal((error as { code: string }).code, "bad_checkpoint");
        }
      },
    ),
  );
  // One byte of a good one changed.
  fc.assert(
    fc.property(fc.nat(SIGNED.length), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const bytes = Buffer.from(SIGNED);
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ by;
      assert.throws(() => open(bytes), { code: "bad_checkpoint" });
    }),
    { numRuns: 500 },
  );
});

test("keys that are not what they say are refused, and a private one is never repeated", () => {
  for (const text of ["", "a+b", GO_PUBLIC.replace("c74f20a3", "c74f20a4"), GO_PUBLIC.replace("+AR", "+Ah"), `${GO_PUBLIC}=`, GO_PRIVATE])
    assert.throws(() => parseKey(text), { code: "bad_checkpoint" }, text);
  for (const text of ["", GO_PUBLIC, GO_PRIVATE.replace("c74f20a3", "c74f20a4"), GO_PRIVATE.slice(0, -4)]) {
    assert.throws(
      () => parseSigningKey(text),
      (error: Error & { code?: string }) => error.code === "bad_checkpoint" && !error.message.includes("FALVFGyNhPJE"),
      text,
    );
  }
  for (const name of ["", "two words", "a+b", "no\u00a0break"]) assert.throws(() => generateKey(name), { code: "bad_checkpoint" }, name);
});

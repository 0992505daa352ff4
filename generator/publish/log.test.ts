/** The log of publications of a shelf: what a publication adds, where it is cut short, who signs, and shelves that had none. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openCheckpoint, parseCheckpoint } from "../../snapshots/log/checkpoint.ts";
import { generateKey, parseKey, parseSigningKey } from "../../snapshots/log/note.ts";
import { readEntries, tileNodes } from "../../snapshots/log/tiles.ts";
import { proveConsistency, treeRoot, verifyConsistency } from "../../snapshots/log/tree.ts";
import { extendLog, keyOf, type LogSigner, proveRecord, readCheckpoint, readLogKeys } from "../../snapshots/shelf/log.ts";
import { type DirectoryShelf, openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { overriding } from "../../snapshots/shelf/overriding-fixture.ts";
import type { SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import { draftTiny, TINY, tinyData, type TinySource } from "../../snapshots/verify/tiny-shelf-fixture.ts";
import { verifyShelf } from "../../snapshots/service/verify.ts";
import { keepLogs } from "../shelves/shelves.ts";
import { publish } from "./publish.ts";

type Pair = { readonly public: DirectoryShelf; readonly internal: DirectoryShelf };
type Signers = { readonly public: LogSigner; readonly internal: LogSigner };

const ORIGIN = "library.example/shelf";
const PAIR = generateKey(ORIGIN);
const KEY = parseKey(PAIR.publicKey);
const signersOf = (privateKey: string | null, origin = ORIGIN): Signers => {
  const key = privateKey === null ? null : parseSigningKey(privateKey);
  return { public: { origin, key }, internal: { origin: `${origin}/internal`, key } };
};
const SIGNED = signersOf(PAIR.privateKey);
const UNSIGNED = signersOf(null);

function newRoot(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-log-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
function openPair(root: string): Pair {
  const shown = openDirectoryShelf(join(root, "public"));
  return { public: shown, internal: openDirectoryShelf(join(root, "internal"), shown) };
}
const sourceOf = (turn: number): TinySource => ({
  ...TINY,
  objects: [...TINY.objects, { key: `notes/turn-${turn}.md`, text: `# Turn ${turn}\n` }],
});

async function publishTurn(pair: Pair, turn: number, signers: Signers = SIGNED, through: Pair = pair): Promise<void> {
  const source = sourceOf(turn);
  const next = {
    internal: await draftTiny(pair.internal, tinyData(source, "internal"), source),
    public: await draftTiny(pair.public, tinyData(source, "public"), source),
  };
  const current = { public: await pair.public.readPointer(), internal: await pair.internal.readPointer() };
  await publish(through, { current, next, created: "2026-02-01T00:00:00Z", inputs: {}, signers });
}

const errorsOf = async (pair: Pair) => (await verifyShelf(pair)).filter(({ severity }) => severity === "error");

/** The log's head is the pointer's record, its last entry is that record's bytes, and it is signed. */
async function checkAgreement(shelf: DirectoryShelf, root: string, origin: string): Promise<void> {
  const record = await shelf.readPointer();
  if (record === null) return;
  const text = readFileSync(join(root, `checkpoints/${record.sequence}`));
  assert.equal(openCheckpoint(text, { origin, log: [KEY] }).checkpoint.size, record.sequence);
  const proof = await proveRecord(shelf, record);
  assert.equal(proof?.entry, readFileSync(join(root, `snapshots/${record.sequence}.json`), "utf8"));
}

test("the n-th entry is the n-th record, and every head is the beginning of the next", async (t) => {
  const root = newRoot(t);
  const pair = openPair(root);
  for (let turn = 1; turn <= 5; turn++) await publishTurn(pair, turn);
  for (const view of ["public", "internal"] as const) {
    const { log } = pair[view];
    const entries = await readEntries(0, 5, log.read);
    assert.deepEqual(
      entries.map(String),
      [1, 2, 3, 4, 5].map((n) => readFileSync(join(root, view, `snapshots/${n}.json`), "utf8")),
    );
    const newest = await readCheckpoint(log, 5);
    assert.ok(newest !== null);
    for (let size = 1; size <= 5; size++) {
      const head = await readCheckpoint(log, size);
      assert.ok(head !== null);
      assert.ok(verifyConsistency(head, newest, await proveConsistency(size, 5, tileNodes(5, log.read))));
    }
    await checkAgreement(pair[view], join(root, view), SIGNED[view].origin);
  }
  assert.deepEqual(await errorsOf(pair), []);
});

test("wherever a publication is cut short, pointer and log agree, and no number has two heads", async (t) => {
  const WRITES = 7;
  for (let before = 0; before <= WRITES; before++) {
    const root = newRoot(t);
    const heads = new Map<string, Set<string>>();
    const pair = () => watched(openPair(root), heads);
    await publishTurn(pair(), 1);
    for (const [at, turn] of [
      [before, 2],
      [before, 3],
      [WRITES, 4],
    ] as const) {
      await publishTurn(openPair(root), turn, SIGNED, dying(pair(), at)).catch((error: Error) => assert.match(error.message, /killed/));
      for (const view of ["public", "internal"] as const) await checkAgreement(openPair(root)[view], join(root, view), SIGNED[view].origin);
      assert.deepEqual(await errorsOf(openPair(root)), [], `before write ${before}, turn ${turn}`);
    }
    for (const [name, texts] of heads) assert.equal(texts.size, 1, `${name} before write ${before}`);
  }
});

/** Remembers each head that is written, by root and size. */
function watched(pair: Pair, heads: Map<string, Set<string>>): Pair {
  const watch = (view: "public" | "internal"): DirectoryShelf =>
    overriding(pair[view], {
      log: {
        ...pair[view].log,
        put: (size, make) =>
          pair[view].log.put(size, (there) => {
            const head = make(there);
            if (head !== null) heads.set(`${view} ${size}`, (heads.get(`${view} ${size}`) ?? new Set()).add(head.checkpoint));
            return head;
          }),
      },
    });
  return { public: watch("public"), internal: watch("internal") };
}

function dying(pair: Pair, before: number): Pair {
  let writes = 0;
  const count = <Args extends unknown[]>(write: (...args: Args) => Promise<void>) => {
    return (...args: Args): Promise<void> => (writes++ === before ? Promise.reject(new Error("killed")) : write(...args));
  };
  const dies = (shelf: DirectoryShelf): DirectoryShelf =>
    overriding(shelf, {
      history: overriding(shelf.history, {
        putRecord: count(shelf.history.putRecord.bind(shelf.history)),
        swapPointer: count(shelf.history.swapPointer.bind(shelf.history)),
      }),
      log: { ...shelf.log, put: count(shelf.log.put) },
    });
  return { public: dies(pair.public), internal: dies(pair.internal) };
}

test("of two publishers at once one makes the head, and the other is told", async (t) => {
  const root = newRoot(t);
  await publishTurn(openPair(root), 1);
  const first = await openPair(root).public.readPointer();
  assert.ok(first !== null);
  const rivals = ["a", "b"].map((digit) => ({ ...first, sequence: 2, snapshot: digit.repeat(64) }));
  const both = await Promise.allSettled(rivals.map((record) => extendLog(openPair(root).public, record, SIGNED.public)));
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  for (const one of both) if (one.status === "rejected") assert.equal((one.reason as { code: string }).code, "lost_race");
  const winner = rivals[both.findIndex(({ status }) => status === "fulfilled")];
  assert.ok(winner !== undefined && (await proveRecord(openPair(root).public, winner)) !== null);
  await checkAgreement(openPair(root).public, join(root, "public"), ORIGIN);
  await publishTurn(openPair(root), 3);
  assert.equal((await openPair(root).public.readPointer())?.sequence, 3, "the number of a head is not used again");
  await checkAgreement(openPair(root).public, join(root, "public"), ORIGIN);
});

test("a shelf without a log gets one from its records, with an empty entry for one that was pruned", async (t) => {
  const root = newRoot(t);
  const pair = openPair(root);
  for (let turn = 1; turn <= 4; turn++) await publishTurn(pair, turn, UNSIGNED);
  for (const view of ["public", "internal"]) {
    for (const part of ["checkpoints", "tile", "keys.json"]) rmSync(join(root, view, part), { recursive: true, force: true });
  }
  await pair.public.history.deleteRecord(2);
  await keepLogs(openPair(root), SIGNED);
  const entries = await readEntries(0, 4, openPair(root).public.log.read);
  assert.deepEqual(
    entries.map((entry) => entry.length > 0),
    [true, false, true, true],
  );
  await checkAgreement(openPair(root).public, join(root, "public"), ORIGIN);
  await publishTurn(openPair(root), 5);
  await checkAgreement(openPair(root).public, join(root, "public"), ORIGIN);
  // What is withdrawn or pruned later stays where it is in the log.
  const [first] = await pair.public.history.listRecords();
  await pair.public.history.withdraw([first as SnapshotRecord]);
  await publishTurn(openPair(root), 6);
  await checkAgreement(openPair(root).public, join(root, "public"), ORIGIN);
});

test("an unsigned log says so, is signed where it stands, and old keys stay listed", async (t) => {
  const root = newRoot(t);
  await publishTurn(openPair(root), 1, UNSIGNED);
  await publishTurn(openPair(root), 2, UNSIGNED);
  const checkpoint = () => readFileSync(join(root, "public/checkpoints/2"));
  assert.equal(parseCheckpoint(checkpoint()).note.signatures.length, 0);
  assert.throws(() => openCheckpoint(checkpoint(), { origin: ORIGIN, log: [KEY] }), { code: "bad_checkpoint", message: /unsigned/ });
  await keepLogs(openPair(root), SIGNED);
  assert.equal(openCheckpoint(checkpoint(), { origin: ORIGIN, log: [KEY] }).checkpoint.size, 2);
  const again = checkpoint();
  await keepLogs(openPair(root), SIGNED);
  assert.deepEqual(checkpoint(), again, "nothing is signed twice");

  await publishTurn(openPair(root), 3);
  const newer = generateKey(ORIGIN);
  await publishTurn(openPair(root), 4, signersOf(newer.privateKey));
  const keys = await readLogKeys(openPair(root).public.log);
  assert.deepEqual(keys, [
    { first: 2, key: PAIR.publicKey },
    { first: 3, key: newer.publicKey },
  ]);
  for (const [size, text] of [
    [1, null],
    [2, PAIR.publicKey],
    [3, newer.publicKey],
    [4, newer.publicKey],
  ] as const) {
    const key = keyOf(keys, size);
    assert.equal(key?.text ?? null, text);
    if (key !== null) openCheckpoint(readFileSync(join(root, `public/checkpoints/${size}`)), { origin: ORIGIN, log: [key] });
  }
  assert.deepEqual(await errorsOf(openPair(root)), []);
});

test("the name in a head that nobody has signed is held against the others and the configuration", async (t) => {
  const root = newRoot(t);
  const log = { origin: { public: ORIGIN, internal: `${ORIGIN}/internal` }, key: null, witnesses: [] };
  const told = async (trust: object) =>
    (await verifyShelf({ ...openPair(root), log: { ...log, unsigned: log.origin, ...trust } })).map(({ code, path }) => `${code} ${path}`);
  await publishTurn(openPair(root), 1, UNSIGNED);
  assert.deepEqual(await told({}), []);
  const other = { public: "elsewhere.example/shelf", internal: "elsewhere.example/shelf/internal" };
  assert.deepEqual(await told({ origin: other }), [], "the library has a log of its own name by now");
  assert.equal((await told({ origin: other, unsigned: other })).length, 2, "one of each root");
  await publishTurn(openPair(root), 2, UNSIGNED);
  assert.deepEqual(await told({ origin: other, unsigned: other }), [], "the library has moved");
  const file = join(root, "public/checkpoints/1");
  writeFileSync(file, readFileSync(file, "utf8").replace("library", "librarx"));
  assert.deepEqual(await told({}), ["log_differs checkpoints/1"]);
});

test("what is damaged in a log is not signed", async (t) => {
  const root = newRoot(t);
  for (let turn = 1; turn <= 3; turn++) await publishTurn(openPair(root), turn);
  const kept = join(root, "kept");
  cpSync(join(root, "public"), kept, { recursive: true });
  const spoil = (path: string, change: (bytes: Buffer) => Buffer) =>
    writeFileSync(join(root, "public", path), change(readFileSync(join(root, "public", path))));
  const flip = (bytes: Buffer) => {
    const changed = Buffer.from(bytes);
    changed[5] = (changed[5] ?? 0) ^ 1;
    return changed;
  };
  for (const [path, change, code] of [
    ["tile/0/000.p/3", flip, "bad_log"],
    ["tile/0/000.p/3", (bytes: Buffer) => bytes.subarray(1), "bad_log"],
    ["tile/entries/000.p/3", flip, "bad_log"],
    ["tile/entries/000.p/3", (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0)]), "bad_log"],
    ["checkpoints/3", (bytes: Buffer) => Buffer.from(bytes.toString().replace("\n3\n", "\n4\n")), "bad_checkpoint"],
    ["checkpoints/3", () => Buffer.from("nonsense"), "bad_checkpoint"],
  ] as const) {
    spoil(path, change);
    const before = readFileSync(join(root, "public/current.json"));
    await assert.rejects(publishTurn(openPair(root), 9), { code }, path);
    assert.deepEqual(readFileSync(join(root, "public/current.json")), before, "what is served stays");
    assert.notDeepEqual(await errorsOf(openPair(root)), [], `verify tells ${path}`);
    rmSync(join(root, "public"), { recursive: true });
    cpSync(kept, join(root, "public"), { recursive: true });
  }
});

test("260 publications: full tiles take the place of those that were not full", async (t) => {
  const root = newRoot(t);
  const shelf = openDirectoryShelf(root);
  const record = (sequence: number): SnapshotRecord => ({
    sequence,
    snapshot: String(sequence).padStart(64, "0"),
    created: "2026-02-01T00:00:00Z",
    previous: null,
    inputs: {},
  });
  const nothing = { objects: [], claims: [], records: [] };
  for (let sequence = 1; sequence <= 260; sequence++) {
    await shelf.history.putRecord(record(sequence), { added: nothing, changed: nothing, removed: nothing });
    await extendLog(shelf, record(sequence), SIGNED.public);
  }
  assert.deepEqual(readdirSync(join(root, "tile/0")).sort(), ["000", "001.p"]);
  assert.ok(!existsSync(join(root, "tile/entries/000.p")));
  const newest = await readCheckpoint(shelf.log, 260);
  for (const size of [1, 100, 255, 256, 257, 259]) {
    const head = await readCheckpoint(shelf.log, size);
    assert.deepEqual(await treeRoot(size, tileNodes(size, shelf.log.read)), head?.root, `${size}, from the full tile`);
    const proof = await proveConsistency(size, 260, tileNodes(260, shelf.log.read));
    assert.ok(head !== null && newest !== null && verifyConsistency(head, newest, proof));
    assert.notEqual(await proveRecord(shelf, record(size)), null);
  }
});

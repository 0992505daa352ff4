/** Heads of a log whose files somebody else controls. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson } from "../../../snapshots/digest.ts";
import { formatCheckpoint, formatHead } from "../../../snapshots/log/checkpoint.ts";
import { generateKey, parseKey, parseSigningKey, signNote } from "../../../snapshots/log/note.ts";
import { appendEntries, tileNodes } from "../../../snapshots/log/tiles.ts";
import { treeRoot } from "../../../snapshots/log/tree.ts";
import { checkContinues, checkHead, type CheckedHead, readLastEntry } from "./log-head.ts";

const ORIGIN = "library.example/shelf";
const [OWN, OTHER] = [generateKey(ORIGIN), generateKey(ORIGIN)];

type Files = ReadonlyMap<string, Uint8Array>;

/** The files of a log with these entries, signed by this key, or by nobody. */
async function logOf(entries: readonly string[], key: string | null = OWN.privateKey, origin = ORIGIN): Promise<Files> {
  const added = entries.map((entry) => Buffer.from(entry));
  const files = new Map<string, Uint8Array>((await appendEntries(0, added, async () => null)).map(({ path, bytes }) => [path, bytes]));
  const root = await treeRoot(entries.length, tileNodes(entries.length, reader(files)));
  const head = { origin, size: entries.length, root };
  const signer = key === null ? null : parseSigningKey(key);
  files.set("checkpoint", Buffer.from(formatCheckpoint(head, signer === null ? [] : [signNote(formatHead(head), signer)])));
  if (signer !== null) files.set("keys.json", Buffer.from(canonicalJson([{ first: 1, key: signer.text }])));
  return files;
}

const reader = (files: Files) => async (path: string) => files.get(path) ?? null;
const seenOf = ({ origin, size, root, signer }: CheckedHead) => ({ origin, size, root, key: signer?.text ?? null });

const ENTRIES = ["one", "two", "three"];
const log = await logOf(ENTRIES);
const head = await checkHead(reader(log), null, null);

test("a head is believed when its own key signed it, the given one, or nobody has to", async () => {
  assert.deepEqual([head.size, head.signer?.text], [3, OWN.publicKey]);
  assert.equal((await checkHead(reader(log), parseKey(OWN.publicKey), seenOf(head))).text, head.text);
  const unsigned = await checkHead(reader(await logOf(ENTRIES, null)), null, null);
  assert.deepEqual([unsigned.signer, unsigned.keys], [null, []]);
});

test("another key, another log, an older head, a fork and keys that are rewritten are refused by name", async () => {
  const seen = seenOf(head);
  const by = (files: Files, name: string, text: string): Files => new Map([...files, [name, Buffer.from(text)]]);
  const cases: readonly (readonly [string, Files, RegExp])[] = [
    ["no head", new Map([...log].filter(([path]) => path !== "checkpoint")), /No proofshelf library is served there/],
    ["no entries", by(log, "checkpoint", formatHead({ ...head, size: 0 })), /its log has no entries/],
    ["a list of keys that is none", by(log, "keys.json", "{}"), /keys\.json of the log is not what was written/],
    ["nobody's head", by(log, "checkpoint", formatHead(head)), /The checkpoint is unsigned/],
    ["another log", await logOf(ENTRIES, OWN.privateKey, "other.example"), /it is another log: "other\.example", not "library/],
    ["an older head", await logOf(ENTRIES.slice(1)), /it serves an older head: 2 entries, and 3 were seen/],
    ["a fork", await logOf(["one", "two", "drei"]), /it serves a fork: another head of 3 entries was seen/],
    ["another key", await logOf(ENTRIES, OTHER.privateKey), /another key signed the head of 3 entries/],
    [
      "another key from here on",
      by(
        await logOf([...ENTRIES, "four"], OTHER.privateKey),
        "keys.json",
        canonicalJson([
          { first: 1, key: OWN.publicKey },
          { first: 4, key: OTHER.publicKey },
        ]),
      ),
      /another key signs its log now/,
    ],
  ];
  for (const [name, files, message] of cases) await assert.rejects(checkHead(reader(files), null, seen), { message }, name);
  await assert.rejects(checkHead(reader(log), parseKey(OTHER.publicKey), null), { message: /No key of the log signed/ });
});

test("a log goes on from each head that it had, and from no other", async () => {
  const nodes = tileNodes(3, reader(log));
  for (let size = 1; size <= 3; size++) {
    const older = await checkHead(reader(await logOf(ENTRIES.slice(0, size))), null, null);
    await checkContinues(older, head, nodes);
    await assert.rejects(checkContinues({ ...older, root: Buffer.alloc(32, 7) }, head, nodes), { message: /it serves a fork/ });
  }
  await assert.rejects(checkContinues({ ...head, size: 4 }, head, nodes), { message: /it serves an older head/ });
});

test("the last entry is read under the head's root; other tiles and another entry are told", async () => {
  assert.equal((await readLastEntry(head, tileNodes(3, reader(log)), reader(log))).toString(), "three");
  const other = await logOf(["one", "two", "drei"]);
  await assert.rejects(readLastEntry(head, tileNodes(3, reader(other)), reader(log)), { message: /not over the tiles that it serves/ });
  await assert.rejects(readLastEntry(head, tileNodes(3, reader(log)), reader(other)), { message: /entry 3 is not in the tree/ });
});

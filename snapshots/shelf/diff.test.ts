import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { describeChanges, diffFields, diffSnapshots } from "./diff.ts";
import { canonicalJson, sha256 } from "../digest.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "./read.ts";
import { CubRecord } from "../schema/cubs.ts";
import { openDirectoryShelf } from "./shelf-directory.ts";
import { publishTiny, tinyData, type TinySource } from "../verify/tiny-shelf-fixture.ts";

const base = mkdtempSync(join(tmpdir(), "diff-"));
after(() => rmSync(base, { recursive: true }));
const shelf = openDirectoryShelf(base);

async function snapshotOf(source: TinySource): Promise<Snapshot> {
  return openSnapshot(shelf, await publishTiny(shelf, tinyData(source, "public"), source), createTreeCache());
}

const claim = { id: "b", title: "B", status: "partial", scope: "s", statement: "x" };
const record = (id: string, more: object = {}): object => ({ id, repo: "r", theorem_name: "t", statement: "s", ...more });
const object = (key: string, text = key): { key: string; text: string; title: string } => ({ key, text, title: "t" });

const before = await snapshotOf({
  objects: [
    object("notes/__proto__"),
    object("notes/same"),
    object("notes/gone"),
    object("notes/becomes-folder"),
    object("notes/z.md", "old"),
  ],
  claims: [{ ...claim, id: "a" }, claim, { ...claim, id: "__proto__" }],
  cubs: [record("CUB-0001"), record("CUB-0002", { file_shas: { "a.v": sha256("a"), "b.v": sha256("b") } }), record("CUB-0003")],
});
const changed = await snapshotOf({
  objects: [
    object("notes/__proto__"),
    object("notes/same"),
    object("notes/becomes-folder/file"),
    object("notes/a/b/c"),
    object("notes/z.md", "new"),
  ],
  claims: [
    { ...claim, id: "__proto__", gaps: ["g"] },
    { ...claim, status: "verified" },
    { ...claim, id: "c" },
  ],
  cubs: [record("CUB-0002", { note: "n", file_shas: { "a.v": sha256("A"), "b.v": sha256("b") } }), record("CUB-0003"), record("CUB-0100")],
});

test("names that were added, changed and removed come sorted, whatever they are called", async () => {
  assert.deepEqual(await diffSnapshots(before, changed), {
    added: { objects: ["notes/a/b/c", "notes/becomes-folder/file"], claims: ["c"], records: ["CUB-0100"] },
    changed: { objects: ["notes/z.md"], claims: ["__proto__", "b"], records: ["CUB-0002"] },
    removed: { objects: ["notes/becomes-folder", "notes/gone"], claims: ["a"], records: ["CUB-0001"] },
  });
});

test("the other way round, added and removed change places", async () => {
  const [there, back] = [await diffSnapshots(before, changed), await diffSnapshots(changed, before)];
  assert.deepEqual([back.added, back.changed, back.removed], [there.removed, there.changed, there.added]);
});

test("the first snapshot adds everything, and equal ones differ in nothing and are not read", async () => {
  const first = await diffSnapshots(null, before);
  assert.deepEqual(
    [first.added.objects.length, first.added.claims, first.added.records],
    [5, ["__proto__", "a", "b"], ["CUB-0001", "CUB-0002", "CUB-0003"]],
  );
  const none = { objects: [], claims: [], records: [] };
  assert.deepEqual([first.changed, first.removed], [none, none]);
  const sealed: Snapshot = { ...before, read: () => assert.fail("a file was read") };
  assert.deepEqual(await diffSnapshots(sealed, sealed), { added: none, changed: none, removed: none });
  assert.deepEqual(await describeChanges(before, before, before), []);
});

test("changes of claims and records name each field with both values", async () => {
  const changes = await describeChanges(before, changed, changed);
  const one = (what: string, name: string) => changes.find((change) => change.what === what && change.name === name) ?? assert.fail(name);
  assert.deepEqual(one("claim", "b").fields, [{ field: "status", before: '"partial"', after: '"verified"' }]);
  assert.deepEqual(one("claim", "__proto__").fields, [{ field: "gaps", before: "[]", after: '["g"]' }]);
  assert.deepEqual(one("record", "CUB-0002").fields, [
    { field: "file_shas.a.v", before: `"${sha256("a")}"`, after: `"${sha256("A")}"` },
    { field: "note", before: '""', after: '"n"' },
  ]);
  const { before: old, after: now } = one("object", "notes/z.md");
  assert.deepEqual([old, now], [sha256("old"), sha256("new")]);
  // The digest of a record is that of its file in the snapshot.
  assert.equal(one("record", "CUB-0001").before, sha256(canonicalJson(CubRecord.parse(record("CUB-0001")))));
});

test("objects come first, then claims, then records; what is gone has no page", async () => {
  const changes = await describeChanges(before, changed, changed);
  const order = changes.map((change) => change.what);
  assert.deepEqual(
    order,
    [...order].sort((a, b) => ["object", "claim", "record", "other"].indexOf(a) - ["object", "claim", "record", "other"].indexOf(b)),
  );
  for (const { change, path, before: old, after: now } of changes) {
    assert.equal(path === null, change === "removed");
    assert.deepEqual([old === null, now === null], [change === "added", change === "removed"]);
  }
});

test("fields tell exactly what differs, for any JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      assert.deepEqual(diffFields(a, a), []);
      const fields = diffFields(a, b);
      assert.equal(fields.length === 0, canonicalJson(a) === canonicalJson(b));
      for (const field of fields) assert.notEqual(field.before, field.after);
      assert.deepEqual(
        diffFields(b, a),
        fields.map(({ field, before, after }) => ({ field, before: after, after: before })),
      );
    }),
  );
});

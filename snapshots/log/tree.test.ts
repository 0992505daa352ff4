/** The tree of a log and its tiles, against RFC 6962 written down word for word, and against the roots that Certificate Transparency's
 *  own tests have. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { appendEntries, readEntries, tileNodes } from "./tiles.ts";
import { tilePath } from "./shape.ts";
import { EMPTY_ROOT, hashLeaf, proveConsistency, proveInclusion, treeRoot, verifyConsistency, verifyInclusion } from "./tree.ts";

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();

/** RFC 6962 section 2.1. */
function mth(entries: readonly Buffer[]): Buffer {
  const [first] = entries;
  if (first === undefined) return sha256();
  if (entries.length === 1) return sha256(Buffer.of(0), first);
  const k = largestPowerBelow(entries.length);
  return sha256(Buffer.of(1), mth(entries.slice(0, k)), mth(entries.slice(k)));
}
/** Section 2.1.1. */
function path(m: number, entries: readonly Buffer[]): Buffer[] {
  if (entries.length === 1) return [];
  const k = largestPowerBelow(entries.length);
  if (m < k) return [...path(m, entries.slice(0, k)), mth(entries.slice(k))];
  return [...path(m - k, entries.slice(k)), mth(entries.slice(0, k))];
}
/** Section 2.1.2. */
function subproof(m: number, entries: readonly Buffer[], b: boolean): Buffer[] {
  if (m === entries.length) return b ? [] : [mth(entries)];
  const k = largestPowerBelow(entries.length);
  if (m <= k) return [...subproof(m, entries.slice(0, k), b), mth(entries.slice(k))];
  return [...subproof(m - k, entries.slice(k), false), mth(entries.slice(0, k))];
}
const largestPowerBelow = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1);

const entriesOf = (count: number): Buffer[] => Array.from({ length: count }, (_, at) => Buffer.from(`entry ${at}`));

type Files = Map<string, Uint8Array>;

/** A log that grew in these steps. */
async function grow(entries: readonly Buffer[], steps: readonly number[]): Promise<Files> {
  const files: Files = new Map();
  let size = 0;
  for (const step of [...steps, entries.length]) {
    const end = Math.min(entries.length, size + step);
    if (end === size) continue;
    for (const { path: name, bytes } of await appendEntries(size, entries.slice(size, end), readerOf(files))) files.set(name, bytes);
    size = end;
  }
  return files;
}
const readerOf = (files: Files) => async (name: string) => files.get(name) ?? null;

test("the eight entries of Certificate Transparency's own tests have its roots", async () => {
  const entries = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"].map((hex) =>
    Buffer.from(hex, "hex"),
  );
  const roots = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
  ];
  assert.equal(EMPTY_ROOT.toString("hex"), roots[0]);
  for (const [size, root] of roots.entries()) {
    const files = await grow(entries.slice(0, size), [1, 1, 1, 1, 1, 1, 1, 1]);
    assert.equal((await treeRoot(size, tileNodes(size, readerOf(files)))).toString("hex"), root, `${size}`);
  }
});

test("every inclusion and every consistency up to 70 entries is RFC 6962's, and no other position, size or root passes", async () => {
  const all = entriesOf(70);
  const files = await grow(
    all,
    Array.from({ length: 70 }, () => 1),
  );
  const roots = all.map((_, at) => mth(all.slice(0, at + 1)));
  for (let size = 1; size <= all.length; size++) {
    const entries = all.slice(0, size);
    const read = tileNodes(size, readerOf(files));
    const root = roots[size - 1] ?? EMPTY_ROOT;
    assert.deepEqual(await treeRoot(size, read), root);
    for (let index = 0; index < size; index++) {
      const proof = await proveInclusion(index, size, read);
      assert.deepEqual(proof, path(index, entries));
      const leaf = hashLeaf(all[index] ?? Buffer.alloc(0));
      assert.ok(verifyInclusion(leaf, index, size, proof, root));
      assert.ok(!verifyInclusion(leaf, index + 1, size, proof, root), "another position");
      assert.ok(!verifyInclusion(leaf, index, size, [...proof, root], root), "a hash too many");
      assert.ok(!verifyInclusion(hashLeaf(Buffer.from("other")), index, size, proof, root), "another entry");
    }
    for (let older = 1; older <= size; older++) {
      const proof = await proveConsistency(older, size, read);
      assert.deepEqual(proof, subproof(older, entries, true));
      const [before, now] = [
        { size: older, root: roots[older - 1] ?? EMPTY_ROOT },
        { size, root },
      ];
      assert.ok(verifyConsistency(before, now, proof), `${older} in ${size}`);
      assert.ok(!verifyConsistency({ ...before, root: mth([Buffer.from("fork")]) }, now, proof), `a fork of ${older} in ${size}`);
      assert.ok(!verifyConsistency(before, { ...now, root: mth([Buffer.from("fork")]) }, proof));
      assert.ok(!verifyConsistency(before, now, [...proof, root]));
    }
  }
});

test("however a log grew, its tiles are the same, and its root is RFC 6962's", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1200 }),
      fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 12 }),
      async (size, steps) => {
        const entries = entriesOf(size);
        const [grown, whole] = [await grow(entries, steps), await grow(entries, [])];
        for (const [name, bytes] of whole) assert.deepEqual(grown.get(name), bytes, name);
        const read = tileNodes(size, readerOf(grown));
        assert.deepEqual(await treeRoot(size, read), mth(entries));
        const index = Math.floor(size / 2);
        assert.deepEqual(await proveInclusion(index, size, read), path(index, entries));
        const older = Math.max(1, size - (steps[0] ?? 1));
        assert.deepEqual(await proveConsistency(older, size, read), subproof(older, entries, true));
        for (let bundle = 0; bundle * 256 < size; bundle++)
          assert.deepEqual(await readEntries(bundle, size, readerOf(grown)), entries.slice(bundle * 256, (bundle + 1) * 256));
      },
    ),
    { numRuns: 60 },
  );
});

test("tiles lie where tlog-tiles puts them", async () => {
  assert.equal(tilePath(0, 1_234_067, 256), "tile/0/x001/x234/067");
  assert.equal(tilePath(0, 0, 256), "tile/0/000");
  assert.equal(tilePath("entries", 1_000, 17), "tile/entries/x001/000.p/17");
  // The example of the text: 70,000 entries.
  const files = await grow(entriesOf(70_000), []);
  const tiles = [...files.keys()].filter((name) => !name.startsWith("tile/entries/"));
  assert.equal(tiles.filter((name) => name.startsWith("tile/0/") && !name.includes(".p/")).length, 273);
  assert.deepEqual(tiles.filter((name) => !name.startsWith("tile/0/") || name.includes(".p/")).sort(), [
    "tile/0/273.p/112",
    "tile/1/000",
    "tile/1/001.p/17",
    "tile/2/000.p/1",
  ]);
  // One of exactly 256 entries has a full tile, and a tile of one hash above it.
  assert.deepEqual([...(await grow(entriesOf(256), [])).keys()].sort(), ["tile/0/000", "tile/1/000.p/1", "tile/entries/000"]);
});

test("a proof in a log of a million entries reads few tiles", async () => {
  const size = 1_000_000;
  // All entries are the same, so every tile of a level holds one hash over and over.
  const heights = [sha256(Buffer.of(0), Buffer.from("same"))];
  for (let at = 0; at < 24; at++) heights.push(sha256(Buffer.of(1), heights[at] ?? Buffer.of(), heights[at] ?? Buffer.of()));
  const asked = new Set<string>();
  const read = tileNodes(size, async (name) => {
    asked.add(name);
    const [, level = "", width = "256"] = /^tile\/(\d+)\/[x\d/]+(?:\.p\/(\d+))?$/.exec(name) ?? [];
    return Buffer.concat(Array.from({ length: Number(width) }, () => heights[8 * Number(level)] ?? Buffer.of()));
  });
  const root = await treeRoot(size, read);
  const proof = await proveInclusion(654_321, size, read);
  assert.ok(verifyInclusion(hashLeaf(Buffer.from("same")), 654_321, size, proof, root));
  const older = await treeRoot(333_333, read);
  assert.ok(verifyConsistency({ size: 333_333, root: older }, { size, root }, await proveConsistency(333_333, size, read)));
  assert.ok(asked.size <= 20, `${asked.size} tiles`);
});

test("a tile that is missing, short, long or of another tree is noticed", async () => {
  const files = await grow(entriesOf(300), []);
  const other = await grow(
    entriesOf(300).map((entry) => Buffer.concat([entry, Buffer.from("!")])),
    [],
  );
  const rootOf = (changed: Files) => treeRoot(300, tileNodes(300, readerOf(changed)));
  const root = await rootOf(files);
  for (const name of ["tile/0/001.p/44", "tile/1/000.p/1"]) {
    const bytes = files.get(name) ?? new Uint8Array();
    await assert.rejects(rootOf(new Map([...files].filter(([one]) => one !== name))), { code: "bad_log", message: /missing/ });
    await assert.rejects(rootOf(new Map([...files, [name, bytes.subarray(32)]])), { code: "bad_log", message: /bytes, not/ });
    await assert.rejects(rootOf(new Map([...files, [name, Buffer.concat([bytes, Buffer.alloc(32)])]])), { code: "bad_log" });
    assert.notDeepEqual(await rootOf(new Map([...files, [name, other.get(name) ?? bytes]])), root, "the root tells");
  }
  const bundle = "tile/entries/001.p/44";
  const bytes = files.get(bundle) ?? new Uint8Array();
  await assert.rejects(readEntries(1, 300, readerOf(new Map([[bundle, bytes.subarray(0, -1)]]))), { code: "bad_log" });
  await assert.rejects(readEntries(1, 300, readerOf(new Map([[bundle, Buffer.concat([bytes, Buffer.of(0)])]]))), { code: "bad_log" });
  await assert.rejects(readEntries(1, 300, readerOf(new Map())), { code: "bad_log", message: /missing/ });
  await assert.rejects(appendEntries(0, [Buffer.alloc(70_000)], readerOf(new Map())), { code: "bad_log", message: /70000 bytes/ });
});

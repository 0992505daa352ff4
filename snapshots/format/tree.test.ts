import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { ShelfError } from "../errors.ts";
import {
  type BlobEntry,
  buildSubtrees,
  buildTree,
  type BuiltTree,
  compareNames,
  diffTrees,
  type TreeEntry,
  type FileEntry,
  formatTree,
  joinSubtrees,
  mountSubtrees,
  parseTree,
  proveEntry,
  type Tree,
} from "./tree.ts";
import { checkProof } from "../contract/check-proof.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Names that have broken other formats, and anything else. */
const hostileName = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "a",
    "a.md",
    "a-b",
    "A",
    "é",
    "e\u0301",
    "\u2028",
    "\u{1f600}",
    "\uffff",
    " ",
    '"',
    "\\",
    "\u0001",
    "\u007f",
    "%2F",
    "..",
    "0",
    "10",
    "9",
  ),
  fc.string({ unit: "binary", minLength: 1, maxLength: 6 }).filter((name) => !/[/\0]/.test(name) && name.isWellFormed()),
);
const digest = fc.integer({ min: 0, max: 20 }).map((number) => sha(String(number)));

/** files whose paths never make one path a folder of another: each folder name ends in "+", no file name does. */
const files: fc.Arbitrary<readonly FileEntry[]> = fc.uniqueArray(
  fc
    .record({
      path: fc
        .tuple(fc.array(hostileName, { maxLength: 3 }), hostileName)
        .map(([folders, last]) => [...folders.map((folder) => `${folder}+`), last.replace(/\+$/, "-")].join("/")),
      sha256: digest,
      type: fc.constantFrom("text/plain", "", 'a/b; c="d"'),
      uploaded: fc.constantFrom(undefined, null, "2026-01-02T03:04:05Z"),
    })
    // The same bytes are as long.
    .map((file) => ({ ...file, size: Number.parseInt(file.sha256.slice(0, 7), 16) })),
  { selector: (file) => file.path, maxLength: 12 },
);

function loader(...built: readonly ReturnType<typeof buildTree>[]): (digest: string) => Promise<Tree> {
  const all = new Map(built.flatMap(({ trees }) => [...trees]));
  return async (digest) => parseTree(all.get(digest) ?? assert.fail("a tree is missing"));
}

async function listFiles(root: string, load: (digest: string) => Promise<Tree>, prefix = ""): Promise<Map<string, BlobEntry>> {
  const found = new Map<string, BlobEntry>();
  for (const entry of await load(root)) {
    if (entry.kind === "blob") found.set(prefix + entry.name, entry);
    else for (const [path, blob] of await listFiles(entry.sha256, load, `${prefix}${entry.name}/`)) found.set(path, blob);
  }
  return found;
}

test("a media type that would end a header, or be none, is refused where it is read", () => {
  const of = (type: string): Uint8Array => formatTree([{ kind: "blob", name: "a", sha256: sha(""), size: 0, type }]);
  for (const type of ["text/plain\r\nSet-Cookie: a=b", "text/plain\n", "text/\u0000", "text/\u007f", "text/plain; a=\u00e9", "\u2028"])
    assert.throws(() => parseTree(of(type)), { code: "snapshot_damaged" }, JSON.stringify(type));
  assert.equal(parseTree(of('text/plain; charset="utf-8"')).length, 1);
});

test("names that no tree can hold are refused before anything is written", () => {
  for (const path of ["", "/a", "a/", "a//b", "a\0b", "a/\ud800", "\udc00"]) {
    assert.throws(() => buildTree([{ path, sha256: sha(""), size: 0, type: "" }]), { code: "build_failed" }, JSON.stringify(path));
  }
});

test("a path that is both a file and a folder, or occurs twice, is refused in either order", () => {
  const file = (path: string): FileEntry => ({ path, sha256: sha(""), size: 0, type: "" });
  for (const paths of [
    ["a", "a/b"],
    ["a/b", "a"],
    ["a", "a"],
    ["a/b/c", "a/b"],
    ["__proto__", "__proto__/x"],
  ]) {
    assert.throws(() => buildTree(paths.map(file)), { code: "build_failed" });
  }
});

test("a tree that is not exactly canonical is refused", () => {
  const good = `[{"kind":"blob","name":"a","sha256":"${sha("a")}","size":1,"type":"t"},{"kind":"tree","name":"b","sha256":"${sha("b")}","size":2}]`;
  assert.equal(text(formatTree(parseTree(Buffer.from(good)))), good);
  const bad = [
    "",
    "null",
    "{}",
    "[",
    "[null]",
    "[[]]",
    `${good}\n`,
    ` ${good}`,
    good.replace(",", ", "),
    `\ufeff${good}`,
    good.replace('"a"', '""'),
    good.replace('"a"', '"a/b"'),
    good.replace('"a"', '"\\u0000"'),
    good.replace('"a"', '"\\ud800"'),
    good.replace('"a"', '"\\u0061"'),
    good.replace('"name":"a"', '"name":"b"'),
    good.replace('"name":"a"', '"name":"c"'),
    good.replace('"size":1', '"size":-1'),
    good.replace('"size":1', '"size":1.5'),
    good.replace('"size":1', '"size":1e0'),
    good.replace('"size":1', '"size":9007199254740993'),
    good.replace('"blob"', '"link"'),
    good.replace('"type":"t"', '"type":"t","x":1'),
    good.replace('"type":"t"', '"__proto__":{},"type":"t"'),
    good.replace('"type":"t"', '"type":"s","type":"t"'),
    good.replace(',"type":"t"', ""),
    good.replace('"size":2', '"size":2,"type":"t"'),
    good.replace(sha("a"), sha("a").toUpperCase()),
    good.replace(sha("a"), sha("a").slice(1)),
    good.replace('"type":"t"', '"type":"t","uploaded":1'),
  ];
  for (const bytes of bad) assert.throws(() => parseTree(Buffer.from(bytes)), { code: "snapshot_damaged" }, bytes);
  assert.throws(() => parseTree(Uint8Array.of(0x5b, 0xff, 0x5d)), { code: "snapshot_damaged" });
});

test("any bytes are either a tree or one kind of error", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((json) => Buffer.from(json)),
      ),
      (bytes) => {
        try {
          assert.deepEqual(Buffer.from(formatTree(parseTree(bytes))), Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof ShelfError && error.code === "snapshot_damaged");
        }
      },
    ),
  );
});

test("the order in which files come does not change the root, and no file is lost", async () => {
  await fc.assert(
    fc.asyncProperty(
      files.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray([...list], { minLength: list.length }))),
      async ([list, shuffled]) => {
        const one = buildTree(list);
        const two = buildTree(shuffled);
        assert.equal(one.root.sha256, two.root.sha256);
        assert.deepEqual(new Set(one.trees.keys()), new Set(two.trees.keys()));
        const found = await listFiles(one.root.sha256, loader(one));
        assert.deepEqual([...found.keys()].sort(compareNames), list.map((file) => file.path).sort(compareNames));
        for (const file of list) {
          const entry = found.get(file.path);
          assert.deepEqual([entry?.sha256, entry?.size, entry?.type, entry?.uploaded], [file.sha256, file.size, file.type, file.uploaded]);
        }
      },
    ),
  );
});

test("trees of parts that share no name, put together, are those of all files at once", () => {
  const path = fc.array(hostileName, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 12 }), fc.nat({ max: 3 }), (paths, count) => {
      const files = paths
        .filter((one) => !paths.some((other) => other.startsWith(`${one}/`)))
        .map((path): FileEntry => ({ path, sha256: sha(path), size: path.length, type: "text/plain" }));
      const tops = [...new Set(files.map(({ path }) => path.split("/", 1)[0] ?? ""))];
      const parts = Array.from({ length: count + 1 }, (_, part) =>
        buildSubtrees(files.filter(({ path }) => tops.indexOf(path.split("/", 1)[0] ?? "") % (count + 1) === part)),
      );
      const sorted = ({ root, trees }: BuiltTree) => ({ root, trees: [...trees.keys()].sort(compareNames) });
      assert.deepEqual(sorted(joinSubtrees(parts)), sorted(buildTree(files)));
      const below = buildTree(files.map((file) => ({ ...file, path: `folder/${file.path}` })));
      assert.deepEqual(sorted(joinSubtrees([mountSubtrees("folder", parts)])), sorted(below));
    }),
  );
  const twice = buildSubtrees([{ path: "a/b", sha256: sha("b"), size: 1, type: "text/plain" }]);
  assert.throws(() => joinSubtrees([twice, twice]), { code: "build_failed", message: /a: this path occurs twice/ });
});

test("the bytes of every tree are RFC 8785 as another program writes it, and its digest is SHA-256 of them", () => {
  fc.assert(
    fc.property(files, (list) => {
      const { root, trees } = buildTree(list);
      for (const [digest, bytes] of trees) {
        assert.equal(digest, sha(text(bytes)));
        assert.equal(text(bytes), canonicalize(JSON.parse(text(bytes))));
        const names = parseTree(bytes).map((entry) => entry.name);
        assert.deepEqual(names, [...names].sort());
      }
      assert.equal(root.size, trees.get(root.sha256)?.length);
    }),
  );
});

test("applying the differences of two trees to the first gives the second", async () => {
  await fc.assert(
    fc.asyncProperty(files, files, async (listBefore, listAfter) => {
      // Half of the second is the first, so that most subtrees are shared.
      const kept = listBefore.filter((file) => !listAfter.some((other) => other.path === file.path)).slice(0, 6);
      const before = buildTree(listBefore);
      const after = buildTree([...listAfter, ...kept]);
      const load = loader(before, after);
      const state = await listFiles(before.root.sha256, load);
      const seen = new Set<string>();
      for await (const change of diffTrees(before.root.sha256, after.root.sha256, load)) {
        assert.ok(!seen.has(change.path), "a path is told twice");
        seen.add(change.path);
        assert.deepEqual(change.before ?? undefined, state.get(change.path));
        assert.notDeepEqual(change.before, change.after);
        if (change.after === null) state.delete(change.path);
        else state.set(change.path, change.after);
      }
      assert.deepEqual(state, await listFiles(after.root.sha256, load));
    }),
  );
});

test("a file that becomes a folder, and back, is told as removed and added", async () => {
  const entry = { sha256: sha("x"), size: 1, type: "t" };
  const file = buildTree([{ path: "a", ...entry }]);
  const folder = buildTree([{ path: "a/b", ...entry }]);
  const told = async (from: string | null, to: string | null): Promise<unknown[]> =>
    (await Array.fromAsync(diffTrees(from, to, loader(file, folder)))).map((change) => [
      change.path,
      change.before !== null,
      change.after !== null,
    ]);
  assert.deepEqual(await told(file.root.sha256, folder.root.sha256), [
    ["a", true, false],
    ["a/b", false, true],
  ]);
  assert.deepEqual(await told(folder.root.sha256, file.root.sha256), [
    ["a", false, true],
    ["a/b", true, false],
  ]);
  assert.deepEqual(await told(null, folder.root.sha256), [["a/b", false, true]]);
  assert.deepEqual(await told(folder.root.sha256, null), [["a/b", true, false]]);
  assert.deepEqual(await told(null, null), []);
});

test("equal subtrees are not read", async () => {
  const shared = Array.from({ length: 50 }, (_, at) => ({ path: `shared/${at}/f`, sha256: sha("s"), size: 1, type: "t" }));
  const before = buildTree([...shared, { path: "x/f", sha256: sha("1"), size: 1, type: "t" }]);
  const after = buildTree([...shared, { path: "x/f", sha256: sha("2"), size: 1, type: "t" }]);
  const load = loader(before, after);
  let reads = 0;
  const changes = await Array.fromAsync(diffTrees(before.root.sha256, after.root.sha256, (digest) => (reads++, load(digest))));
  assert.deepEqual(
    changes.map((change) => change.path),
    ["x/f"],
  );
  assert.equal(reads, 4); // two roots, two folders "x"
});

test("every file is proved by the trees on its path, and a proof proves nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(
      files.filter((list) => list.length > 0),
      fc.nat(),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (list, pick, place, mask) => {
        const built = buildTree(list);
        const load = loader(built);
        const path = list[pick % list.length]?.path ?? "";
        const proof = await proveEntry(built.root.sha256, path, load);
        assert.ok(checkProof(proof, path));
        assert.equal(checkProof(proof, `${path}x`), false);
        assert.equal(checkProof(proof, `${path}/x`), false);
        const entry = proof.entry ?? assert.fail("no entry");
        assert.equal(checkProof({ ...proof, entry: null }, path), false, "what is there is not proved to be absent");
        const others: readonly BlobEntry[] = [
          { ...entry, sha256: sha("other") },
          { ...entry, size: entry.size + 1 },
          { ...entry, type: `${entry.type}x` },
          { ...entry, name: `${entry.name}x` },
          { ...entry, uploaded: "1970-01-01T00:00:00Z" },
        ];
        for (const other of others) assert.equal(checkProof({ ...proof, entry: other }, path), false);
        assert.equal(checkProof({ ...proof, root: sha("another root") }, path), false);
        assert.equal(checkProof({ ...proof, trees: proof.trees.slice(0, -1) }, path), false);
        assert.equal(checkProof({ ...proof, trees: [...proof.trees, "[]"] }, path), false);
        const at = place % proof.trees.length;
        const bytes = Buffer.from(proof.trees[at] ?? "");
        if (bytes.length === 0) return;
        const byte = place % bytes.length;
        bytes[byte] = (bytes[byte] ?? 0) ^ mask;
        const tampered = bytes.toString("utf8");
        assert.equal(checkProof({ ...proof, trees: proof.trees.with(at, tampered) }, path), false);
        // Somebody who makes the digests fit again has another root, which the caller compares.
        const rehashed = { ...proof, trees: proof.trees.with(at, tampered), root: at === 0 ? sha(tampered) : proof.root };
        if (checkProof(rehashed, path)) assert.notEqual(rehashed.root, built.root.sha256);
      },
    ),
  );
});

test("that no file has a path is proved by the tree in which it ends, and of one that is there it never is", async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.string({ minLength: 1 }), fc.nat(), async (list, name, pick) => {
      const built = buildTree(list);
      const known = list[pick % Math.max(1, list.length)]?.path ?? "";
      for (const path of [name, `${known}/${name}`, `${known}${name}`, known.split("/").slice(0, -1).concat(name).join("/")]) {
        const proof = await proveEntry(built.root.sha256, path, loader(built));
        assert.equal(proof.entry === null, !list.some((file) => file.path === path), path);
        assert.ok(checkProof(proof, path), path);
        const short = { ...proof, entry: null, trees: proof.trees.slice(0, -1) };
        assert.equal(checkProof(short, path), false, "a folder that leads on proves nothing");
      }
    }),
  );
});

test("a folder, and a path below a file, are no files", async () => {
  const built = buildTree([{ path: "a/b", sha256: sha(""), size: 0, type: "" }]);
  for (const path of ["a", "a/", "a/b/c", "", "/", "__proto__", "a/toString"]) {
    const proof = await proveEntry(built.root.sha256, path, loader(built));
    assert.ok(proof.entry === null && checkProof(proof, path), path);
  }
});

test("the smallest trees have the digests that sha256sum prints", () => {
  // printf '[]' | sha256sum
  assert.equal(buildTree([]).root.sha256, "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
  const entries: readonly TreeEntry[] = [{ kind: "blob", name: "a", sha256: sha("hello\n"), size: 6, type: "text/plain" }];
  assert.equal(
    text(formatTree(entries)),
    '[{"kind":"blob","name":"a","sha256":"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03","size":6,"type":"text/plain"}]',
  );
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { parseCodeRef } from "../format/code-ref.ts";
import { type ListedCode, MAX_CODE_BYTES } from "./code-store.ts";
import { openDirectoryCodeStore } from "./code-store-directory.ts";
import { sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";

const base = mkdtempSync(join(tmpdir(), "code-"));
after(() => rmSync(base, { recursive: true, force: true }));
const HEAD = "0123456789abcdef0123456789abcdef01234567";
const root = join(base, "store");
const store = openDirectoryCodeStore(root);
const ref = (path: string) => parseCodeRef("proofs", HEAD, path);

function put(path: string, bytes: string): string {
  const full = join(root, "proofs", HEAD, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, bytes);
  return full;
}

test("before the store exists it is unavailable, not empty", async () => {
  const asks = [() => store.read(ref("a")), () => store.stat(ref("a")), () => Array.fromAsync(store.list())];
  for (const ask of asks) {
    await assert.rejects(
      ask,
      (error: unknown) => error instanceof ShelfError && error.code === "code_store_unavailable" && !error.message.includes(base),
    );
  }
});

test("a link at the end, in the middle, as revision or as repository makes the file absent", async () => {
  put("src/real.v", "Qed.");
  mkdirSync(join(base, "outside"), { recursive: true });
  writeFileSync(join(base, "outside", "secret"), "secret");
  symlinkSync(join(base, "outside", "secret"), join(root, "proofs", HEAD, "end"));
  symlinkSync("src/real.v", join(root, "proofs", HEAD, "inside"));
  symlinkSync(join(base, "outside"), join(root, "proofs", HEAD, "middle"));
  symlinkSync("src", join(root, "proofs", HEAD, "near"));
  const other = "f".repeat(40);
  symlinkSync(join(base, "outside"), join(root, "proofs", other));
  for (const path of ["end", "inside", "middle/secret", "near/real.v"]) {
    assert.equal(await store.read(ref(path)), null, path);
    assert.equal(await store.stat(ref(path)), null, path);
  }
  assert.equal(await store.read({ repo: "proofs", head: other, path: "secret" }), null);
  symlinkSync(join(base, "outside"), join(root, "linked"));
  mkdirSync(join(base, "outside", HEAD));
  writeFileSync(join(base, "outside", HEAD, "secret"), "secret");
  assert.equal(await store.read({ repo: "linked", head: HEAD, path: "secret" }), null);
  // A caller that forgot to parse gets nothing from outside either.
  await assert.rejects(store.read({ repo: "..", head: "outside", path: "secret" }), { code: "bad_code_path" });
});

test("pipes, folders, missing files and files used as folders are absent, and nothing hangs", async () => {
  execFileSync("mkfifo", [join(root, "proofs", HEAD, "pipe")]);
  for (const path of ["pipe", "src", "none", "src/real.v/x", `${"d/".repeat(500)}x`, "a".repeat(255)]) {
    assert.equal(await store.read(ref(path)), null, path);
    assert.equal(await store.stat(ref(path)), null, path);
  }
});

test("a file over the limit is refused before it is read", async () => {
  truncateSync(put("huge.v", ""), MAX_CODE_BYTES + 1);
  await assert.rejects(store.read(ref("huge.v")), /larger than/);
});

test("the digest is that of the bytes returned, whatever happens to the file meanwhile", async () => {
  const full = put("swap.v", "a".repeat(200_000));
  let stop = false;
  const swapping = (async () => {
    for (let round = 0; !stop; round++) {
      writeFileSync(`${full}.new`, "ab"[round % 2]?.repeat(200_000 + (round % 2)) ?? "");
      renameSync(`${full}.new`, full);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let round = 0; round < 200; round++) {
    const file = await store.read(ref("swap.v"));
    if (file !== null) assert.equal(sha256(file.bytes), file.sha256);
  }
  stop = true;
  await swapping;
});

test("a file is read with its digest, and listed with its size", async () => {
  put("src/Ünï cöde [1]*.lean", "theorem");
  const file = await store.read(ref("src/Ünï cöde [1]*.lean"));
  assert.equal(Buffer.from(file?.bytes ?? []).toString(), "theorem");
  assert.equal(file?.sha256, sha256("theorem"));
  assert.deepEqual(await store.stat(ref("src/real.v")), { size: 4 });
  put("bad\\name", "x");
  mkdirSync(join(root, "proofs", "not-a-head"), { recursive: true });
  writeFileSync(join(root, "proofs", "not-a-head", "x"), "");
  const listed: ListedCode[] = [];
  for await (const entry of store.list()) listed.push(entry);
  const problems = Object.fromEntries(listed.map((entry) => [entry.path, entry.problem]));
  assert.deepEqual(
    Object.keys(problems).sort(),
    ["bad\\name", "end", "huge.v", "inside", "middle", "near", "pipe", "src/real.v", "src/Ünï cöde [1]*.lean", "swap.v"].sort(),
  );
  assert.equal(problems["src/real.v"], null);
  assert.equal(problems["end"], "is a link; links are not followed");
  assert.equal(problems["bad\\name"], "has a backslash");
});

test("a reference that is not in its one spelling is refused, part by part", () => {
  const hex = HEAD;
  const bad: [string, string, string, string][] = [
    ["", hex, "a", "repo"],
    ["..", hex, "a", "repo"],
    [".git", hex, "a", "repo"],
    ["a/b", hex, "a", "repo"],
    ["-rf", hex, "a", "repo"],
    ["a\n", hex, "a", "repo"],
    ["a".repeat(101), hex, "a", "repo"],
    ["r", "main", "a", "head"],
    ["r", hex.toUpperCase(), "a", "head"],
    ["r", hex.slice(1), "a", "head"],
    ["r", `${hex}\n`, "a", "head"],
    ["r", "0".repeat(63), "a", "head"],
    ["r", hex, "", "path"],
    ["r", hex, "/a", "path"],
    ["r", hex, "a/", "path"],
    ["r", hex, "a//b", "path"],
    ["r", hex, "../a", "path"],
    ["r", hex, "a/./b", "path"],
    ["r", hex, "a/..", "path"],
    ["r", hex, "a\0b", "path"],
    ["r", hex, "a\\b", "path"],
    ["r", hex, "\ud800", "path"],
    ["r", hex, "a\r\nb", "path"],
    ["r", hex, "a".repeat(1025), "path"],
    ["r", hex, "a".repeat(256), "path"],
  ];
  for (const [repo, head, path, part] of bad) {
    assert.throws(
      () => parseCodeRef(repo, head, path),
      (error: unknown) =>
        error instanceof ShelfError && error.code === "bad_code_path" && error.errors.length === 1 && error.errors[0]?.pointer === part,
      JSON.stringify([repo, head, path]),
    );
  }
  assert.throws(
    () => parseCodeRef("..", "x", ""),
    (error: unknown) => error instanceof ShelfError && error.errors.length === 3,
  );
  for (const path of ["a", "a/b.c/d", "...", "..a/b", "-rf", "%2e%2e/a", "a b", "é", "*"])
    assert.equal(parseCodeRef("r.e-p_o", "a".repeat(64), path).path, path);
});

test("no accepted reference leads out of the folder of its revision", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab./\\% \0\n~*é"), maxLength: 20 }), (path) => {
      let parsed;
      try {
        parsed = parseCodeRef("r", HEAD, path);
      } catch {
        return;
      }
      assert.ok(join("/store/r", HEAD, parsed.path).startsWith(`/store/r/${HEAD}/`));
      assert.equal(join("/store/r", HEAD, parsed.path), `/store/r/${HEAD}/${path}`);
    }),
    { numRuns: 1000 },
  );
});

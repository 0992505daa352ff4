import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { canonicalJson, sha256 } from "./digest.ts";
import { openDirectoryShelf } from "./shelf/shelf-directory.ts";
import type { Changes, SnapshotRecord } from "./shelf/shelf.ts";
import { checkProof } from "./contract/check-proof.ts";
import { buildTree, parseTree, proveEntry } from "./format/tree.ts";
import { verifyShelf } from "./service/verify.ts";

const base = mkdtempSync(join(tmpdir(), "readme-"));
after(() => rmSync(base, { recursive: true }));

const BASH = ["--noprofile", "--norc", "-euo", "pipefail", "-c"];
const readme = readFileSync(new URL("./README.md", import.meta.url), "utf8");
const commands = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]).join("\n");
const printed = execFileSync("bash", [...BASH, commands], {
  cwd: base,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "pipe"],
  env: { PATH: "/usr/bin:/bin" },
});

function filesUnder(root: string): ReadonlyMap<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    // Derived, and of no interest to who writes a shelf by hand.
    .filter((entry) => entry.isFile() && entry.name !== "changes.sha256");
  return new Map(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]),
  );
}

const SOURCES = [
  { path: "objects/notes/hello.txt", text: "hello\n", type: "text/plain; charset=utf-8", uploaded: "2026-01-02T03:04:05Z" },
  { path: "pages/index.html", text: "<!doctype html><title>Tiny</title>\n", type: "text/html; charset=utf-8" },
] as const;

test("the commands print what the text says they print", () => {
  assert.match(readme, /^This prints `hello`\.$/m);
  assert.equal(printed, "hello\n");
});

test("the commands use coreutils, unzip and the shell alone", () => {
  const known = new Set([
    "mkdir",
    "cd",
    "printf",
    "cp",
    "sync",
    "mv",
    "for",
    "do",
    "done",
    "echo",
    "sha256sum",
    "tr",
    "cut",
    "while",
    "read",
    "test",
    "true",
    "tail",
    "cat",
    "child",
    "blob",
    "unzip",
    "continue",
  ]);
  const starts = commands
    .replaceAll(/'[^']*'|\\\n|#.*|"\$\{[^}]*\}[^"]*"/g, " ")
    .matchAll(/(?:^|[|;({]|&&|\bdo\b)\s*([a-z][a-z0-9]*)(?=\s)/gm);
  const used = new Set([...starts].map((match) => match[1] ?? ""));
  assert.ok(used.size > 10);
  for (const command of used) assert.ok(known.has(command), command);
});

test("they build, byte for byte, the shelf that our own writer builds", async () => {
  const root = join(base, "ours");
  const shelf = openDirectoryShelf(root);
  const files = SOURCES.map(({ text, ...entry }) => ({ ...entry, sha256: sha256(text), size: Buffer.byteLength(text) }));
  for (const { text } of SOURCES) await shelf.blobs.put(sha256(text), Buffer.from(text));
  const built = buildTree(files);
  for (const [digest, bytes] of built.trees) await shelf.blobs.put(digest, bytes);
  const none = { objects: [], claims: [], records: [] };
  const changes: Changes = { added: { ...none, objects: ["notes/hello.txt"] }, changed: none, removed: none };
  const record: SnapshotRecord = { sequence: 1, snapshot: built.root.sha256, created: "2026-01-03T00:00:00Z", previous: null, inputs: {} };
  await shelf.history.putRecord(record, changes);
  await shelf.history.swapPointer(record, null);
  const ours = new Map(filesUnder(root));
  ours.delete("pointer.lock");
  assert.deepEqual(filesUnder(join(base, "public")), ours);
  assert.equal(ours.get("current.json"), canonicalJson(record));
});

test("our reader takes what they built: pointer, changes, and a proof of the object", async () => {
  const shelf = openDirectoryShelf(join(base, "public"));
  const record = (await shelf.readPointer()) ?? assert.fail("no pointer");
  assert.deepEqual((await shelf.readChanges(1))?.added.objects, ["notes/hello.txt"]);
  const load = async (digest: string) => parseTree((await shelf.getBlob(digest)) ?? assert.fail("a tree is missing"));
  const proof = await proveEntry(record.snapshot, "objects/notes/hello.txt", load);
  assert.ok(checkProof(proof, "objects/notes/hello.txt"));
  assert.equal(proof.entry?.sha256, sha256("hello\n"));
  // It is no whole library, and that is all that is wrong with it.
  const codes = new Set((await verifyShelf({ public: shelf, internal: null })).map((finding) => finding.code));
  assert.deepEqual([...codes], ["api_missing"]);
});

test("one other byte in any of its files makes the reader's check fail", () => {
  const check = commands.slice(commands.indexOf("cd public/blobs\nfor blob"));
  for (const path of filesUnder(join(base, "public")).keys()) {
    if (!path.startsWith("blobs/")) continue;
    const script = `cp -r public copy && mkdir w && mv copy w/public && cd w && printf x >> public/${path}\n${check}`;
    assert.throws(() => execFileSync("bash", [...BASH, script], { cwd: base, stdio: ["ignore", "pipe", "pipe"] }), path);
    rmSync(join(base, "w"), { recursive: true, force: true });
  }
});

test("of a shelf with packs they check the packs and the blobs in them, and say so of one other byte", async () => {
  const root = join(base, "packed");
  const shelf = openDirectoryShelf(join(root, "public"), null, "building");
  const { trees } = buildTree(SOURCES.map(({ text, ...entry }) => ({ ...entry, sha256: sha256(text), size: Buffer.byteLength(text) })));
  for (const { text } of SOURCES) await shelf.blobs.put(sha256(text), Buffer.from(text));
  for (const [digest, bytes] of trees) await shelf.blobs.put(digest, bytes);
  await shelf.blobs.flush();
  cpSync(join(base, "public", "current.json"), join(root, "public", "current.json"));
  const script = commands.slice(commands.indexOf("for pack in"));
  const run = (): string => execFileSync("bash", [...BASH, script], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  assert.equal(run(), "hello\n");
  const [pack = ""] = readdirSync(join(root, "public", "packs")).map((name) => join(root, "public", "packs", name));
  const bytes = readFileSync(pack);
  for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
    writeFileSync(pack, bytes.with(at, (bytes[at] ?? 0) ^ 1));
    assert.throws(run, `byte ${at}`);
  }
});

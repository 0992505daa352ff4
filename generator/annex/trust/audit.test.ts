/** Audits of a library from outside: what holds is said with counts, and a lie anywhere between checkpoint and page is named. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openStaticServer } from "../../../snapshots/contract/static-server.ts";
import { sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { blobPath } from "../../../snapshots/format/layout.ts";
import { formatCheckpoint, formatHead, parseCheckpoint } from "../../../snapshots/log/checkpoint.ts";
import { generateKey, parseKey, parseSigningKey, signNote } from "../../../snapshots/log/note.ts";
import type { View } from "../../../snapshots/http/view.ts";
import { runAudit } from "./audit-command.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { runHere } from "../../testing/run-program.ts";
import { ask } from "../../testing/view.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { exportView } from "../export/export.ts";
import { audit, type Audited, type AuditOptions } from "./audit.ts";
import { type Library, type Lie, openLibrary, PAIR, serveLies, temporary } from "./mirror-fixture.ts";
import { openOrigin } from "./origin.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const home = temporary("audit");
let library: Library;
let view: View;
let lie: Lie | null = null;
let server: Awaited<ReturnType<typeof serveLies>>;

before(async () => {
  library = await openLibrary(join(home.dir, "library"), 2);
  view = await library.view();
  server = await serveLies(
    () => view,
    () => lie,
  );
});
after(async () => {
  delete process.env["LOG_KEY"];
  await server.close();
  home.remove();
});

type Said = { readonly exit: number; readonly stdout: string; readonly stderr: string };
/** The command as a process of its own. */
function start(url: string, ...args: string[]): Promise<Said> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, "audit", url, "--quiet", ...args]);
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) child[name].on("data", (chunk: Buffer) => (said[name] += chunk.toString()));
    child.on("close", (exit) => resolve({ exit: exit ?? -1, ...said }));
  });
}
/** The command in this process, which serves meanwhile. */
async function run(url: string, ...args: string[]): Promise<Said> {
  const { status, ...said } = await runHere(["audit", url, "--quiet", ...args]);
  return { exit: status, ...said };
}
/** The same in this process. */
async function auditOf(url: string, more: Partial<AuditOptions> = {}): Promise<Audited> {
  const origin = openOrigin(url);
  try {
    return await audit(origin, { key: null, seen: null, since: null, sample: null, full: false, progress: SILENT, ...more });
  } finally {
    await origin.close();
  }
}
/** What it finds, or why it ends. */
async function look(url: string, more: Partial<AuditOptions> = {}): Promise<string> {
  try {
    return (await auditOf(url, more)).lies.join("\n");
  } catch (error) {
    assert.ok(error instanceof ShelfError && error.code === "origin_refused", String(error));
    return error.message;
  }
}
const audited = ({ stdout }: Said) => JSON.parse(stdout) as Omit<Audited, "head">;

test("a library that is what it says passes, on a server and on a host of files, and every file of it is counted", async (t) => {
  const own = await start(server.url, "--json", "--key", PAIR.publicKey);
  assert.equal(own.exit, 0, own.stdout + own.stderr);
  const { checked, sequence, signed_by, lies } = audited(own);
  assert.deepEqual([sequence, signed_by, lies], [2, PAIR.publicKey, []]);
  assert.equal(checked.files, checked.of);
  assert.ok(checked.addresses > checked.files / 2 && checked.trees > 5, JSON.stringify(checked));
  const { dist } = await compileSite();
  await exportView({ shelf: view.options.shelf, dist, dir: join(home.dir, "out") });
  const host = await openStaticServer(join(home.dir, "out"));
  t.after(() => host.close());
  const exported = await auditOf(host.url);
  assert.deepEqual([exported.lies, { ...exported.checked, requests: 0 }], [[], { ...checked, requests: 0 }]);
  assert.equal(await look(host.url, { full: true }), "");

  assert.equal((await auditOf(server.url, { sample: 3 })).checked.files, 3);
  assert.match((await run(server.url)).stdout, /Its record is entry 2 of the log\.\n.*trees lead to.*\nAll of it holds/);
});

test("everything that is derived is derived again with --full", async () => {
  const { checked, lies } = await auditOf(server.url, { full: true });
  assert.deepEqual([checked.derived, lies], [true, []]);
});

test("what pages say of the history follows from the lists of changes, and --full derives it", async (t) => {
  t.after(() => (lie = null));
  const lies: Readonly<Record<string, readonly [from: string, to: string]>> = {
    "/registry/CUB-0001/": ["standing: said to be verified", "standing: proven"],
    "/object/notes/a.md/": ["snapshot 1</a>", "snapshot 2</a>"],
    "/": [" added,", "9 added,"],
  };
  lie = (path, bytes) => {
    const [from, to] = lies[path] ?? [];
    return from === undefined || to === undefined ? bytes : edited(from, to)(bytes);
  };
  assert.equal(await look(server.url), "", "they have the right form");
  const said = (await look(server.url, { full: true }))
    .split("\n")
    .filter((line) => line.includes("something else of the history than its lists of changes"));
  assert.deepEqual(said.map((line) => /is refused: (\S+) says/.exec(line)?.[1]).sort(), Object.keys(lies).sort(), said.join("\n"));
});

test("what was seen is remembered: an older head, a fork and another key are lies", async (t) => {
  t.after(() => (lie = null));
  const state = join(home.dir, "state.json");
  const since = join(home.dir, "first");
  await writeFiles(home.dir, [["first", (await ask(view, "/shelf/checkpoints/1")).body]]);
  assert.equal((await run(server.url, "--state", state)).exit, 0);
  const kept = readFileSync(state, "utf8");
  const again = await run(server.url, "--json", "--state", state, "--since", since);
  assert.deepEqual([again.exit, audited(again).consistent_with], [0, [2, 1]]);

  const first = await ask(view, "/shelf/checkpoints/1");
  lie = (path, bytes) => (path === "/shelf/checkpoint" ? first.body : bytes);
  const older = await run(server.url, "--state", state);
  assert.deepEqual([older.exit, /older head: 1 entry, and 2 were seen/.test(older.stderr)], [3, true], older.stderr);
  const other = generateKey("library.example/shelf");
  lie = (path, bytes) => {
    if (path === "/shelf/keys.json") return Buffer.from(`[{"first":1,"key":"${other.publicKey}"}]`);
    if (path !== "/shelf/checkpoint") return bytes;
    const head = parseCheckpoint(bytes);
    return Buffer.from(formatCheckpoint(head, [signNote(formatHead(head), parseSigningKey(other.privateKey))]));
  };
  const seen = { ...parseCheckpoint(Buffer.from((JSON.parse(kept) as { checkpoint: string }).checkpoint)), key: PAIR.publicKey };
  assert.equal(await look(server.url), "", "who has seen nothing believes the first key");
  assert.match(await look(server.url, { seen }), /another key signed the head of 2 entries/);
  assert.match(await look(server.url, { key: parseKey(PAIR.publicKey) }), /No key of the log signed/);
  lie = null;
  const fork = parseCheckpoint((await ask(view, "/shelf/checkpoint")).body);
  const forked = { origin: fork.origin, size: 1, root: Buffer.alloc(32, 7) };
  assert.match(await look(server.url, { since: forked }), /serves a fork/);
  assert.equal(readFileSync(state, "utf8"), kept, "what does not hold is not remembered");

  await writeFiles(home.dir, [
    ["broken.json", "{}"],
    ["no-checkpoint", "hello"],
  ]);
  for (const options of [
    { state: join(home.dir, "broken.json") },
    { since: join(home.dir, "no-checkpoint") },
    { sample: "-1" },
    { key: "a" },
  ])
    await assert.rejects(runAudit(server.url, options), { code: "bad_config" }, JSON.stringify(options));
  await assert.rejects(runAudit("http://127.0.0.1:9", {}), { code: "origin_unreachable" });
  await assert.rejects(runAudit("ftp://x", {}), { code: "bad_config" });
});

const swap =
  (of: string, by: (bytes: Buffer) => Buffer | null): Lie =>
  (path, bytes) =>
    path === of ? by(bytes) : bytes;
const edited = (from: string, to: string) => (bytes: Buffer) => {
  const text = bytes.toString("latin1");
  assert.ok(text.includes(from), from);
  return Buffer.from(text.replace(from, to), "latin1");
};

test("a lie is found wherever it stands between the checkpoint and what readers are given, and exit 3 says so", async (t) => {
  t.after(() => (lie = null));
  const record = JSON.parse((await ask(view, "/shelf/snapshots/2.json")).text) as { snapshot: string };
  const lies: readonly (readonly [name: string, lie: Lie, said: RegExp])[] = [
    ["an object", swap("/objects/notes/a.md", () => Buffer.from("# Another\n")), /\/objects\/notes\/a\.md is not objects\/notes\/a\.md/],
    ["an object that is missing", swap("/objects/notes/a.md", () => null), /\/objects\/notes\/a\.md is missing/],
    ["a page", swap("/claims/", edited("A claim", "A clown")), /\/claims\/ is not pages\/claims=\.html/],
    [
      "a script in a page's stamp",
      swap("/object/notes/a.md/", edited("snapshot 1</a>", "snapshot 1</a><script src=//evil></script>")),
      /is not pages/,
    ],
    ["a record", swap("/api/cubs/CUB-0001.json", edited("VERIFIED", "PERFECT_")), /CUB-0001\.json is not/],
    ["the claims", swap("/api/claims.json", edited("partial", "verified")), /goes on beyond|claims\.json is not/],
    [
      "a blob",
      swap(blobPath(sha256("# A note\n\nOf the first day.\n")), () => Buffer.from("# A note\n\nOf another day.\n")),
      /another digest/,
    ],
    ["a tree", swap(blobPath(record.snapshot), (bytes) => bytes.subarray(1)), /another digest/],
    ["the record that is served", swap("/shelf/snapshots/2.json", edited(record.snapshot, "0".repeat(64))), /not what its log has/],
    ["a tile", swap("/shelf/tile/0/000.p/2", (bytes) => Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)])), /not over the tiles/],
    ["the entries", swap("/shelf/tile/entries/000.p/2", edited(record.snapshot, "0".repeat(64))), /is not in the tree/],
    ["the signature", swap("/shelf/checkpoint", edited("\n2\n", "\n1\n")), /not of this text|is refused/],
  ];
  for (const [name, told, said] of lies) {
    lie = told;
    assert.match(await look(server.url), said, name);
  }
  // One of those that it goes on from, and one that ends it.
  for (const [name, told, said] of [lies[0], lies.at(-1)] as typeof lies) {
    lie = told;
    const { exit, stdout, stderr } = await (told === lies[0]?.[1] ? start : run)(server.url);
    assert.deepEqual([exit, said.test(stdout + stderr)], [3, true], `${name}: ${stdout}${stderr}`);
  }
});

test("what is published while an audit runs is no lie", async (t) => {
  t.after(() => (lie = null));
  let published = false;
  lie = async (path, bytes) => {
    if (path !== "/objects/notes/a.md" || published) return bytes;
    published = true;
    await library.write({ "library/notes/a.md": "# A note\n\nOf the next day.\n" });
    await library.publish();
    return (await ask(view, path)).body;
  };
  const { exit, stdout, stderr } = await run(server.url, "--json");
  assert.deepEqual([exit, published], [0, true], stdout + stderr);
  assert.equal((JSON.parse(stdout) as Audited).sequence, 3);
});

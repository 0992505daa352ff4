/** What is redacted leaves every byte of the public side: its own files, what was made of them in earlier snapshots, and the index. The trees
 *  stay, with a signed notice in the place of each blob. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { blobPath } from "../snapshots/format/layout.ts";
import { generateKey } from "../snapshots/log/note.ts";
import { createTreeCache, openSnapshot } from "../snapshots/shelf/read.ts";
import type { SnapshotRecord } from "../snapshots/shelf/shelf.ts";
import type { Finding } from "../snapshots/verify/finding.ts";
import { build, type BuildSummary } from "./build.ts";
import { openConfig } from "./config/config.ts";
import { fixtureRegistry, SILENT, writeFiles } from "./fixtures/library.ts";
import { filesUnder } from "./fixtures/shelf-files.ts";
import { ask, openFixtureView } from "./fixtures/view.ts";
import { compileSite } from "./pages/compile-site.ts";
import { exportView } from "./publish/export.ts";
import { countErrors, verifyLibrary } from "./publish/verify-library.ts";
import { repair } from "./repair/repair.ts";
import { openShelves } from "./shelves.ts";

const CLI = fileURLToPath(new URL("cli.ts", import.meta.url));
const PAIR = generateKey("library.example/shelf");
process.env["LOG_KEY"] = PAIR.privateKey;
after(() => delete process.env["LOG_KEY"]);

/** In the title, the first words and the text of what is redacted, and nowhere else. */
const SECRET = /heliotrope/i;

/** In the first words and the text of the object alone. */
const OWN = /A heliotrope\.|turns with the sun/;

const CONFIG = `title: Redacting library
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: apart, prefix: apart/, title: Apart, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
claims: { path: ./claims.yaml }
registry: { path: ./registry.json }
withdrawals: { path: ./withdrawals.yaml }
log: { origin: library.example/shelf, publicKey: "${PAIR.publicKey}" }
embeddings: { kind: none }
`;

const CLAIMS = `claims:
  - { id: gone, title: A claim about a heliotrope, status: partial, scope: this, statement: The heliotrope turns. }
  - { id: stays, title: A claim that stays, status: partial, scope: this, statement: It stays. }
`;

type Room = {
  readonly dir: string;
  readonly publicDir: string;
  withdraw(entries: string): Promise<void>;
  turn(n: number): Promise<void>;
  run(accept?: string): Promise<BuildSummary>;
  verify(snapshots: "current" | "all"): Promise<readonly Finding[]>;
  cli(...args: string[]): { status: number | null; stdout: string; stderr: string };
  view(): ReturnType<typeof openFixtureView>;
};

async function newRoom(t: TestContext): Promise<Room> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-redacted-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  const { meta, cubs } = fixtureRegistry();
  const records = cubs.slice(0, 3).map((cub, at) => (at === 1 ? { ...cub, note: "What the heliotrope proves." } : cub));
  await writeFiles(dir, [
    ["proofshelf.yaml", CONFIG],
    ["claims.yaml", CLAIMS],
    ["registry.json", JSON.stringify({ meta, cubs: records })],
    ["withdrawals.yaml", "withdrawals: []\n"],
    [
      "library/notes/flower.md",
      "# The heliotrope\n\nA heliotrope.\n\nHow the heliotrope turns with the sun, in a long line of words that nobody else says.\n",
    ],
    ["library/notes/other.md", "# Other\n\nSee [the flower](flower.md).\n"],
    ["library/drafts/hidden.md", "# Hidden\n\nA draft of the year.\n"],
  ]);
  return {
    dir,
    publicDir: join(dir, "shelf/public"),
    withdraw: (entries) => writeFiles(dir, [["withdrawals.yaml", `withdrawals:\n${entries}`]]),
    turn: (n) => writeFiles(dir, [["library/apart/turn.md", `# Turn ${n}\n\nA turn.\n`]]),
    run: async (accept) =>
      build(await openConfig(file), {
        progress: SILENT,
        ...(accept === undefined ? {} : { accept: new Map([[accept, "It was right."]]) }),
      }),
    verify: async (snapshots) => verifyLibrary(await openConfig(file), { snapshots }),
    cli: (...args) => spawnSync(process.execPath, [CLI, ...args, "--config", file], { encoding: "utf8" }),
    view: async () => openFixtureView(await openConfig(file)),
  };
}

/** Files under a folder that say the secret, as they stand or unpacked. */
function tellers(dir: string, secret = SECRET): string[] {
  return [...filesUnder(dir)]
    .filter(({ bytes }) => secret.test((bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("latin1")))
    .map(({ path }) => path);
}

const OBJECT = "  - { key: notes/flower.md, reason: privacy, date: 2026-05-01, note: Somebody asked., redact: true }\n";
const CLAIM = "  - { claim: gone, reason: legal, date: 2026-05-03, note: By order of a court., redact: true }\n";
const HIDDEN = "  - { key: drafts/hidden.md, reason: privacy, date: 2026-05-03, note: A gated one., redact: true }\n";
const RECORD = "  - { record: CUB-0002, reason: error, date: 2026-05-02, note: Wrong., redact: true }\n";

async function blobOf(room: Room, sequence: number, path: string): Promise<string> {
  const { public: shelf } = openShelves(await openConfig(join(room.dir, "proofshelf.yaml")));
  const record = (await shelf.readRecord(sequence)) as SnapshotRecord;
  return (await (await openSnapshot(shelf, record, createTreeCache())).find(path))?.sha256 ?? assert.fail(path);
}

test("no byte of the public side says what was redacted, and its addresses in earlier snapshots have the notice", async (t) => {
  const room = await newRoom(t);
  const first = await room.run();
  await room.turn(2);
  const second = await room.run();
  const digest = await blobOf(room, 1, "objects/notes/flower.md");
  // A server that has been running all along, with everything of the old snapshots in memory.
  const view = await room.view();
  for (const path of ["/objects/notes/flower.md", "/api/catalog", "/object/notes/flower.md/", "/claims/gone/", "/browse/notes/"])
    assert.match((await ask(view, `/at/${first.snapshot}${path}`)).text, SECRET);
  assert.notDeepEqual(tellers(room.publicDir), []);

  await room.withdraw(OBJECT + CLAIM + RECORD + HIDDEN);
  const third = await room.run();
  assert.match(third.notes.join("\n"), /Redacted \d+ blobs of earlier snapshots/);
  assert.deepEqual(tellers(room.publicDir), [], "no byte in the public root");
  assert.deepEqual(
    tellers(join(room.dir, "shelf")).filter((path) => !/^internal\/build\/(claims|registry)\//.test(path)),
    [],
    "nor in the internal one, but for the last copies of the sources",
  );
  assert.deepEqual(tellers(room.publicDir, /hidden\.md|A gated one/), [], "what is gated has no public notice");
  assert.deepEqual(tellers(join(room.dir, "shelf/internal"), /A draft of the year/), []);
  assert.equal((await openShelves(await openConfig(join(room.dir, "proofshelf.yaml"))).internal.redactions.list()).length > 0, true);
  for (const { snapshot } of [first, second]) {
    const at = `/at/${snapshot}`;
    for (const path of ["/objects/notes/flower.md", "/object/notes/flower.md/", "/api/cubs/CUB-0002"]) {
      const answer = await ask(view, at + path);
      assert.equal(answer.status, 410, path);
      assert.match(answer.text, path.includes("CUB") ? /Wrong\./ : /Somebody asked\./);
    }
    assert.equal((await ask(view, `${at}/claims/gone/`)).status, 451);
    assert.equal((await ask(view, `${at}/objects/notes/other.md`)).status, 200);
    assert.ok((await ask(view, `${at}/api/archive.tar`)).status >= 410, "and no archive that breaks off");
    const catalog = await ask(view, `${at}/api/catalog`);
    assert.deepEqual([catalog.status >= 410, /taken out of this snapshot\. The \w+ \S+ was withdrawn/.test(catalog.text)], [true, true]);
    for (const path of [
      "/",
      "/browse/notes/",
      "/api/catalog",
      "/api/claims",
      "/api/search?q=heliotrope",
      "/llms.txt",
      "/registry/",
      "/claims/",
    ])
      assert.doesNotMatch((await ask(view, at + path)).text, SECRET, path);
  }
  const blob = await ask(view, blobPath(digest));
  assert.equal(blob.status, 410);
  assert.ok(((await ask(view, "/shelf/redacted.json")).json() as string[]).includes(digest));
  const notice = (await ask(view, `/shelf/redacted/${digest}`)).text;
  assert.match(
    notice,
    new RegExp(`^library\\.example/shelf/redacted\\n${digest}\\n\\{.*Somebody asked.*\\}\\n\\n\u2014 library\\.example/shelf `),
  );
  for (const path of [
    "/api/changes?since=0",
    `/api/diff/${first.snapshot}/${third.snapshot}`,
    `/snapshots/${first.snapshot}..${third.snapshot}/`,
    "/feed.xml",
  ]) {
    const answer = await ask(view, path);
    assert.deepEqual([answer.status, SECRET.test(answer.text)], [200, false], path);
    assert.match(answer.text, /flower\.md/, path);
  }
  assert.equal((await ask(view, "/api/search?q=turn")).status, 200);
  assert.equal((await ask(view, `/at/${second.snapshot}/object/apart/turn.md/`)).status, 200, "pages that have nothing of it stay");

  const { dist } = await compileSite();
  const { public: shelf } = openShelves(await openConfig(join(room.dir, "proofshelf.yaml")));
  await exportView({ shelf, dist, dir: join(room.dir, "out") });
  assert.deepEqual(tellers(join(room.dir, "out")), []);
  assert.equal(readFileSync(join(room.dir, `out/shelf/redacted/${digest}`), "utf8"), notice);

  const verified = await room.verify("all");
  assert.deepEqual([countErrors(verified), [...new Set(verified.map(({ code }) => code))]], [0, ["redacted"]], JSON.stringify(verified));
  const mended = await repair(await openConfig(join(room.dir, "proofshelf.yaml")), SILENT);
  assert.deepEqual([mended.mended, mended.findings.map(({ severity }) => severity).includes("error")], [[], false]);
  assert.deepEqual(tellers(room.publicDir), [], "repair brings nothing back");
  assert.equal(room.cli("snapshots", "rollback", "2").status, 1);
  assert.equal(room.cli("prune", "--keep", "5").status, 0);
  await room.turn(4);
  assert.deepEqual(
    (await room.run()).notes.filter((note) => /redact/i.test(note)),
    [],
  );
});

test("a notice that is missing, forged or of another digest is damage", async (t) => {
  const room = await newRoom(t);
  await room.run();
  await room.withdraw(OBJECT);
  await room.run();
  const errors = async (): Promise<readonly string[]> =>
    (await room.verify("all")).filter(({ severity }) => severity === "error").map(({ code, detail }) => `${code} ${detail}`);
  assert.deepEqual(await errors(), []);
  const folder = join(room.publicDir, "redacted");
  const digest = await blobOf(room, 1, "objects/notes/flower.md");
  const file = join(folder, digest);
  const notice = readFileSync(file, "utf8");
  writeFileSync(file, notice.replace("Somebody", "Nobody"));
  assert.match((await errors()).join(), /The signature of library\.example\/shelf .* is not of this text/);
  writeFileSync(file, notice.slice(0, notice.indexOf("\n\n") + 1));
  assert.match((await errors()).join(), /No key of the log signed the notice/);
  writeFileSync(file, readFileSync(join(folder, readdirSync(folder).find((name) => name !== digest) ?? "")));
  assert.match((await errors()).join(), /is of another digest/);
  rmSync(file);
  assert.match((await errors()).join(), /blob_missing/);
});

test("bytes that something else has stay and are told, come back under no other name, and come back when it is taken back", async (t) => {
  const room = await newRoom(t);
  const text = readFileSync(join(room.dir, "library/notes/flower.md"));
  await writeFiles(room.dir, [["library/notes/copy.md", text]]);
  await room.run();
  await room.withdraw(OBJECT);
  const shared = await room.run();
  assert.match(shared.notes.join("\n"), /stay, because something that is not withdrawn has them too: "notes\/flower\.md"/);
  assert.equal((await ask(await room.view(), "/objects/notes/copy.md")).status, 200);
  assert.equal(countErrors(await room.verify("current")), 0);
  await room.withdraw(OBJECT + OBJECT.replace("flower", "copy"));
  await room.run();
  assert.deepEqual(tellers(room.publicDir, OWN), []);
  await writeFiles(room.dir, [["library/notes/again.md", text]]);
  const again = await room.run();
  assert.match(
    again.rejected.map(({ key, reason }) => `${key} ${reason}`).join(),
    /notes\/again\.md its bytes are those of something that is withdrawn and redacted/,
  );
  assert.deepEqual(tellers(room.publicDir, OWN), []);
  rmSync(join(room.dir, "library/notes/again.md"));
  await room.withdraw(OBJECT.replace("flower", "copy").replace(", redact: true", ""));
  const back = await room.run("notes/flower.md");
  const view = await room.view();
  assert.match((await ask(view, "/objects/notes/flower.md")).text, SECRET);
  assert.equal((await ask(view, blobPath(await blobOf(room, back.sequence, "objects/notes/flower.md")))).status, 200);
  assert.equal(countErrors(await room.verify("current")), 0);
  assert.equal(countErrors(await room.verify("all")), 0);
});

test("a build that ends on the way is made up by the next one", async (t) => {
  const room = await newRoom(t);
  await room.run();
  await room.withdraw(OBJECT);
  // Vectors that are being made keep what they read from being removed.
  const { withBuildLock } = await import("./lock.ts");
  const { vectorsDir } = await import("./shelves.ts");
  const shelves = openShelves(await openConfig(join(room.dir, "proofshelf.yaml")));
  const held = await withBuildLock(vectorsDir(shelves), () => room.run());
  assert.match(held.notes.join(), /still on the shelf, because vectors are being made/);
  assert.notDeepEqual(tellers(room.publicDir, OWN), []);
  const next = await room.run();
  assert.deepEqual([next.published, tellers(room.publicDir, OWN)], [false, []]);
  assert.equal((await room.run()).work.indexed, 0);
});

test("notices are signed again by the key that signs the log from now on, and gated bytes that lie in public have none there", async (t) => {
  const room = await newRoom(t);
  const signed = readFileSync(join(room.dir, "proofshelf.yaml"), "utf8");
  // The same bytes under a public name that is gone, and under a gated one that is redacted.
  const text = "# Shared\n\nOnce in public, and in a draft.\n";
  await writeFiles(room.dir, [
    ["proofshelf.yaml", signed.replace(/^log:.*\n/m, "")],
    ["library/apart/shared.md", text],
  ]);
  delete process.env["LOG_KEY"];
  t.after(() => (process.env["LOG_KEY"] = PAIR.privateKey));
  await room.run();
  rmSync(join(room.dir, "library/apart/shared.md"));
  await room.withdraw(OBJECT);
  await room.run();
  const folder = join(room.publicDir, "redacted");
  const unsigned = readdirSync(folder);
  assert.ok(unsigned.every((name) => !readFileSync(join(folder, name), "utf8").includes("\u2014")));
  process.env["LOG_KEY"] = PAIR.privateKey;
  await writeFiles(room.dir, [["proofshelf.yaml", signed]]);
  await room.run();
  assert.deepEqual(readdirSync(folder), unsigned);
  assert.ok(unsigned.every((name) => readFileSync(join(folder, name), "utf8").includes("\u2014 library.example/shelf ")));
  assert.equal(countErrors(await room.verify("all")), 0);
  await writeFiles(room.dir, [["library/drafts/shared.md", text]]);
  await room.withdraw(OBJECT + HIDDEN.replace("hidden", "shared"));
  await room.run();
  assert.deepEqual(tellers(room.publicDir, /drafts\/shared|A gated one/), []);
});

test("whenever a build is killed, the next one redacts what it left", async (t) => {
  const room = await newRoom(t);
  await room.run();
  await room.withdraw(OBJECT);
  for (const earliest of [1000, 2000, 3000]) {
    const child = spawn(process.execPath, [CLI, "build", "--config", join(room.dir, "proofshelf.yaml")], { stdio: "ignore" });
    const ended = new Promise((resolve) => child.on("exit", resolve));
    setTimeout(() => child.kill("SIGKILL"), earliest + Math.random() * 1000);
    await ended;
    assert.equal(countErrors(await room.verify("current")), 0);
  }
  await room.run();
  assert.deepEqual(tellers(room.publicDir, OWN), []);
  assert.equal(countErrors(await room.verify("all")), 0);
});

/** Copies of a public shelf: that they answer as the origin does, and that an origin which lies is refused by name, whatever it does. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../../snapshots/digest.ts";
import { blobPath, objectPath, pagePath } from "../../../snapshots/format/layout.ts";
import { formatCheckpoint, formatHead, parseCheckpoint } from "../../../snapshots/log/checkpoint.ts";
import { generateKey, parseKey, parseSigningKey, signNote } from "../../../snapshots/log/note.ts";
import { reachable } from "../../../snapshots/shelf/reach.ts";
import { openDirectoryShelf } from "../../../snapshots/shelf/shelf-directory.ts";
import { verifyShelf } from "../../../snapshots/service/verify.ts";
import { SILENT } from "../../testing/library.ts";
import { type Asked, ask, openFixtureView } from "../../testing/view.ts";
import { openConfig } from "../../config/config.ts";
import type { View } from "../../../snapshots/http/view.ts";
import { exportView } from "../export/export.ts";
import { open as openCheck } from "../registry/attest.ts";
import { openRegistrySources } from "../registry/config.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { openStaticServer } from "../../../snapshots/contract/static-server.ts";
import { mirror, type Mirrored } from "./mirror.ts";
import { type Library, libraryAt, type Lie, openLibrary, PAIR, serveLies, temporary } from "./mirror-fixture.ts";
import { openOrigin } from "./origin.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const IMPATIENT = { wait: 400, rate: 64 * 1024 * 1024 };

/** A signed check of a proof: the demo's. */
const CHECKS = fileURLToPath(new URL("../../demo/library/checks/", import.meta.url));
const CHECK = readFileSync(join(CHECKS, readdirSync(CHECKS)[0] ?? ""), "utf8");

const home = temporary("mirror");
let library: Library;
let view: View;
let lie: Lie | null = null;
let server: Awaited<ReturnType<typeof serveLies>>;
/** The library as it was with two publications, and another one that went on otherwise from there. */
let older: View;
let fork: View;
let current: View;

before(async () => {
  library = await openLibrary(join(home.dir, "library"), 2);
  for (const name of ["older", "fork"]) cpSync(library.dir, join(home.dir, name), { recursive: true });
  const other = libraryAt(join(home.dir, "fork"));
  await other.write({ "library/notes/a.md": "# A note\n\nThat others are told.\n" });
  await other.publish();
  await library.write({
    "library/notes/a.md": "# A note\n\nOf the third day.\n",
    "library/notes/new.md": "# New\n",
    "library/notes/check.json": CHECK,
  });
  await library.publish();
  view = await library.view();
  older = await libraryAt(join(home.dir, "older")).view();
  fork = await other.view();
  current = view;
  server = await serveLies(
    () => current,
    () => lie,
  );
});
after(async () => {
  delete process.env["LOG_KEY"];
  await server.close();
  home.remove();
});

async function copy(dir: string, options: { url?: string; key?: string; patience?: typeof IMPATIENT } = {}): Promise<Mirrored> {
  const origin = openOrigin(options.url ?? server.url, { patience: options.patience });
  try {
    return await mirror(origin, { dir, key: options.key === undefined ? null : parseKey(options.key), progress: SILENT });
  } finally {
    await origin.close();
  }
}

function newDir(t: TestContext): string {
  const { dir, remove } = temporary("copy");
  t.after(() => {
    lie = null;
    current = view;
    remove();
  });
  return dir;
}

/** Every public file route, and the history's pages. */
async function targets(of: View): Promise<string[]> {
  const { snapshot } = (await of.current()) ?? assert.fail("it serves");
  const { objects } = await snapshot.data();
  const records = await of.records();
  const names = [
    "/",
    "/snapshots/",
    "/api/catalog",
    "/api/catalog/notes",
    "/api/claims",
    "/api/cubs.json",
    "/api/cubs/meta",
    "/api/cubs/CUB-0001",
    "/api/cubs/CUB-0001/code",
    "/api/rejected",
    "/api/openapi.json",
    "/llms.txt",
    "/llms-full.txt",
    "/sitemap.xml",
    "/robots.txt",
    "/api/list",
    "/api/proofs/notes/a.md",
    "/registry/",
    "/claims/",
  ];
  const shelf = [
    "checkpoint",
    "keys.json",
    "snapshots.json",
    "withdrawn.json",
    "tile/0/000.p/1",
    "tile/0/000.p/2",
    "tile/entries/000.p/1",
    "tile/entries/000.p/3",
  ];
  const blobs = new Set<string>();
  for (const record of records) for (const digest of await reach(of, record.snapshot)) blobs.add(digest);
  return [
    ...names,
    ...objects.flatMap(({ key }) => [objectPath(key), pagePath.object(key)]),
    ...shelf.map((path) => `/shelf/${path}`),
    ...records.flatMap(({ sequence, snapshot: id }) => [
      `/shelf/snapshots/${sequence}.json`,
      `/shelf/checkpoints/${sequence}`,
      `/shelf/changes/${sequence}.json`,
      `/at/${id}/`,
      `/at/${id}/api/proofs/notes/a.md`,
    ]),
    ...[...blobs].map(blobPath),
  ];
}
async function reach(of: View, id: string): Promise<ReadonlySet<string>> {
  return reachable(of.options.shelf, [id]);
}

/** What the origin answers, asked once. */
const answers = new Map<string, Asked>();
async function originAnswers(): Promise<ReadonlyMap<string, Asked>> {
  if (answers.size === 0) for (const target of await targets(view)) answers.set(target, await ask(view, target));
  return answers;
}

async function sameAnswers(dir: string): Promise<void> {
  const mine = await openFixtureView(await openConfig(join(dir, "proofshelf.yaml"), { checkSources: false }));
  for (const [target, wanted] of await originAnswers()) {
    const found = await ask(mine, target);
    assert.deepEqual([found.status, found.headers], [wanted.status, wanted.headers], target);
    assert.ok(found.body.equals(wanted.body), target);
  }
  assert.equal((await ask(mine, "/api/search?q=third")).status, 200);
  assert.match((await ask(mine, "/api/search?q=third")).text, /notes\/a\.md/);
  assert.deepEqual(
    (await verifyShelf({ public: openDirectoryShelf(join(dir, "public")), internal: null, snapshots: "all" })).filter(
      ({ severity }) => severity === "error",
    ),
    [],
  );
}

/** The copy serves what it served: nothing half-written. */
async function stillServes(dir: string, sequence: number | null): Promise<void> {
  const shelf = openDirectoryShelf(join(dir, "public"));
  assert.equal((await shelf.readPointer())?.sequence ?? null, sequence);
  if (sequence === null) return;
  const findings = await verifyShelf({ public: shelf, internal: null, snapshots: "all" });
  assert.deepEqual(
    findings.filter(({ severity }) => severity === "error"),
    [],
  );
}

test("a copy answers every public file route byte for byte, and a second run fetches nothing that it has", async (t) => {
  const dir = newDir(t);
  const first = await copy(dir, { key: PAIR.publicKey });
  assert.deepEqual([first.sequence, first.snapshots, first.moved], [3, 3, true]);
  await sameAnswers(dir);
  server.asked.length = 0;
  const again = await copy(dir);
  assert.deepEqual([again.blobs, again.moved], [0, false]);
  assert.ok(!server.asked.some((path) => path.startsWith("/shelf/blobs/")), server.asked.join());
});

test("a copy brings checks of proofs along, and whoever trusts their key believes them there as at the origin", async (t) => {
  const dir = newDir(t);
  await copy(dir);
  const mine = await openFixtureView(await openConfig(join(dir, "proofshelf.yaml"), { checkSources: false }));
  const found = await ask(mine, `/api/digests/${sha256(CHECK)}`);
  const [{ key = "" } = {}] = (JSON.parse(found.text) as { objects: { key: string }[] }).objects;
  const { body } = await ask(mine, `/objects/${key}`);
  const { trust } = openRegistrySources(fileURLToPath(new URL("../../demo/registry.yaml", import.meta.url))).checks;
  const opened = openCheck(body, trust.map(parseKey));
  assert.ok("statement" in opened && opened.counted && opened.signers[0]?.startsWith("demo.recheck.example"));
  const stranger = openCheck(body, [parseKey(generateKey("elsewhere.example").publicKey)]);
  assert.ok("statement" in stranger && !stranger.counted, "and whoever does not, counts it for nothing");
});

test("a copy that follows fetches what is new, and forgets what was pruned or gated", async (t) => {
  const dir = newDir(t);
  const own = await openLibrary(join(dir, "own"));
  const shown = await own.view();
  current = shown;
  const to = join(dir, "copy");
  await copy(to);
  await own.write({ "library/notes/new.md": "# New\n" });
  await own.publish();
  const { blobs } = await copy(to);
  assert.ok(blobs > 0 && blobs < 60, `${blobs}`);
  const text = readFileSync(join(own.dir, "proofshelf.yaml"), "utf8");
  await own.write({ "proofshelf.yaml": text.replace("title: Plans, visibility: public", "title: Plans, visibility: email-gated") });
  await own.publish();
  await copy(to);
  const shelf = openDirectoryShelf(join(to, "public"));
  assert.equal(await shelf.getBlob(sha256("# The plan of the year\n\nPublic at first.\n")), null);
  assert.deepEqual(
    (await shelf.history.listRecords()).map(({ sequence }) => sequence),
    [3],
  );
  const mine = await openFixtureView(await openConfig(join(to, "proofshelf.yaml"), { checkSources: false }));
  const anew = await own.view();
  for (const target of ["/snapshots/", "/shelf/withdrawn.json", "/shelf/changes/1.json", "/shelf/changes/3.json", "/"])
    assert.equal((await ask(mine, target)).text, (await ask(anew, target)).text, target);
});

test("a copy of an export is a copy, too", async (t) => {
  const dir = newDir(t);
  const { dist } = await compileSite();
  await exportView({ shelf: view.options.shelf, dist, dir: join(dir, "out") });
  const host = await openStaticServer(join(dir, "out"));
  t.after(() => host.close());
  await copy(join(dir, "copy"), { url: host.url });
  await sameAnswers(join(dir, "copy"));
});

const flip = (bytes: Buffer): Buffer => {
  const changed = Buffer.from(bytes);
  changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
  return changed;
};
const at =
  (path: RegExp | string, to: (bytes: Buffer) => Buffer | null): Lie =>
  (asked, bytes) =>
    (typeof path === "string" ? asked === path : path.test(asked)) ? to(bytes) : bytes;
const resigned = (bytes: Buffer, key: string, size?: number): Buffer => {
  const head = parseCheckpoint(bytes);
  const next = { ...head, size: size ?? head.size };
  return Buffer.from(formatCheckpoint(next, [signNote(formatHead(next), parseSigningKey(key))]));
};
const OTHER = generateKey("library.example/shelf");
const json = (change: (value: never) => unknown) => (bytes: Buffer) =>
  Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString()) as never)));

/** What an origin does, and what is said of it. */
const LIES: readonly (readonly [name: string, lie: () => Lie, said: RegExp])[] = [
  ["a blob with another byte", () => at(/^\/shelf\/blobs/, flip), /another digest/],
  ["a blob cut short", () => at(blobPath(sha256("# New\n")), (bytes) => bytes.subarray(0, 3)), /3 bytes with another digest/],
  ["a blob that is longer", () => at(blobPath(sha256("# New\n")), (bytes) => Buffer.concat([bytes, bytes])), /goes on beyond the 6 bytes/],
  ["a blob that is missing", () => at(blobPath(sha256("# New\n")), () => null), /is missing/],
  ["a checkpoint with another root", () => at("/shelf/checkpoint", flip), /is refused/],
  [
    "a checkpoint that another key signed",
    () => at("/shelf/checkpoint", (bytes) => resigned(bytes, OTHER.privateKey)),
    /No key of the log signed/,
  ],
  [
    "a checkpoint of more entries than there are",
    () => at("/shelf/checkpoint", (bytes) => resigned(bytes, PAIR.privateKey, 4)),
    /missing|entries/,
  ],
  ["a checkpoint of a megabyte", () => at("/shelf/checkpoint", () => Buffer.alloc(1024 * 1024, "a")), /goes on beyond/],
  [
    "a checkpoint with a control character",
    () => at("/shelf/checkpoint", (bytes) => Buffer.from(bytes.toString().replace("\n3\n", "\n3\u0000\n"))),
    /control character/,
  ],
  [
    "17 signatures",
    () =>
      at("/shelf/checkpoint", (bytes) => Buffer.from(`${bytes.toString()}${`${bytes.toString().trim().split("\n").at(-1)}\n`.repeat(16)}`)),
    /17 signatures/,
  ],
  ["no checkpoint", () => at("/shelf/checkpoint", () => null), /No proofshelf library is served at http/],
  ["entries that were exchanged", () => at(/^\/shelf\/tile\/entries/, flip), /checkpoint is not over|fork|no record/],
  ["entries that are short", () => at(/^\/shelf\/tile\/entries/, (bytes) => bytes.subarray(0, bytes.length - 1)), /entries, not 3/],
  ["entries that go on", () => at(/^\/shelf\/tile\/entries/, (bytes) => Buffer.concat([bytes, bytes])), /goes on behind/],
  ["no entries", () => at(/^\/shelf\/tile\/entries/, () => null), /missing/],
  [
    "a snapshot that never was",
    () =>
      at(
        "/shelf/snapshots.json",
        json(() => [1, 2, 9]),
      ),
    /not what such a file says/,
  ],
  [
    "snapshots out of order",
    () =>
      at(
        "/shelf/snapshots.json",
        json(() => [2, 1, 3]),
      ),
    /not ascending/,
  ],
  [
    "snapshots without the newest",
    () =>
      at(
        "/shelf/snapshots.json",
        json(() => [1, 2]),
      ),
    /does not keep snapshot 3/,
  ],
  ["no list of snapshots", () => at("/shelf/snapshots.json", () => null), /is missing/],
  [
    "a withdrawal that was made up",
    () =>
      at("/shelf/withdrawn.json", () =>
        Buffer.from(`[{"created":"2026-01-01T00:00:00Z","inputs":{},"previous":null,"sequence":2,"snapshot":"${"a".repeat(64)}"}]`),
      ),
    /its log does not have/,
  ],
  [
    "changes that were not",
    () =>
      at(
        "/shelf/changes/3.json",
        json((value: { added: { objects: string[] } }) => ({ ...value, added: { ...value.added, objects: [] } })),
      ),
    /changes\/3\.json is not what that publication changed/,
  ],
  [
    "an old head that was exchanged",
    () => at("/shelf/checkpoints/2", (bytes) => Buffer.from(formatHead({ ...parseCheckpoint(bytes), root: Buffer.alloc(32) }))),
    /not the beginning of its log/,
  ],
  [
    "keys that say another beginning",
    () => at("/shelf/keys.json", () => Buffer.from(`[{"first":2,"key":"${PAIR.publicKey}"}]`)),
    /checkpoint of 1 entry is not signed as its keys\.json says/,
  ],
  ["keys that are none", () => at("/shelf/keys.json", () => Buffer.from("{}")), /keys\.json/],
];

test("an origin that lies is refused and named; nothing is served of it, and the truth is copied afterwards", async (t) => {
  const dir = newDir(t);
  for (const [name, make, said] of LIES) {
    lie = make();
    const [ended] = await Promise.allSettled([copy(dir)]);
    assert.equal(ended?.status, "rejected", name);
    const { code, message } = ended.reason as Error & { code?: string };
    // Where nothing has been copied, nobody knows that there is a library at all.
    const expected = name === "no checkpoint" ? "origin_unreachable" : "origin_refused";
    assert.deepEqual([code, said.test(message)], [expected, true], `${name}: ${message}`);
    await stillServes(dir, null);
  }
  // What follows from the snapshots is not missed.
  lie = at("/shelf/changes/2.json", () => null);
  await copy(dir);
  await stillServes(dir, 3);
});

test("an origin that stalls, breaks off or never ends is left, and the copy stays", async (t) => {
  const dir = newDir(t);
  const ways: readonly (readonly [string, Lie, string])[] = [
    ["says nothing", (path, bytes) => (path.startsWith("/shelf/blobs") ? "done" : bytes), "origin_unreachable"],
    [
      "stops in the middle",
      (path, bytes, response) => {
        if (!path.startsWith("/shelf/blobs")) return bytes;
        response.writeHead(200, { "Content-Length": bytes.length });
        response.write(bytes.subarray(0, 1));
        return "done";
      },
      "origin_unreachable",
    ],
    [
      "breaks off",
      (path, bytes, response) => {
        if (!path.startsWith("/shelf/blobs")) return bytes;
        response.writeHead(200, { "Content-Length": bytes.length + 9 });
        response.write(bytes, () => response.destroy());
        return "done";
      },
      "origin_unreachable",
    ],
    [
      "sends drops",
      (path, bytes, response) => {
        if (path !== "/shelf/checkpoint") return bytes;
        const timer = setInterval(() => response.write("a"), 50);
        response.on("close", () => clearInterval(timer));
        return "done";
      },
      "origin_unreachable",
    ],
    [
      "never ends",
      (path, bytes, response) => {
        if (path !== "/shelf/withdrawn.json") return bytes;
        const flood = (): void => {
          while (response.write(Buffer.alloc(64 * 1024)));
        };
        response.on("drain", flood);
        flood();
        return "done";
      },
      "origin_refused",
    ],
    [
      "leads elsewhere",
      (path, bytes, response) => {
        if (!path.startsWith("/shelf/")) return bytes;
        response.writeHead(302, { Location: "http://127.0.0.1:9/" });
        response.end();
        return "done";
      },
      "origin_refused",
    ],
    [
      "is broken",
      (_, __, response) => {
        response.writeHead(503);
        response.end();
        return "done";
      },
      "origin_unreachable",
    ],
  ];
  for (const [name, way, code] of ways) {
    lie = way;
    // What floods is refused for what it has sent, not for how long it took.
    await assert.rejects(copy(dir, code === "origin_unreachable" ? { patience: IMPATIENT } : {}), { code }, name);
    await stillServes(dir, null);
  }
  await assert.rejects(copy(dir, { url: "http://127.0.0.1:9" }), { code: "origin_unreachable" });
});

test("an older head, a fork, and a mirror that switches between two are refused; so is a key that changes unasked", async (t) => {
  const dir = newDir(t);
  await copy(dir);
  current = older;
  await assert.rejects(copy(dir), { code: "origin_refused", message: /older head: 2 entries, and 3 were seen/ });
  current = fork;
  await assert.rejects(copy(dir), { code: "origin_refused", message: /fork/ });
  lie = at("/shelf/checkpoint", (bytes) => {
    const head = { ...parseCheckpoint(bytes), origin: "other.example" };
    return Buffer.from(formatCheckpoint(head, [signNote(formatHead(head), parseSigningKey(PAIR.privateKey))]));
  });
  current = view;
  await assert.rejects(copy(dir), { code: "origin_refused", message: /another log: "other.example"/ });
  // Its checkpoint is one's, its entries are the other's.
  current = view;
  lie = async (path, bytes) => (path.startsWith("/shelf/tile/") ? (await ask(fork, path)).body : bytes);
  await assert.rejects(copy(newDir(t)), { code: "origin_refused", message: /fork, or they were exchanged/ });
  lie = null;

  const two = join(dir, "two");
  current = older;
  await copy(two);
  current = fork;
  await copy(two);
  current = view;
  await assert.rejects(copy(two), { code: "origin_refused", message: /fork/ });
  await stillServes(two, 3);

  const again = join(dir, "again");
  current = older;
  lie = null;
  await copy(again);
  current = view;
  lie = (path, bytes) => {
    if (path === "/shelf/checkpoint") return resigned(bytes, OTHER.privateKey);
    return path === "/shelf/keys.json"
      ? Buffer.from(`[{"first":1,"key":"${PAIR.publicKey}"},{"first":3,"key":"${OTHER.publicKey}"}]`)
      : bytes;
  };
  await assert.rejects(copy(again), { code: "origin_refused", message: /another key signs its log now/ });
  await copy(again, { key: OTHER.publicKey });
  await stillServes(again, 3);
});

test("a folder of somebody's own is left alone, and two runs at once are one", async (t) => {
  const dir = newDir(t);
  await assert.rejects(copy(library.dir), { code: "bad_config" });
  await assert.rejects(copy(join(library.dir, "shelf")), { code: "bad_config" });
  const results = await Promise.allSettled([copy(dir), copy(dir)]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const failed = results.flatMap((one) => (one.status === "rejected" ? [(one.reason as { code: string }).code] : []));
  assert.deepEqual(failed, ["build_running"]);
  await stillServes(dir, 3);
});

test("a run that is killed leaves what was served, and the next one goes on", async (t) => {
  const dir = newDir(t);
  current = older;
  await copy(dir);
  current = view;
  // Killed behind one of its requests: among the blobs, and later.
  for (const kill of [9, 25]) {
    let count = 0;
    let child: ChildProcess | null = null;
    const ended = new Promise<void>((resolve) => {
      lie = (_, bytes) => {
        if (++count === kill) child?.kill("SIGKILL");
        return bytes;
      };
      child = spawn(process.execPath, [CLI, "mirror", server.url, dir, "--quiet"], { stdio: "ignore" });
      child.on("exit", () => resolve());
    });
    await ended;
    const { sequence } = (await openDirectoryShelf(join(dir, "public")).readPointer()) ?? assert.fail("it serves");
    assert.ok(sequence === 2 || sequence === 3);
    await stillServes(dir, sequence);
  }
  lie = null;
  await copy(dir);
  await sameAnswers(dir);
  assert.ok(!existsSync(join(dir, "public/tmp")) || readdirSync(join(dir, "public/tmp")).length === 0);
  rmSync(dir, { recursive: true });
});

/** A copy that follows its origin, both as processes of their own: what is published, what is redacted, and an origin that turns into a fork. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { blobPath } from "../../../snapshots/format/layout.ts";
import { sha256 } from "../../../snapshots/digest.ts";
import { generateKey, parseKey, parseSigningKey } from "../../../snapshots/log/note.ts";
import { formatRedaction } from "../../../snapshots/shelf/redactions.ts";
import { openConfig } from "../../config/config.ts";
import { SILENT } from "../../testing/library.ts";
import { CLI, startServing } from "../../testing/serving-process.ts";
import { until } from "../../testing/until.ts";
import { filesUnder } from "../../testing/shelf-files.ts";
import { countErrors } from "../../publish/verify-library.ts";
import { audit } from "./audit.ts";
import { mirror } from "./mirror.ts";
import { FLOWER, type Library, libraryAt, type Lie, openLibrary, PAIR, serveLies, temporary } from "./mirror-fixture.ts";
import { openOrigin } from "./origin.ts";
import { verifyLibrary } from "../../testing/whole.ts";

const SECRET = /heliotrope/i;
const NOTICE = "withdrawals:\n  - { key: notes/flower.md, reason: legal, date: 2026-05-01, note: By order., redact: true }\n";
/** Runs of a copy: about one a second. */
const EVERY = "0.015m";

const home = temporary("following");
let library: Library;
before(async () => {
  library = await openLibrary(join(home.dir, "library"));
});
after(() => {
  delete process.env["LOG_KEY"];
  home.remove();
});

const configOf = (dir: string): string => join(dir, "proofshelf.yaml");

function tellers(dir: string): string[] {
  return [...filesUnder(dir)]
    .filter(({ bytes }) => SECRET.test((bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("latin1")))
    .map(({ path }) => path);
}

/** Files may go while they are looked through: then nobody knows yet. */
function isClean(dir: string): boolean {
  try {
    return tellers(dir).length === 0;
  } catch {
    return false;
  }
}

test("a copy follows what is published and what is redacted, and stays when its origin turns into a fork", async (t) => {
  const fork = join(home.dir, "fork");
  let origin = await startServing(["--only", "site", "--config", configOf(library.dir)]);
  const { port } = new URL(origin.url);
  const dir = join(home.dir, "copy");
  const following: ChildProcess = spawn(process.execPath, [
    CLI,
    "mirror",
    origin.url,
    dir,
    "--every",
    EVERY,
    "--key",
    PAIR.publicKey,
    "--quiet",
  ]);
  let said = "";
  following.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  t.after(async () => {
    following.kill("SIGKILL");
    await origin.stop();
  });
  const served = (): number => {
    const path = join(dir, "public/current.json");
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { sequence: number }).sequence : 0;
  };
  const serves = (sequence: number): Promise<void> => until(`the copy serves ${sequence}: ${said}`, () => served() === sequence);
  await serves(1);
  for (const day of [2, 3]) {
    await library.write({ "library/notes/a.md": `# A note\n\nOf day ${day}.\n` });
    await library.publish();
    await serves(day);
  }
  assert.notDeepEqual(tellers(join(dir, "public")), []);
  cpSync(library.dir, fork, { recursive: true });
  await library.write({ "withdrawals.yaml": NOTICE });
  await library.publish();
  await serves(4);
  const notices = join(dir, "public/redacted");
  await until(
    "the notices are there",
    () => existsSync(notices) && readdirSync(notices).length === readdirSync(join(library.dir, "shelf/public/redacted")).length,
  );
  await until("the bytes are gone", () => isClean(join(dir, "public")));

  const copy = await startServing(["--only", "site", "--config", configOf(dir)]);
  t.after(() => copy.stop());
  const { snapshot } = JSON.parse(readFileSync(join(dir, "public/snapshots/1.json"), "utf8")) as { snapshot: string };
  for (const path of [`/at/${snapshot}/objects/notes/flower.md`, "/objects/notes/flower.md", blobPath(sha256(FLOWER))])
    assert.deepEqual([(await fetch(copy.url + path)).status, (await fetch(origin.url + path)).status], [451, 451], path);
  for (const url of [origin.url, copy.url]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, "audit", url, "--key", PAIR.publicKey, "--quiet"], {
      encoding: "utf8",
    });
    assert.deepEqual([status, /\d+ files of earlier snapshots are redacted, each with a notice/.test(stdout)], [0, true], stdout + stderr);
  }
  const findings = await verifyLibrary(await openConfig(configOf(dir), { checkSources: false }), { snapshots: "all" });
  assert.deepEqual([countErrors(findings), findings.map(({ code }) => code)], [0, ["redacted"]], JSON.stringify(findings));

  const forked = libraryAt(fork);
  await forked.write({ "library/notes/a.md": "# A note\n\nOf another day.\n" });
  await forked.publish();
  await origin.stop();
  said = "";
  origin = await startServing(["--only", "site", "--config", configOf(fork), "--port", port]);
  await until(`the fork is refused: ${said}`, () => /it serves a fork|is refused/.test(said));
  assert.equal(served(), 4);
  following.kill("SIGKILL");
  assert.equal(
    JSON.parse(readFileSync(join(dir, "public/current.json"), "utf8")).snapshot,
    (await library.view().then((view) => view.current()))?.snapshot.id,
  );
});

test("an origin that takes out what it serves, or what its key does not answer for, is refused", async (t) => {
  let lie: Lie | null = null;
  const view = await library.view();
  const server = await serveLies(
    () => view,
    () => lie,
  );
  t.after(() => server.close());
  const attempt = async (work: (origin: ReturnType<typeof openOrigin>) => Promise<unknown>): Promise<unknown> => {
    const origin = openOrigin(server.url);
    return work(origin)
      .catch((error: unknown) => error)
      .finally(() => origin.close());
  };
  const key = parseKey(PAIR.publicKey);
  const digest = sha256(FLOWER);
  const note = sha256("# A note\n\nOf day 3.\n");
  const notice = {
    what: "object",
    name: "notes/a.md",
    reason: "legal",
    date: "2026-05-01",
    note: "x",
    replacement: null,
    redacted: true,
  } as const;
  const by = (privateKey: string | null, of: string): Buffer =>
    Buffer.from(
      formatRedaction(of, notice, { origin: "library.example/shelf", key: privateKey === null ? null : parseSigningKey(privateKey) }),
    );
  const swap =
    (path: string, bytes: Buffer | null): Lie =>
    (asked, given) =>
      asked === path ? bytes : given;
  const lies: readonly (readonly [what: string, lie: Lie, said: RegExp])[] = [
    ["what is served", swap("/shelf/redacted.json", Buffer.from(JSON.stringify([note]))), /is redacted, and its snapshot has it/],
    ["no notice", swap(`/shelf/redacted/${digest}`, null), /has no notice of it/],
    ["nobody's notice", swap(`/shelf/redacted/${digest}`, by(null, digest)), /No key of the log signed/],
    [
      "another's notice",
      swap(`/shelf/redacted/${digest}`, by(generateKey("library.example/shelf").privateKey, digest)),
      /No key of the log signed/,
    ],
    ["a notice of something else", swap(`/shelf/redacted/${digest}`, by(PAIR.privateKey, note)), /of another digest/],
    ["no list", swap("/shelf/redacted.json", null), /is missing/],
  ];
  for (const [what, told, said] of lies) {
    lie = told;
    const copied = await attempt((origin) => mirror(origin, { dir: join(home.dir, `copy of ${what}`), key, progress: SILENT }));
    assert.match(String(copied), said, `mirror: ${what}`);
    if (what === "no list") continue;
    const audited = await attempt((origin) => audit(origin, { key, seen: null, since: null, sample: 0, full: false, progress: SILENT }));
    assert.match(String(audited), said, `audit: ${what}`);
  }
  lie = null;
  const full = await attempt((origin) => audit(origin, { key, seen: null, since: null, sample: 0, full: true, progress: SILENT }));
  assert.deepEqual((full as { lies: readonly string[] }).lies, []);
});

/** What is redacted leaves every byte of the public side: its own files, what was made of them in earlier snapshots, and the index. The trees
 *  stay, with a signed notice in the place of each blob. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { blobPath } from "../../../snapshots/format/layout.ts";
import { openConfig } from "../../config/config.ts";
import { SILENT } from "../../testing/library.ts";
import { ask } from "../../testing/view.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { exportView } from "../export/export.ts";
import { countErrors } from "../../publish/verify-library.ts";
import { HIDDEN, OBJECT, OWN, SECRET, blobOf, newRoom, tellers } from "./redacted-fixture.ts";
import { openShelves, repair } from "../../testing/whole.ts";

const CLAIM = "  - { claim: gone, reason: legal, date: 2026-05-03, note: By order of a court., redact: true }\n";

const RECORD = "  - { record: CUB-0002, reason: error, date: 2026-05-02, note: Wrong., redact: true }\n";

test("no byte of the public side says what was redacted, and its addresses in earlier snapshots have the notice", async (t) => {
  const room = await newRoom(t);
  const first = await room.run();
  await room.turn(2);
  const second = await room.run();
  const digest = await blobOf(room, 1, "objects/notes/flower.md");
  // A server that has been running all along, with everything of the old snapshots in memory.
  const view = await room.view();
  for (const path of [
    "/objects/notes/flower.md",
    "/api/catalog",
    "/object/notes/flower.md/",
    "/object/notes/flower.md/=p2/",
    "/claims/gone/",
    "/browse/notes/",
  ])
    assert.match((await ask(view, `/at/${first.snapshot}${path}`)).text, SECRET);
  assert.notDeepEqual(tellers(room.publicDir), []);

  await room.withdraw(OBJECT + CLAIM + RECORD + HIDDEN);
  const third = await room.run();
  assert.match(third.notes.join("\n"), /Redacted \d+ blobs of earlier snapshots/);
  assert.deepEqual(tellers(room.publicDir), [], "no byte in the public root");
  assert.deepEqual(
    tellers(join(room.dir, "shelf")),
    [],
    "nor in the internal one, nor in the last good copies of sources that have it still",
  );
  assert.match(third.notes.join("\n"), /Redacted, and left out, though the sources still have it: take it out of them, too.*CUB-0002/);
  assert.deepEqual(tellers(room.publicDir, /hidden\.md|A gated one/), [], "what is gated has no public notice");
  assert.deepEqual(tellers(join(room.dir, "shelf/internal"), /A draft of the year/), []);
  assert.equal((await openShelves(await openConfig(join(room.dir, "proofshelf.yaml"))).internal.redactions.list()).length > 0, true);
  for (const { snapshot } of [first, second]) {
    const at = `/at/${snapshot}`;
    for (const path of ["/objects/notes/flower.md", "/object/notes/flower.md/", "/object/notes/flower.md/=p2/", "/api/cubs/CUB-0002"]) {
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
  assert.equal((await room.cli("snapshots", "rollback", "2")).status, 1);
  assert.equal((await room.cli("prune", "--keep", "5")).status, 0);
  await room.turn(4);
  assert.deepEqual(
    (await room.run()).notes.filter((note) => /redacted (\d|blob)/i.test(note)),
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

test("a build that ends on the way is made up by the next one", async (t) => {
  const room = await newRoom(t);
  await room.run();
  await room.withdraw(OBJECT);
  // Vectors that are being made keep what they read from being removed.
  const { withBuildLock } = await import("../../files/lock.ts");
  const { vectorsDir } = await import("../../shelves/shelves.ts");
  const shelves = openShelves(await openConfig(join(room.dir, "proofshelf.yaml")));
  const held = await withBuildLock(vectorsDir(shelves), () => room.run());
  assert.match(held.notes.join(), /still on the shelf, because vectors are being made/);
  assert.notDeepEqual(tellers(room.publicDir, OWN), []);
  const next = await room.run();
  assert.deepEqual([next.published, tellers(room.publicDir, OWN)], [false, []]);
  assert.equal((await room.run()).work.indexed, 0);
});

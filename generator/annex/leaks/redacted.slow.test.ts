/** Redaction beside the same bytes elsewhere, under another key, and by builds that are killed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { blobPath } from "../../../snapshots/format/layout.ts";
import { openConfig } from "../../config/config.ts";
import { writeFiles } from "../../testing/library.ts";
import { ask } from "../../testing/view.ts";
import { countErrors } from "../../publish/verify-library.ts";
import { PLAIN_CLI } from "../../testing/serving-process.ts";
import { PAIR, SECRET, OWN, newRoom, tellers, OBJECT, HIDDEN, blobOf } from "./redacted-fixture.ts";
import { verifyLibrary } from "../../testing/whole.ts";

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
  const verify = async (snapshots: "current" | "all") => verifyLibrary(await openConfig(join(room.dir, "proofshelf.yaml")), { snapshots });
  await room.cli("build");
  await room.withdraw(OBJECT);
  for (const earliest of [600, 1200, 1800]) {
    const child = spawn(process.execPath, [PLAIN_CLI, "build", "--config", join(room.dir, "proofshelf.yaml")], { stdio: "ignore" });
    const ended = new Promise((resolve) => child.on("exit", resolve));
    setTimeout(() => child.kill("SIGKILL"), earliest + Math.random() * 600);
    await ended;
    assert.equal(countErrors(await verify("current")), 0);
  }
  await room.cli("build");
  assert.deepEqual(tellers(room.publicDir, OWN), []);
  assert.equal(countErrors(await verify("all")), 0);
});

/** What a public source once said of a gated file, in a snapshot that is kept. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeFiles } from "../../testing/library.ts";
import { runHere } from "../../testing/run-program.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { config, newRoom, tellers, verifyAll } from "./gating-fixture.ts";

for (const later of ["deleted", "edited"])
  test(`a public note that named a gated file makes no verification fail when it is ${later}`, async (t) => {
    const room = await newRoom(t);
    const library = join(room.dir, "library");
    const errors = async () => (await verifyAll(room.file)).filter(({ severity }) => severity === "error");
    await writeFiles(library, [["notes/links.md", "# Links\n\nSee [it](/plans/rare/heliotrope-garden.md).\n"]]);
    await room.run("email-gated");
    assert.deepEqual(await errors(), [], "while it stands there");
    if (later === "deleted") rmSync(join(library, "notes/links.md"));
    else await writeFiles(library, [["notes/links.md", "# Links\n\nNone any more.\n"]]);
    await room.run("email-gated");
    assert.deepEqual(await errors(), []);
    if (later === "edited") {
      await writeFiles(room.dir, [["proofshelf.yaml", `${config("email-gated")}keep: 1\n`]]);
      assert.equal((await runHere(["build", "--config", room.file])).status, 0);
      const told = (await verifyAll(room.file)).map(({ severity, code }) => [severity, code]);
      assert.deepEqual(told, [["warning", "leak_key"]], "after pruning by keep its rows are there until the next prune");
    }
    await runHere(["prune", "--keep", "1", "--config", room.file]);
    assert.deepEqual(await errors(), [], "and where no kept snapshot says it any more, no row of it is left");
  });

for (const by of ["prune", "keep of the configuration"])
  test(`what --keep-history let stay is in no row and no blob once its snapshot is pruned by ${by}`, async (t) => {
    const room = await newRoom(t);
    await room.run("public");
    await room.run("email-gated", { keepHistory: true });
    await room.turn(2);
    if (by === "prune") await runHere(["prune", "--keep", "1", "--config", room.file]);
    else {
      await writeFiles(room.dir, [["proofshelf.yaml", `${config("email-gated")}keep: 1\n`]]);
      assert.equal((await runHere(["build", "--config", room.file])).status, 0);
    }
    assert.deepEqual(tellers(join(room.dir, "shelf/public")), ["changes/1.json", "changes/2.json"], "that there was such a key is kept");
    assert.deepEqual(
      (await verifyAll(room.file)).filter(({ severity }) => severity === "error"),
      [],
    );
    const found = await ask(await openFixtureView(await room.open()), "/api/search?q=steady");
    assert.match(found.text, /notes\/steady\.md/);
  });

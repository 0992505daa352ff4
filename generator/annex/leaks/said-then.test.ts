/** What a public source once said of a gated file, in a snapshot that is kept. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeFiles } from "../../testing/library.ts";
import { runHere } from "../../testing/run-program.ts";
import { newRoom, verifyAll } from "./gating-fixture.ts";

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
    await runHere(["prune", "--keep", "1", "--config", room.file]);
    await runHere(["repair", "--config", room.file]);
    assert.deepEqual(await errors(), [], "and where no kept snapshot says it any more, repair leaves no row of it");
  });

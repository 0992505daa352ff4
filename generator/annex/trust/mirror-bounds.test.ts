/** What an origin may make a copy hold or write is bounded by the copy, and not by what the origin says. */
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { openDirectoryShelf } from "../../../snapshots/shelf/shelf-directory.ts";
import { SILENT } from "../../testing/library.ts";
import { attacks, entry, serveHostile } from "./hostile-origin-fixture.ts";
import { mirror } from "./mirror.ts";
import { temporary } from "./mirror-fixture.ts";
import { openOrigin } from "./origin.ts";

const MAX = 16 * 1024 * 1024;

for (const { name, root, answers, said } of attacks(30_000)) {
  test(`${name} is refused, and next to nothing of it is taken`, async (t) => {
    const home = temporary("bounds");
    const server = await serveHostile(join(home.dir, "origin"), root, answers);
    const origin = openOrigin(server.url, { maxBytes: MAX });
    t.after(async () => {
      await origin.close();
      await server.close();
      home.remove();
    });
    const dir = join(home.dir, "copy");
    await assert.rejects(mirror(origin, { dir, key: null, progress: SILENT }), { code: "origin_refused", message: said });
    assert.ok(origin.told.bytes <= MAX + 1024 * 1024, `${origin.told.bytes} bytes`);
    const left = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((path) => statSync(join(dir, path)));
    assert.ok(
      left.every(({ size }) => size < MAX / 2),
      "what was refused is left on the disk",
    );
  });
}

test("a long file goes to the disk as it comes, and only with its own bytes", async (t) => {
  const home = temporary("bounds");
  const long = Buffer.alloc(5 * 1024 * 1024, "long ");
  const other = Buffer.from(long).fill("x", 4_000_000, 4_000_001);
  const root = `[${entry("a.txt", sha256(long), long.length)}]`;
  const fetch = async (bytes: Buffer): Promise<unknown> => {
    const server = await serveHostile(join(home.dir, sha256(bytes)), root, { [sha256(long)]: { bytes } });
    const origin = openOrigin(server.url);
    try {
      // No library: what is fetched lies there before its index is made.
      return await mirror(origin, { dir: join(home.dir, "copy"), key: null, progress: SILENT }).catch((error: unknown) => error);
    } finally {
      await origin.close();
      await server.close();
    }
  };
  t.after(() => home.remove());
  for (const [bytes, said] of [
    [other, /another digest/],
    [long.subarray(1), /another digest/],
    [Buffer.concat([long, long]), /goes on beyond/],
  ] as const)
    assert.match(String(await fetch(bytes)), said);
  assert.equal(await openDirectoryShelf(join(home.dir, "copy/public")).hasBlob(sha256(long)), false);
  assert.doesNotMatch(String(await fetch(long)), /another digest|goes on beyond/);
  assert.ok(long.equals((await openDirectoryShelf(join(home.dir, "copy/public")).getBlob(sha256(long))) ?? Buffer.alloc(0)));
});

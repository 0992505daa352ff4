/** Exports beside each other: with and without the search, and with kept snapshots. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openStaticServer } from "../../../snapshots/contract/static-server.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { exportView } from "./export.ts";
import { openShelves } from "../../testing/whole.ts";
import { base, config, at, run, digestsUnder, withoutTemplates } from "./export-fixture.ts";

test("without the search every other file is the same", async () => {
  const bare = at("..", "no-search");
  const { files } = await run(bare, { withoutSearch: true });
  const [all, rest] = [digestsUnder(at()), digestsUnder(bare)];
  // Which files there are is what the list says.
  const isList = (path: string): boolean => path === ".proofshelf-export";
  assert.deepEqual(
    [...rest].filter(([path]) => !isList(path)),
    [...all].filter(([path]) => !isList(path) && !path.startsWith("pagefind/")),
  );
  assert.equal(files, rest.size);
});

test("kept snapshots lie under at/ when that is asked for, and every link of them leads to a file", async () => {
  const dir = join(base, "with-history");
  const whole = await exportView({ shelf: openShelves(config).public, dist: (await compileSite()).dist, dir, withHistory: true });
  assert.deepEqual(whole.skipped, []);
  const ids = readdirSync(join(dir, "at"));
  assert.equal(ids.length, 2);
  for (const id of ids) {
    for (const path of [
      "index.html",
      "claims/index.html",
      "api/catalog.json",
      "objects/notes/digests.md",
      "snapshots/index.html",
      "feed.xml",
    ])
      assert.ok(statSync(join(dir, "at", id, path)).isFile(), path);
  }
  assert.match(readFileSync(join(dir, "snapshots", "index.html"), "utf8"), /href="[^"]*\/at\/[0-9a-f]{64}\//);
  assert.doesNotMatch(readFileSync(at("snapshots", "index.html"), "utf8"), /\/at\//);
  const server = await openStaticServer(dir, "/some/library");
  try {
    for (const id of ids) {
      for (const path of ["", "claims/", "registry/", "browse/notes/", "snapshots/"]) {
        const url = `${server.url}at/${id}/${path}`;
        for (const [, value = ""] of withoutTemplates(await (await fetch(url)).text()).matchAll(/\s(?:href|src)="([^"#?]*)/g)) {
          const target = new URL(value.replaceAll("&#38;", "&"), url);
          if (target.href.startsWith(server.url)) assert.equal((await fetch(target)).status, 200, `${path} → ${value}`);
        }
      }
    }
  } finally {
    await server.close();
  }
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { openStaticServer } from "../../snapshots/contract/static-server.ts";
import { objectPath, pagePath } from "../../snapshots/format/layout.ts";
import { build } from "../build.ts";
import { openShelves } from "../shelves.ts";
import { compileSite } from "../pages/compile-site.ts";
import { type Config, openConfig } from "../config/config.ts";
import { isActive } from "./active-objects.ts";
import { type Exported, exportView } from "./export.ts";
import { HOSTILE_NAMES, SILENT, writeFiles, writeFixture } from "../fixtures/library.ts";

let base: string;
let config: Config;
let exported: Exported;
const at = (...names: string[]): string => join(base, "export", ...names);
before(async () => {
  base = mkdtempSync(join(tmpdir(), "proofshelf-export-"));
  config = await openConfig(await writeFixture(base));
  await build(config, { progress: SILENT });
  await writeFiles(join(base, "library"), [["notes/second.md", "# Second\n\nNew.\n"]]);
  await build(config, { progress: SILENT });
  exported = await run(at());
});
after(() => rmSync(base, { recursive: true, force: true }));

async function run(dir: string): Promise<Exported> {
  return exportView({ shelf: openShelves(config).public, dist: (await compileSite()).dist, dir });
}

function digestsUnder(dir: string): Map<string, string> {
  return new Map(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path): [string, string] => [path.slice(dir.length + 1), sha256(readFileSync(path))])
      .sort(),
  );
}

test("a folder that is somebody's own is never touched", async () => {
  const own = join(base, "own");
  mkdirSync(own);
  writeFileSync(join(own, "thesis.txt"), "years of work");
  await assert.rejects(run(own), (error: unknown) => error instanceof ShelfError && error.code === "build_failed");
  assert.deepEqual(readdirSync(own), ["thesis.txt"]);
  assert.deepEqual(
    readdirSync(base).filter((name) => name.startsWith(".")),
    [".export.versions"],
    "nothing is left beside it; the other one's is there",
  );
});

test("an export is the same each time, and a later one replaces it as a whole", async () => {
  assert.deepEqual(exported.skipped, []);
  const again = join(base, "again");
  await run(again);
  assert.deepEqual([...digestsUnder(again)], [...digestsUnder(at())]);
  writeFileSync(join(again, "stale.html"), "left from before");
  await run(again);
  assert.deepEqual([...digestsUnder(again)], [...digestsUnder(at())]);
});

test("objects are their bytes under their own names, however awkward, but for those that a host would have run", () => {
  for (const key of HOSTILE_NAMES) {
    const lies = isActive(key, new Uint8Array()) ? `${key}.txt` : key;
    assert.deepEqual(readFileSync(at("objects", lies)), readFileSync(join(base, "library", key)), key);
  }
});

test("the JSON routes are files that parse, with an ending where the route has none", () => {
  for (const name of [
    "catalog",
    "claims",
    "rejected",
    "capabilities",
    "openapi",
    "cubs",
    "cubs/meta",
    "cubs/CUB-0007",
    "cubs/CUB-0007/code",
    "list",
    "list/notes/index",
  ]) {
    JSON.parse(readFileSync(at(`api/${name}.json`), "utf8"));
  }
  const capabilities = JSON.parse(readFileSync(at("api/capabilities.json"), "utf8")) as { components: { name: string; status: string }[] };
  assert.ok(
    capabilities.components.some(({ name, status }) => name === "answers" && status === "unavailable"),
    "it does not promise what a folder cannot do",
  );
});

test("every link and every file that a page asks for is there, at the root of a host and in a folder of one", async () => {
  for (const place of ["", "/some/library"]) {
    const server = await openStaticServer(at(), place);
    try {
      const known = new Map<string, Promise<number>>();
      const statusOf = (url: string): Promise<number> => {
        let status = known.get(url);
        if (status === undefined) {
          status = fetch(url).then(async (response) => {
            await response.arrayBuffer();
            return response.status;
          });
          known.set(url, status);
        }
        return status;
      };
      // A host shows 404.html at any depth, so its links start at the folder that the configuration names: here the root.
      const pages = [...digestsUnder(at()).keys()].filter(
        (path) => path.endsWith(".html") && !path.startsWith("objects/") && (place === "" || path !== "404.html"),
      );
      assert.ok(pages.length > 150);
      let links = 0;
      for (const path of pages) {
        const html = readFileSync(at(path), "utf8");
        const url = new URL(
          path
            .split("/")
            .map(encodeURIComponent)
            .join("/")
            .replace(/(^|\/)index\.html$/, "$1"),
          server.url,
        );
        for (const [, value = ""] of html.matchAll(/\s(?:href|src|action)="([^"]*)"/g)) {
          const target = new URL(value.replaceAll("&amp;", "&").replaceAll("&#38;", "&").replaceAll("&quot;", '"'), url);
          if (target.origin !== url.origin || target.protocol !== "http:") continue;
          target.hash = "";
          // A gated download, which no folder can check an identity for, and other snapshots than the exported one.
          if (["api/code/", "at/"].some((path) => target.href.startsWith(server.url + path))) continue;
          links++;
          assert.ok(target.href.startsWith(server.url), `${path} leads out of the export: ${value}`);
          assert.equal(await statusOf(target.href), 200, `${path} → ${value}`);
        }
        if (place !== "" && links > 1000) break;
      }
      assert.ok(links > 500);
    } finally {
      await server.close();
    }
  }
});

test("pages and objects lie where a host looks for them", async () => {
  const server = await openStaticServer(at());
  try {
    for (const key of HOSTILE_NAMES) {
      for (const path of [objectPath(key), pagePath.object(key)]) assert.equal((await fetch(new URL(path, server.url))).status, 200, path);
    }
    for (const path of [
      "/",
      "/claims/",
      "/registry/CUB-0007/",
      "/snapshots/",
      "/browse/notes/deep/",
      "/pagefind/bundles.json",
      "/robots.txt",
      "/404.html",
    ]) {
      assert.equal((await fetch(new URL(path, server.url))).status, 200, path);
    }
  } finally {
    await server.close();
  }
});

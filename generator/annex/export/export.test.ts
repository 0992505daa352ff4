import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { openStaticServer } from "../../../snapshots/contract/static-server.ts";
import { objectPath, pagePath } from "../../../snapshots/format/layout.ts";

import { compileSite } from "../../pages/compile-site.ts";
import { type Config, openConfig } from "../../config/config.ts";
import { isActive } from "./active-objects.ts";
import { type Exported, exportView } from "./export.ts";
import type { ExportOptions } from "./exported-files.ts";
import { formatNginx, typeRules } from "./host-rules.ts";
import { HOSTILE_NAMES, SILENT, writeFiles, writeFixture } from "../../testing/library.ts";
import { PAGED_PARTS } from "../../testing/plain-parts.ts";
import { CLI } from "../../testing/serving-process.ts";
import { until } from "../../testing/until.ts";
import { build, openShelves } from "../../testing/whole.ts";

let base: string;
let config: Config;
let exported: Exported;
const at = (...names: string[]): string => join(base, "export", ...names);
before(async () => {
  base = mkdtempSync(join(tmpdir(), "proofshelf-export-"));
  config = await openConfig(await writeFixture(base));
  await build(config, { progress: SILENT }, PAGED_PARTS);
  await writeFiles(join(base, "library"), [
    ["notes/second.md", "# Second\n\nNew.\n"],
    ["notes/short.md", "# Short\n\nA zebra, changed.\n"],
  ]);
  await build(config, { progress: SILENT }, PAGED_PARTS);
  exported = await run(at());
});
after(() => rmSync(base, { recursive: true, force: true }));

async function run(dir: string, parts: Pick<ExportOptions, "withoutShelf" | "withoutSearch"> = {}): Promise<Exported> {
  return exportView({ shelf: openShelves(config).public, dist: (await compileSite()).dist, dir, ...parts });
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
  writeFileSync(join(again, "index.html"), "changed by hand");
  await run(again);
  assert.deepEqual([...digestsUnder(again)], [...digestsUnder(at())]);
});

test("a later export writes what has changed, and what somebody has written over; the rest keeps its files and their times", async () => {
  const again = join(base, "unchanged");
  await run(again);
  const inodes = (): Map<string, number> => new Map([...digestsUnder(again).keys()].map((path) => [path, statSync(join(again, path)).ino]));
  const before = inodes();
  const note = join(again, "objects/notes/short.md");
  // As long as before, and written later.
  writeFileSync(note, readFileSync(note, "utf8").replace("zebra", "horse"));
  rmSync(join(again, "objects/notes/second.md"));
  writeFileSync(join(again, "objects/notes/second.md"), "short");
  await run(again);
  assert.deepEqual([...digestsUnder(again)], [...digestsUnder(at())]);
  const after = inodes();
  const written = [...after].filter(([path, inode]) => before.get(path) !== inode).map(([path]) => path);
  const blob = (text: string): boolean => written.some((path) => path.startsWith("shelf/blobs/") && path.includes(sha256(text)));
  assert.ok(written.includes("objects/notes/short.md") && written.includes("objects/notes/second.md"), written.join(" "));
  // Its blob was a second name of the same file, so what was written over is written anew there too.
  assert.ok(blob("# Short\n\nA zebra, changed.\n"));
  assert.ok(written.length < after.size / 10, `${written.length} of ${after.size}: ${written.join(" ")}`);
});

test("what somebody put into an exported folder is never taken away: the next export names it and writes nothing", async () => {
  const mixed = join(base, "mixed");
  await run(mixed, { withoutSearch: true });
  for (const path of ["CNAME", ".git/HEAD", "objects/notes/mine.md", ".nojekyll", "at/x/new/deep.txt"]) {
    mkdirSync(dirname(join(mixed, path)), { recursive: true });
    writeFileSync(join(mixed, path), "not yours");
    const before = [...digestsUnder(mixed)];
    await assert.rejects(
      run(mixed, { withoutSearch: true }),
      (error: unknown) => error instanceof ShelfError && error.message.includes(`holds ${path}, which`),
    );
    assert.deepEqual([...digestsUnder(mixed)], before, path);
    rmSync(join(mixed, path));
  }
  // A list that is gone, or is none, makes nothing ours.
  writeFileSync(join(mixed, ".proofshelf-export"), "0".repeat(64));
  await assert.rejects(run(mixed, { withoutSearch: true }), /and \d+ more, which no export has written/);
  // Files that come and go while they are listed: what is no export is not looked through.
  await assert.rejects(run("/proc", {}), /which no export has written/);
});

test("without the shelf every other file is the same", async () => {
  const bare = at("..", "bare");
  const { files } = await run(bare, { withoutShelf: true });
  const [all, rest] = [digestsUnder(at()), digestsUnder(bare)];
  const others = [...all.keys()].filter((path) => !path.startsWith("shelf/"));
  assert.deepEqual([...rest.keys()], others);
  // The list of its files is each export's own.
  for (const path of others.filter((one) => one !== ".proofshelf-export")) assert.equal(rest.get(path), all.get(path), path);
  assert.ok(files < 0.8 * all.size, `${files} of ${all.size}`);
});

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

test("the search has a page of each object, claim and record, in one language, and nothing of what is gated", () => {
  const entry = JSON.parse(readFileSync(at("pagefind/pagefind-entry.json"), "utf8")) as {
    languages: Record<string, { page_count: number }>;
  };
  const pages = readdirSync(at("pagefind/fragment")).map((name) => {
    const text = gunzipSync(readFileSync(at("pagefind/fragment", name))).toString("utf8");
    return JSON.parse(text.slice(text.indexOf("{"))) as {
      url: string;
      content: string;
      meta: { key: string };
      filters: Record<string, string[]>;
    };
  });
  assert.deepEqual(Object.keys(entry.languages), ["en"]);
  assert.equal(entry.languages["en"]?.page_count, pages.length);
  const catalog = JSON.parse(readFileSync(at("api/catalog.json"), "utf8")) as { collections: { objects: { key: string }[] }[] };
  const keys = pages.map(({ meta }) => meta.key);
  for (const { key } of catalog.collections.flatMap(({ objects }) => objects)) assert.ok(keys.includes(key), key);
  for (const { url } of pages) assert.ok(statSync(at(decodeURIComponent(url), "index.html")).isFile(), url);
  const record = pages.find(({ meta }) => meta.key === "CUB-0007");
  assert.ok(record?.filters["kind"]?.includes("record") && record.filters["standing"]?.length === 1);
  assert.ok(keys.every((key) => !key.startsWith("drafts/")));
});

test("a Pagefind that ends, or is not there, is an error that says what to do, and the earlier export stays", async () => {
  const before = digestsUnder(at());
  const folder = join(base, "broken-pagefind");
  for (const [name, program] of [
    ["ends", "#!/bin/sh\nexit 1\n"],
    ["reads and ends", "#!/bin/sh\nhead -c 100 >/dev/null\n"],
    ["talks nonsense", "#!/bin/sh\necho nonsense,\n"],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    const binary = join(folder, name.replaceAll(" ", "-"));
    writeFileSync(binary, program, { mode: 0o755 });
    const { status, stderr } = spawnSync(process.execPath, [CLI, "export", at(), "--config", config.file], {
      encoding: "utf8",
      timeout: 60_000,
      env: { ...process.env, PAGEFIND_BINARY_PATH: binary },
    });
    assert.equal(status, 1, `${name}: ${stderr}`);
    assert.match(stderr, /Pagefind made no search.*--without-search/s, name);
    assert.deepEqual(digestsUnder(at()), before, name);
  }
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
        for (const [, value = ""] of withoutTemplates(html).matchAll(/\s(?:href|src|action)="([^"]*)"/g)) {
          const target = new URL(value.replaceAll("&amp;", "&").replaceAll("&#38;", "&").replaceAll("&quot;", '"'), url);
          if (target.origin !== url.origin || target.protocol !== "http:") continue;
          target.hash = "";
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

test("without kept snapshots nothing names an address of one: revisions are told by their digests, and what is cited is where it is", () => {
  const past = /\/at\/[0-9a-f]{64}\//;
  for (const path of [...digestsUnder(at()).keys()].filter((name) => /^(?!objects\/|shelf\/).*\.(?:html|md|xml|txt|bib|json)$/.test(name)))
    assert.doesNotMatch(readFileSync(at(path), "utf8"), past, path);
  assert.match(readFileSync(at("snapshots/object/notes/short.md/index.html"), "utf8"), />as in snapshot 1</);
  const [item] = JSON.parse(readFileSync(at("object/notes/short.md/cite.json"), "utf8")) as [{ URL: string; version: string }];
  assert.ok(item.URL.endsWith(pagePath.object("notes/short.md")), item.URL);
  assert.match(item.version, /^snapshot [0-9a-f]{64}$/);
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
      "/pagefind/pagefind-entry.json",
      "/robots.txt",
      "/favicon.ico",
      "/404.html",
    ]) {
      assert.equal((await fetch(new URL(path, server.url))).status, 200, path);
    }
  } finally {
    await server.close();
  }
});

test("the interface's own paths are files, each with the bytes of its twin, where no folder has the name", () => {
  for (const name of ["claims", "rejected", "capabilities", "leak-report", "cubs/meta", "catalog/notes"])
    assert.deepEqual(readFileSync(at("api", name)), readFileSync(at("api", `${name}.json`)), name);
  const redirects = readFileSync(at("_redirects"), "utf8").split("\n");
  for (const name of ["catalog", "list", "cubs", "cubs/CUB-0007"]) assert.ok(statSync(at("api", name)).isDirectory(), name);
  for (const name of ["catalog", "list", "cubs", "cubs/:id", "cubs/:id/code"])
    assert.ok(redirects.includes(`/api/${name} /api/${name}.json 200`), name);
});

const TABLES = new Map([
  ["api/catalog.csv", "text/csv; charset=utf-8; header=present"],
  ["api/catalog.ndjson", "application/x-ndjson"],
  ["api/cubs.parquet", "application/vnd.apache.parquet"],
]);

test("hosts that read _headers are told the type of each file under api/ whose name does not say it, once", () => {
  const rules = new Map<string, string>();
  let last = "";
  for (const line of readFileSync(at("_headers"), "utf8").split("\n")) {
    const type = /^ {2}Content-Type: (.+)$/.exec(line)?.[1];
    if (type !== undefined) rules.set(last, type);
    else if (line.startsWith("/")) last = line;
  }
  for (const path of digestsUnder(at("api")).keys()) {
    const fitting = [...rules].filter(
      ([rule]) => rule === `/api/${path}` || (rule.endsWith("/*") && `/api/${path}`.startsWith(rule.slice(0, -1))),
    );
    const type =
      TABLES.get(`api/${path}`) ?? [...TABLES].find(([name]) => name.split(".")[1] === path.split(".")[1])?.[1] ?? "application/json";
    const isSaid = path.endsWith(".json") && fitting.length === 0;
    assert.ok(isSaid || (fitting.length === 1 && fitting[0]?.[1] === type), `${path}: ${fitting.join()}`);
  }
});

test("nginx serves the interface's own paths as JSON, refuses what it cannot answer, and has the page for what is not there", async (context) => {
  if (spawnSync("nginx", ["-v"]).error !== undefined) return context.skip("there is no nginx");
  for (const place of ["", "/some/library"]) {
    const dir = mkdtempSync(join(base, "nginx-"));
    const root = join(dir, "root");
    mkdirSync(dirname(join(root, place)), { recursive: true });
    symlinkSync(at(), join(root, place));
    writeFileSync(join(dir, "rules.conf"), formatNginx(place, typeRules(TABLES)));
    if (place === "") assert.ok(readFileSync(at("nginx.conf"), "utf8").includes("parquet;"));
    const port = await freePort();
    const mime = "types { text/html html; text/css css; text/javascript js; application/json json; text/plain txt; }";
    writeFileSync(
      join(dir, "nginx.conf"),
      `daemon off; master_process off; error_log ${dir}/error.log; pid ${dir}/pid; events {}\nhttp { ${mime} default_type application/octet-stream; access_log off; client_body_temp_path ${dir}/b; proxy_temp_path ${dir}/p; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;\nserver { listen 127.0.0.1:${port}; root ${root}; include ${dir}/rules.conf; } }\n`,
    );
    const nginx = spawn("nginx", ["-p", dir, "-e", `${dir}/error.log`, "-c", `${dir}/nginx.conf`], { stdio: "inherit" });
    try {
      const url = `http://127.0.0.1:${port}${place}`;
      await until("an answer", async () => (await fetch(`${url}/`).catch(() => null))?.status === 200);
      for (const name of ["catalog", "list", "claims", "cubs", "cubs/CUB-0007", "cubs/CUB-0007/code", "cubs/meta", "catalog/notes"]) {
        const response = await fetch(`${url}/api/${name}`);
        assert.equal(response.status, 200, name);
        assert.equal(response.headers.get("content-type"), "application/json", name);
        assert.equal(response.headers.get("access-control-allow-origin"), "*", name);
        assert.deepEqual(Buffer.from(await response.arrayBuffer()), readFileSync(at("api", `${name}.json`)), name);
      }
      for (const [path, type] of TABLES) assert.equal((await fetch(`${url}/${path}`)).headers.get("content-type"), type, path);
      const refused = await fetch(`${url}/api/cubs?repo=x`);
      assert.equal(refused.status, 501);
      assert.equal(((await refused.json()) as { code: string }).code, "not_configured");
      const page = await fetch(`${url}/claims`);
      assert.equal(page.url, `${url}/claims/`, "a folder without its slash leads to it");
      assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
      assert.match((await fetch(`${url}/object/notes/digests.md/index.md`)).headers.get("content-type") ?? "", /^text\/markdown/);
      assert.equal((await fetch(`${url}/objects/notes/digests.md`)).headers.get("content-security-policy"), "sandbox");
      const missing = await fetch(`${url}/not/there/`);
      assert.equal(missing.status, 404);
      assert.deepEqual(Buffer.from(await missing.arrayBuffer()), readFileSync(at("404.html")));
    } finally {
      nginx.kill();
      await once(nginx, "exit");
    }
  }
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Templates are inert: no browser and no parser of HTML follows what stands in them before a script has filled it. */
function withoutTemplates(html: string): string {
  return html.replaceAll(/<template\b[\s\S]*?<\/template>/g, "");
}

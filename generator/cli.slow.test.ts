/** The command line under many builds, few open files, any umask, and beside a server. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync, statSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { writeFiles, writeFixture } from "./testing/library.ts";
import { runHere } from "./testing/run-program.ts";
import { CLI, PLAIN_CLI } from "./testing/serving-process.ts";
import { until } from "./testing/until.ts";
import { json, tempDir, copy, pointerOf, serve } from "./testing/cli-library.ts";

/** Id that Linux keeps for nobody. */
const NOBODY = 65_534;

test("of builds that start together one wins, and each of the others exits 4", async (t) => {
  const { dir, file } = copy(t);
  await writeFiles(join(dir, "library"), [["notes/new.md", "# New\n"]]);
  const codes = await Promise.all(
    Array.from(
      { length: 4 },
      () =>
        new Promise<number | null>((resolve) =>
          spawn(process.execPath, [PLAIN_CLI, "build", "--config", file], { stdio: "ignore" }).once("exit", (code) => resolve(code)),
        ),
    ),
  );
  assert.ok(codes.includes(0), String(codes));
  assert.deepEqual(
    [...new Set(codes)].filter((code) => code !== 0 && code !== 4),
    [],
    String(codes),
  );
  assert.equal((await runHere(["verify", "--config", file])).status, 0);
});

test("a server keeps answering from one snapshot at a time while builds publish new ones", async (t) => {
  const { dir, file } = copy(t);
  const server = await serve(t, ["--only", "site", "--config", file]);
  const seen = new Set<string | null>();
  let going = true;
  const reading = (async () => {
    while (going) {
      const response = await fetch(`${server.url}api/catalog`);
      const body = (await response.json()) as { snapshot: string };
      assert.equal(response.headers.get("x-snapshot"), body.snapshot);
      seen.add(body.snapshot);
    }
  })();
  for (const number of [1, 2]) {
    await writeFiles(join(dir, "library"), [["notes/turn.md", `# Turn ${number}\n`]]);
    const child = spawn(process.execPath, [PLAIN_CLI, "build", "--config", file], { stdio: "ignore" });
    assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 0);
    const id = pointerOf(dir).snapshot;
    await until("an answer from it", async () => seen.has(id));
  }
  going = false;
  await reading;
  assert.equal(seen.size, 3);
});

test("too few open files are told in words, before anything is written, and no file is taken for missing", async (t) => {
  const { file } = copy(t);
  const before = json(await runHere(["snapshots", "list", "--json", "--config", file]));
  for (const files of [30, 64, 128, 255]) {
    const command = `ulimit -n ${files}; exec "${process.execPath}" "${CLI}" build --json --config "${file}"`;
    const { status, stderr, stdout } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    assert.equal(status, 1, `${files}: ${stderr}`);
    assert.match(stderr, /files (are )?open at a time/, `${files}`);
    assert.match(stderr, /ulimit -n/);
    assert.doesNotMatch(stderr, /\n\s+at /);
    assert.equal((JSON.parse(stdout) as { error: { code: string } }).error.code, "build_failed");
  }
  assert.deepEqual(json(await runHere(["snapshots", "list", "--json", "--config", file])), before);
  assert.equal(spawnSync("sh", ["-c", `ulimit -n 256; exec "${process.execPath}" "${CLI}" build --config "${file}"`]).status, 0);
});

test("whatever the umask, others may read the public root and nothing of the internal one, and serve the site from it", {
  skip: process.getuid?.() !== 0 && "only root can be two users",
}, async (t) => {
  const dir = tempDir(t);
  chmodSync(dir, 0o755);
  const file = await writeFixture(dir);
  const modes = (root: string): string[] =>
    [root, ...readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name))].map((path) => {
      const stats = statSync(path);
      return `${stats.isDirectory() ? "folder" : "file"} ${(stats.mode & 0o777).toString(8)}`;
    });
  for (const [umask, program] of [
    ["000", PLAIN_CLI],
    ["077", CLI],
  ] as const) {
    rmSync(join(dir, "shelf"), { recursive: true, force: true });
    for (const command of ["build", "prune --keep 1"]) {
      const { status, stderr } = spawnSync(
        "sh",
        ["-c", `umask ${umask}; exec "${process.execPath}" "${program}" ${command} --config "${file}"`],
        {
          encoding: "utf8",
        },
      );
      assert.equal(status, 0, stderr);
    }
    assert.deepEqual([...new Set(modes(join(dir, "shelf/internal")))].sort(), ["file 600", "folder 700"], umask);
    assert.deepEqual([...new Set(modes(join(dir, "shelf/public")))].sort(), ["file 644", "folder 755"], umask);
  }
  const internal = join(dir, "shelf/internal/current.json");
  const other = spawnSync(process.execPath, ["-e", `fs.readFileSync(${JSON.stringify(internal)})`], {
    encoding: "utf8",
    uid: NOBODY,
    gid: NOBODY,
  });
  assert.match(other.stderr, /EACCES/);

  const child = spawn(process.execPath, [CLI, "serve", "--only", "site", "--port", "0", "--json", "--config", file], {
    uid: NOBODY,
    gid: NOBODY,
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill());
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  for (const path of ["/", "/api/catalog", "/api/search?q=digest", "/objects/notes/digests.md", "/health"])
    assert.equal((await fetch(url + path)).status, 200, path);
  assert.notEqual((await fetch(`${url}/internal/api/catalog`)).status, 200);
});

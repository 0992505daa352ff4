/** The command line under many builds, few open files, any umask, and beside a server. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, copyFileSync, readdirSync, rmSync, statSync } from "node:fs";
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

test("a rollback serves what was served together, though the clock went back between the builds; prune keeps it", async (t) => {
  const { dir, file } = copy(t);
  const config = ["--config", file];
  const turn = async (number: number, time: string): Promise<string> => {
    await writeFiles(join(dir, "library"), [
      ["notes/turn.md", `# Turn ${number}\n`],
      ["drafts/turn.md", `# Gated turn ${number}\n`],
    ]);
    return (json(await runHere(["build", "--json", "--now", time, ...config])) as { internal: { snapshot: string } }).internal.snapshot;
  };
  const second = await turn(2, "2026-06-02T00:00:00Z");
  await turn(3, "2026-03-01T00:00:00Z");
  // Only gated: the public view stays at 3.
  for (const number of [4, 5]) {
    await writeFiles(join(dir, "library"), [["drafts/turn.md", `# Gated turn ${number}\n`]]);
    assert.equal((await runHere(["build", "--now", "2026-01-01T00:00:00Z", ...config])).status, 0);
  }
  assert.equal((await runHere(["prune", "--keep", "2", ...config])).status, 0);
  const rolled = json(await runHere(["snapshots", "rollback", "2", "--json", ...config])) as {
    internal: { snapshot: string; public: number };
  };
  assert.deepEqual([rolled.internal.snapshot, rolled.internal.public], [second, 4]);
  assert.equal((await runHere(["verify", ...config])).status, 0);
});

test("a pointer that somebody put back is told by verify, and put right by the next build", async (t) => {
  const { dir, file } = copy(t);
  const config = ["--config", file];
  const old = join(dir, "kept-elsewhere.json");
  for (const number of [2, 3]) {
    copyFileSync(join(dir, "shelf/public/current.json"), old);
    await writeFiles(join(dir, "library"), [["notes/turn.md", `# Turn ${number}\n`]]);
    assert.equal((await runHere(["build", ...config])).status, 0);
  }
  const newest = join(dir, "newest.json");
  copyFileSync(join(dir, "shelf/public/current.json"), newest);
  for (const since of [old, newest, "3"]) assert.equal((await runHere(["verify", "--since", since, ...config])).status, 0, since);
  for (const since of ["x", "0", join(dir, "proofshelf.yaml")])
    assert.equal((await runHere(["verify", "--since", since, ...config])).status, 2, since);
  copyFileSync(old, join(dir, "shelf/public/current.json"));
  const found = await runHere(["verify", "--since", newest, ...config]);
  assert.equal(found.status, 3);
  assert.match(found.stdout, /pointer_back in public .*It names 2, but 3 was published/);
  // The sources are as they were.
  const healed = json(await runHere(["build", "--json", ...config])) as { sequence: number; published: boolean; notes: string[] };
  assert.deepEqual([healed.sequence, healed.published], [4, true]);
  assert.match(healed.notes.join(), /current\.json names snapshot 2, but 3 was published after it/);
  assert.equal((await runHere(["verify", "--since", newest, ...config])).status, 0);
  const listed = (await runHere(["snapshots", "list", "--limit", "2", ...config])).stdout;
  assert.match(listed, /^\* 4 .*\n {2}3 .*\nand 2 older ones; --limit 0 lists all\n$/);
  assert.equal(
    (json(await runHere(["snapshots", "list", "--limit", "0", "--json", ...config])) as { snapshots: object[] }).snapshots.length,
    4,
  );
  assert.equal((await runHere(["snapshots", "list", "--limit", "-1", ...config])).status, 2);
});

test("after a rollback prune keeps what it undid, and says what it removes from each root; keep in the configuration prunes after a build", async (t) => {
  const { dir, file } = copy(t);
  const config = ["--config", file];
  const turn = async (number: number, ...more: string[]): Promise<string> => {
    await writeFiles(join(dir, "library"), [
      ["notes/turn.md", `# Turn ${number}\n`],
      ["drafts/turn.md", `# Gated turn ${number}\n`],
    ]);
    const built = await runHere(["build", ...more, ...config]);
    assert.equal(built.status, 0, built.stderr);
    return built.stdout;
  };
  for (const number of [2, 3, 4]) await turn(number);
  assert.equal((await runHere(["snapshots", "rollback", "2", ...config])).status, 0);
  const kept = async (): Promise<number[]> =>
    (json(await runHere(["snapshots", "list", "--json", ...config])) as { snapshots: { sequence: number }[] }).snapshots.map(
      ({ sequence }) => sequence,
    );
  const said = (await runHere(["prune", "--keep", "1", ...config])).stdout;
  assert.deepEqual(await kept(), [5, 4, 3, 2]);
  assert.match(
    said,
    /^public: removed 1 snapshot and \d+ blobs?\.\n {4}[0-9a-f]{64}\ninternal: removed 1 snapshot [^]*\nThe shelf takes \d.* now, \d.* less\.\n$/,
  );
  assert.equal((await runHere(["snapshots", "rollback", "4", ...config])).status, 0, "forward again");
  assert.equal((await runHere(["verify", "--all", ...config])).status, 0);
  appendFileSync(file, "keep: 2\n");
  assert.match(await turn(6), /public: removed 2 snapshots/);
  assert.deepEqual(await kept(), [7, 6]);
  const { roots } = json(await runHere(["prune", "--json", ...config])) as { roots: Record<string, { removed_snapshots: string[] }> };
  assert.deepEqual([roots["public"]?.removed_snapshots, roots["internal"]?.removed_snapshots], [[], []]);
});

test("a reader that stops reading costs the rest of what is said, and a disk that is full is told in words", async (t) => {
  const { dir, file } = copy(t);
  await writeFiles(join(dir, "library"), [["notes/pipe.md", "# Nobody reads of it\n"]]);
  const before = pointerOf(dir).snapshot;
  const said = (args: string, end: string) =>
    spawnSync("bash", ["-c", `"${process.execPath}" "${PLAIN_CLI}" ${args} ${end}; exit \${PIPESTATUS[0]}`], { encoding: "utf8" });
  for (const args of ["--help", `snapshots list --config "${file}"`, `build --json --config "${file}"`]) {
    // The one that builds comes first: a build that takes long says how far it is.
    assert.equal(said(args, "2>&1 | true").status, 0, args);
    const { status, stderr } = said(args, "| true");
    assert.deepEqual([status, stderr], [0, ""], args);
  }
  assert.notEqual(pointerOf(dir).snapshot, before, "the build was ended by its reader");
  const { status, stderr } = said(`snapshots list --config "${file}"`, ">/dev/full");
  assert.deepEqual([status, stderr], [1, "Standard output cannot be written (ENOSPC).\n"]);
});

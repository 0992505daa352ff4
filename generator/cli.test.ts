import assert from "node:assert/strict";
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import { join, relative } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sha256 } from "../snapshots/digest.ts";
import { withBuildLock } from "./files/lock.ts";
import { writeFiles } from "./testing/library.ts";
import { type Ran, runHere, runIn } from "./testing/run-program.ts";
import { CLI, PLAIN_CLI } from "./testing/serving-process.ts";
import { until } from "./testing/until.ts";
import { spoilBlob } from "../snapshots/contract/spoil-blob.ts";
import { json, tempDir, base, built, copy, pointerOf, serve } from "./testing/cli-library.ts";

/** In a process of its own where the process is the subject, or its environment. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [PLAIN_CLI, ...args], { encoding: "utf8", env: { ...process.env, ...env } });
}

test("what is no command, no option or too little is exit 2 with a hint, and never a stack", async () => {
  for (const args of [
    ["bulid"],
    ["build", "--fast"],
    ["build", "--now"],
    ["snapshots"],
    ["snapshots", "diff", "1"],
    ["export"],
    [],
    ["serve", "--only", "everything"],
    ["build", "extra"],
  ]) {
    const { status, stderr, stdout } = await runHere(args);
    assert.equal(status, 2, args.join(" "));
    assert.match(stderr, /Usage: proofshelf/, args.join(" "));
    assert.doesNotMatch(stderr, /\n\s+at /);
    assert.equal(stdout, "");
  }
  assert.equal(spawnSync(process.execPath, [CLI, "bulid"]).status, 2);
  for (const args of [["--help"], ["build", "--help"], ["help", "serve"]]) assert.equal((await runHere(args)).status, 0, args.join(" "));
});

test("values that an option does not take are exit 2, each in words", async () => {
  const config = ["--config", join(base, "proofshelf.yaml")];
  for (const args of [
    ["build", "--now", "yesterday"],
    ["serve", "--port", "http"],
    ["serve", "--port", "65536"],
    ["prune", "--keep", "0"],
    ["prune", "--keep", "some"],
    ["schedule", "--every", "0"],
    ["schedule", "--every", "x"],
  ]) {
    const { status, stderr } = await runHere([...args, ...config]);
    assert.equal(status, 2, `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, /takes/, args.join(" "));
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});

test("a broken configuration gives every problem at once, each with its line, and exit 2", async (t) => {
  const file = join(tempDir(t), "broken.yaml");
  writeFileSync(
    file,
    "titel: Library\nbaseUrl: not an address\nstore: { kind: directory, root: ./nowhere }\ncollections:\n  - { id: a, prefix: a, title: A, visibility: secret }\n  - { id: a, prefix: a, title: B, visibility: public }\n",
  );
  const { status, stderr } = await runHere(["build", "--config", file]);
  assert.equal(status, 2);
  const lines = stderr.trim().split("\n");
  for (const [line, word] of [
    [1, "titel"],
    [2, "baseUrl"],
    [3, "nowhere|store.root"],
    [5, "visibility"],
  ] as const) {
    assert.ok(
      lines.some((text) => text.startsWith(`${file}:${line}: `) && new RegExp(word).test(text)),
      `line ${line}: ${stderr}`,
    );
  }
  const asJson = json(await runHere(["build", "--json", "--config", file])) as { error: { code: string; errors: { pointer: string }[] } };
  assert.equal(asJson.error.code, "bad_config");
  assert.ok(asJson.error.errors.length >= 4);
  for (const [name, text] of [
    ["none.yaml", null],
    ["empty.yaml", ""],
    ["bytes.yaml", "\u0000\u0001"],
    ["tabs.yaml", "a:\n\t- b"],
  ] as const) {
    const other = join(tempDir(t), name);
    if (text !== null) writeFileSync(other, text);
    assert.equal((await runHere(["build", "--config", other])).status, 2, name);
  }
});

test("a configuration that would blow up is refused at once", async (t) => {
  const file = join(tempDir(t), "bomb.yaml");
  const levels = Array.from(
    { length: 12 },
    (_, at) =>
      `a${at}: &a${at} [${
        at === 0
          ? "x, x"
          : Array(9)
              .fill(`*a${at - 1}`)
              .join(", ")
      }]`,
  );
  writeFileSync(file, `${levels.join("\n")}\ncollections: *a11\n`);
  const started = performance.now();
  assert.equal((await runHere(["build", "--config", file])).status, 2);
  assert.ok(performance.now() - started < 30_000);
});

test("build prints one JSON document, or lines for people; nothing on stderr when nobody watches", async (t) => {
  assert.deepEqual(Object.keys(built).sort(), [
    "added",
    "changed",
    "dead_links",
    "duration_ms",
    "finished",
    "internal",
    "notes",
    "previous",
    "published",
    "refused",
    "registry",
    "rejected",
    "removed",
    "sequence",
    "snapshot",
    "started",
    "unchanged",
    "unreadable",
    "withdrawn",
    "work",
  ]);
  assert.equal(built["started"], "2026-04-01T00:00:00.000Z");
  const { file } = copy(t);
  const again = await runHere(["build", "--config", file]);
  assert.equal(again.status, 0);
  assert.equal(again.stderr, "");
  assert.match(again.stdout, /^Nothing has changed; snapshot 1 \([0-9a-f]{64}\) is served on\.\n/);
  assert.match(again.stdout, /Rejected registry "CUB-0900": /);
});

test("the configuration is found by a relative path from anywhere, and its own paths start from it", async (t) => {
  const { dir, file } = copy(t);
  const elsewhere = tempDir(t);
  for (const [cwd, path] of [
    [elsewhere, relative(elsewhere, file)],
    [dir, "proofshelf.yaml"],
    [join(dir, "library"), "../proofshelf.yaml"],
    ["/", file],
  ] as const) {
    const summary = json(await runIn(cwd, ["build", "--json", "--config", path]));
    assert.equal(summary["snapshot"], built["snapshot"], path);
  }
  assert.ok(!existsSync(join(elsewhere, "shelf")));
});

test("the same sources in another time zone, language and hour give the same snapshot", async (t) => {
  const { dir, file } = copy(t);
  rmSync(join(dir, "shelf"), { recursive: true });
  const summary = json(
    start(["build", "--json", "--config", file, "--now", "2031-12-31T23:59:59.999Z"], {
      TZ: "Pacific/Kiritimati",
      LC_ALL: "tr_TR.UTF-8",
      LANG: "tr_TR.UTF-8",
    }),
  );
  assert.equal(summary["snapshot"], built["snapshot"]);
  assert.deepEqual((summary["internal"] as { snapshot: string }).snapshot, (built["internal"] as { snapshot: string }).snapshot);
});

test("while a build runs another exits 4 and says who, and reading goes on", async (t) => {
  const { dir, file } = copy(t);
  await withBuildLock(join(dir, "shelf/internal/build"), async () => {
    const { status, stderr } = start(["build", "--config", file]);
    assert.equal(status, 4);
    assert.match(stderr, new RegExp(`process ${process.pid}`));
    for (const args of [["prune"], ["repair"], ["snapshots", "rollback", "1"]])
      assert.equal((await runHere([...args, "--config", file])).status, 4);
    assert.equal((await runHere(["snapshots", "list", "--config", file])).status, 0);
    assert.equal((json(await runHere(["build", "--json", "--config", file])) as { error: { code: string } }).error.code, "build_running");
  });
  assert.equal((await runHere(["build", "--config", file])).status, 0);
});

test("snapshots are listed, compared and rolled back, and the next build publishes what the sources hold", async (t) => {
  const { dir, file } = copy(t);
  const config = ["--config", file];
  await writeFiles(join(dir, "library"), [
    ["notes/short.md", "# Short\n\nChanged.\n"],
    ["notes/new.md", "# New\n"],
  ]);
  rmSync(join(dir, "library/data/table.csv"));
  const second = json(await runHere(["build", "--json", ...config]));
  assert.deepEqual([second["added"], second["changed"], second["removed"], second["previous"]], [1, 1, 1, built["snapshot"]]);

  const { snapshots } = json(await runHere(["snapshots", "list", "--json", ...config])) as {
    snapshots: { sequence: number; snapshot: string; current: boolean }[];
  };
  assert.deepEqual(
    snapshots.map(({ sequence, current }) => [sequence, current]),
    [
      [2, true],
      [1, false],
    ],
  );
  const first = String(built["snapshot"]);
  for (const [a, b] of [
    ["1", "2"],
    [first, String(second["snapshot"])],
    [first.slice(0, 12), "2"],
  ] as const) {
    const { changes } = json(await runHere(["snapshots", "diff", a, b, "--json", ...config])) as {
      changes: { change: string; name: string; what: string }[];
    };
    const objects = changes.filter(({ what }) => what === "object").map(({ change, name }) => `${change} ${name}`);
    assert.deepEqual(objects.sort(), ["added notes/new.md", "changed notes/short.md", "removed data/table.csv"], `${a}..${b}`);
  }
  assert.match((await runHere(["snapshots", "diff", "1", "1", ...config])).stdout, /No differences/);
  for (const name of ["9", "ffffffffffff", "x", "../1", "-1"]) {
    const { status, stderr } = await runHere(["snapshots", "diff", ...config, "--", name, "1"]);
    assert.ok(status === 1 || status === 2, `${name}: ${stderr}`);
  }

  const rolled = json(await runHere(["snapshots", "rollback", first, "--json", ...config])) as { to: object };
  assert.deepEqual(rolled.to, pointerOf(dir));
  const { snapshot, sequence, restores } = pointerOf(dir);
  assert.deepEqual([snapshot, sequence, restores], [first, 3, 1], "a rollback is a publication of its own");
  const again = await runHere(["snapshots", "rollback", first, ...config]);
  assert.match(again.stdout, /nothing was changed/);
  assert.equal(pointerOf(dir).sequence, 3);
  assert.equal((await runHere(["verify", ...config])).status, 0, "a shelf that was rolled back is whole");
  const third = json(await runHere(["build", "--json", ...config]));
  assert.equal(third["snapshot"], second["snapshot"], "the sources still hold the newer state");
  assert.equal(pointerOf(dir).snapshot, second["snapshot"]);
});

test("verify is exit 0 on what was built and exit 3 when a byte is not what it should be", async (t) => {
  const { dir, file } = copy(t);
  const good = await runHere(["verify", "--json", "--config", file]);
  assert.deepEqual([good.status, json(good)["errors"]], [0, 0]);
  const root = join(dir, "shelf/public");
  const { snapshot } = JSON.parse(readFileSync(join(root, "current.json"), "utf8")) as { snapshot: string };
  spoilBlob(root, snapshot);
  const bad = start(["verify", "--config", file]);
  assert.equal(bad.status, 3);
  assert.match(bad.stdout, new RegExp(snapshot));
});

test("a diff says which bytes changed and which fields, and what differs when no source does", async (t) => {
  const { dir, file } = copy(t);
  const config = ["--config", file];
  const short = "# Short\n\nA zebra, longer.\n";
  const registry = JSON.parse(readFileSync(join(dir, "registry.json"), "utf8")) as { cubs: { note: string }[] };
  (registry.cubs[3] as { note: string }).note = "Changed.";
  await writeFiles(dir, [
    ["library/notes/short.md", short],
    ["registry.json", JSON.stringify(registry)],
  ]);
  assert.equal((await runHere(["build", ...config])).status, 0);
  const { stdout } = await runHere(["snapshots", "diff", "1", "2", ...config]);
  assert.match(
    stdout,
    new RegExp(
      `~ object "notes/short\\.md"\\n    sha256: ${sha256("# Short\n\nA zebra.\n")} → ${sha256(short)}\\n    size: 18 → ${short.length}\\n`,
    ),
  );
  assert.match(stdout, /~ record "CUB-0004"\n {4}sha256: .*\n {4}note: "" → "Changed\."\n/);
  assert.match(stdout, /files in pages: /);
});

test("a receipt that is not there is told in words", async () => {
  const { status, stderr } = await runHere(["verify", "--receipt", join(base, "none.json"), "--config", join(base, "proofshelf.yaml")]);
  assert.deepEqual([status, stderr], [1, `The receipt ${JSON.stringify(join(base, "none.json"))} does not exist.\n`]);
});

test("prune keeps the newest and what they need", async (t) => {
  const { dir, file } = copy(t);
  appendFileSync(file, "keep: 4\n");
  for (const number of [1, 2, 3]) {
    await writeFiles(join(dir, "library"), [["notes/turn.md", `# Turn ${number}\n`]]);
    const { status, stdout } = await runHere(["build", "--config", file]);
    assert.deepEqual([status, /removed \d/.exec(stdout)], [0, null], "a build by keep tells only snapshots that went");
  }
  const before = json(await runHere(["snapshots", "list", "--json", "--config", file])) as { snapshots: object[] };
  assert.equal(before.snapshots.length, 4);
  const done = json(await runHere(["prune", "--keep", "2", "--json", "--config", file])) as { removed_blobs: number };
  assert.ok(done.removed_blobs > 0);
  const { snapshots } = json(await runHere(["snapshots", "list", "--json", "--config", file])) as { snapshots: { sequence: number }[] };
  assert.deepEqual(
    snapshots.map(({ sequence }) => sequence),
    [4, 3],
  );
  assert.equal((await runHere(["verify", "--all", "--config", file])).status, 0);
  const again = json(await runHere(["build", "--json", "--config", file]));
  assert.equal(again["published"], false, "pruning does not make the next build work");
});

test("without a snapshot every reader says what to do, and serve waits for one", async (t) => {
  const { dir, file } = copy(t);
  rmSync(join(dir, "shelf"), { recursive: true });
  for (const args of [["verify"], ["export", join(dir, "out")]]) {
    const { status, stderr } = await runHere([...args, "--config", file]);
    assert.equal(status, 1, args.join(" "));
    assert.match(stderr, /No snapshot has been published yet\.\n {2}Run: proofshelf build/);
  }
  assert.match((await runHere(["snapshots", "list", "--config", file])).stdout, /No snapshot has been published yet/);
  const server = await serve(t, ["--only", "site", "--config", file]);
  assert.match(server.line, /^Serving no snapshot yet at http:\/\/127\.0\.0\.1:\d+\/$/);
  const catalog = await fetch(`${server.url}api/catalog`);
  const { source, collections } = (await catalog.json()) as { source: string; collections: { id: string }[] };
  assert.deepEqual([catalog.status, source], [200, "listing"]);
  assert.ok(collections.length > 0 && !collections.some(({ id }) => id === "drafts"), "a listing shows public collections only");
  const one = await fetch(`${server.url}api/catalog/${collections[0]?.id}`);
  const listed = (await one.json()) as { source: string; collection: unknown };
  assert.deepEqual([one.status, listed.source, listed.collection], [200, "listing", collections[0]]);
  assert.equal((await fetch(`${server.url}api/catalog/drafts`)).status, 404);
  assert.equal((await fetch(`${server.url}health`)).status, 503);
  const first = json(await runHere(["build", "--json", "--config", file]));
  await until("a build that is served without a restart", async () => {
    const response = await fetch(`${server.url}api/catalog`);
    return response.headers.get("x-snapshot") === first["snapshot"];
  });
});

test("serve prints one line when it is ready, holds no secret as site server, and ends when told", async (t) => {
  const { file } = copy(t);
  const secrets = {
    REINDEX_TOKEN: "secret-token-of-the-test",
    AWS_SECRET_ACCESS_KEY: "secret-key-of-the-test",
    INFERENCE_API_KEY: "secret-inference",
    AI_GATEWAY_ID: "secret-gateway",
  };
  const server = await serve(t, ["--only", "site", "--json", "--config", file], secrets);
  assert.deepEqual(JSON.parse(server.line), { url: server.url.slice(0, -1), snapshot: built["snapshot"] });
  assert.equal((await fetch(`${server.url}`)).status, 200);
  if (process.platform === "linux") {
    const children = readFileSync(`/proc/${server.child.pid}/task/${server.child.pid}/children`, "utf8").trim().split(" ").filter(Boolean);
    const sites = children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("site/main.ts"));
    assert.equal(sites.length, 1);
    for (const pid of sites)
      assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, "utf8"), /of-the-test|secret-inference|secret-gateway/);
  }
  const port = new URL(server.url).port;
  const second = await runHere(["serve", "--only", "site", "--port", port, "--config", file]);
  assert.equal(second.status, 1);
  assert.match(second.stderr, /port \d+ is in use/);
  assert.doesNotMatch(second.stderr, /\n\s+at /);
  assert.equal(await server.stop(), 0);
  await assert.rejects(fetch(server.url));
});

test("serve --only sidecar has the sidecar's routes alone, and its MCP endpoint under the names of the configuration", async (t) => {
  const { file } = copy(t);
  appendFileSync(file, "\nmcp: { hosts: [library.proxied.example], origins: [https://inspector.example] }\n");
  const server = await serve(t, ["--only", "sidecar", "--config", file]);
  const status = async (path: string): Promise<number> => (await fetch(server.url + path, { redirect: "manual" })).status;
  for (const path of ["health", "api/capabilities", "ask/", "api/ai-search?q=digest"]) assert.equal(await status(path), 200, path);
  for (const path of ["", "api/catalog", "api/search?q=digest", "browse/", "llms.txt"]) assert.equal(await status(path), 404, path);
  const ping = (headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const message = request(
        `${server.url}mcp`,
        { method: "POST", headers: { "content-type": "application/json", ...headers } },
        (response) => resolve(response.resume().statusCode ?? 0),
      );
      message.on("error", reject).end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    });
  assert.equal(await ping({ host: "library.proxied.example" }), 200);
  assert.equal(await ping({ host: "library.proxied.example:8443", origin: "https://inspector.example" }), 200);
  assert.equal(await ping({ host: "other.example" }), 403);
  assert.equal(await ping({ origin: "https://other.example" }), 403);
  assert.equal(await server.stop(), 0);
});

test("a store that is not mounted is not published, and the build says what was lost and what to do; --accept-loss is said once", async (t) => {
  const { dir, file } = copy(t);
  rmSync(join(dir, "library"), { recursive: true });
  mkdirSync(join(dir, "library"));
  const before = json(await runHere(["snapshots", "list", "--json", "--config", file]));
  for (const args of [[], ["--json"]]) {
    const { status, stdout, stderr } = await runHere(["build", "--config", file, ...args]);
    assert.equal(status, 1);
    assert.match(stderr, /^Nothing was published, because the store has lost objects since the last build: .* 3 of 3 in collection notes/m);
    assert.match(stderr, /mounted/);
    assert.match(stderr, /proofshelf build --accept-loss/);
    if (args.length > 0) assert.equal((JSON.parse(stdout) as { error: { code: string } }).error.code, "build_failed");
  }
  assert.deepEqual(json(await runHere(["snapshots", "list", "--json", "--config", file])), before);
  const accepted = json(await runHere(["build", "--accept-loss", "--json", "--config", file])) as { published: boolean; sequence: number };
  assert.deepEqual([accepted.published, accepted.sequence], [true, 2]);
  assert.equal((await runHere(["build", "--config", file])).status, 0, "once was enough");
});

test("a pipe, a socket or a device where a file belongs is refused and not waited for", async (t) => {
  const { dir, file } = copy(t);
  const text = readFileSync(file, "utf8");
  const pipe = join(dir, "pipe");
  spawnSync("mkfifo", [pipe]);
  const socket = createServer().listen(join(dir, "socket"));
  await once(socket, "listening");
  t.after(() => socket.close());
  const build = (path: string): Promise<Ran> => runHere(["build", "--json", "--config", path]);
  for (const special of ["./pipe", "./socket", "/dev/zero"]) {
    for (const part of ["registry", "claims"]) {
      writeFileSync(file, text.replace(new RegExp(`^${part}: .*$`, "m"), `${part}: { path: ${special} }`));
      const { status, stderr, stdout } = await build(file);
      if (part === "claims") assert.equal(status, 2, stderr);
      assert.match(`${stderr}${stdout}`, /regular file|special file|cannot be opened/, `${part} ${special}`);
    }
    const { status, stderr } = await build(join(dir, special.startsWith("/") ? relative(dir, special) : special));
    assert.equal(status, 2, `configuration ${special}: ${stderr}`);
    assert.match(stderr, /is not a regular file/);
  }
});

test("who is struck out of the access section stays out, also when the file is broken elsewhere at that moment", async (t) => {
  const { file } = copy(t);
  const text = readFileSync(file, "utf8");
  const access = (policy: string) =>
    `access:\n  serviceTokens: [{ name: ci, id: ci.example, secretSha256: ${sha256("secret")} }]\n  policy: { serviceTokens: ${policy} }\n`;
  writeFileSync(file, `${text}\n${access("[ci]")}`);
  const child = spawn(process.execPath, [CLI, "serve", "--port", "0", "--json", "--config", file], { stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill());
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (line: string) => (said += line));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  const headers = { "Edge-Access-Client-Id": "ci.example", "Edge-Access-Client-Secret": "secret" };
  const becomes = async (expected: number): Promise<void> => {
    const answers = async () => (await fetch(`${url}/internal/api/catalog`, { headers })).status === expected;
    await until(() => `${expected} (${said})`, answers);
  };
  await becomes(200);
  writeFileSync(file, `${text.replace(/^collections:$/m, "collections: [")}\n${access("[]")}`);
  await becomes(403);
  // The answer and what is said about it come by two ways, in either order.
  await until(
    () => `what is said about it (${said})`,
    () => /not taken over, but for its access section: .*:\d+: /.test(said),
  );
  writeFileSync(file, `${text}\n${access("[ci]")}`);
  await becomes(200);
  writeFileSync(file, `${text}\n${access("[ci")}`);
  await wait(600);
  await becomes(200);
});

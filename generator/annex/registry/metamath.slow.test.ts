/** Our own verifier over the whole of set.mm, beside the program of Metamath. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../../snapshots/digest.ts";
import { type MetamathDatabase, readMetamath, scanMetamath } from "./metamath.ts";
import { checkDatabase } from "./metamath-check.ts";
import { findDefinitions } from "./metamath-definitions.ts";
import { findMetamath } from "./metamath-tool.ts";
import { openTrees, unreadOf } from "./metamath-trees.ts";
import { readTranscript } from "./protocol.ts";
import { findSandbox } from "./sandbox.ts";

const skip =
  findMetamath() === null ? "metamath is not installed" : findSandbox() === null ? "there is no sandbox here (bubblewrap)" : false;

const DATABASES = "/usr/share/metamath/databases";
const METAMATH = "metamath";
const lacking = existsSync(join(DATABASES, "set.mm")) ? skip : "metamath-databases is not installed";
const ADAPTER = fileURLToPath(new URL("metamath-adapter.ts", import.meta.url));
test("the adapter's axioms are the program's own, on 200 theorems all over set.mm", {
  skip: lacking,
  timeout: 600_000,
}, () => {
  const bytes = readFileSync(join(DATABASES, "set.mm"));
  const { declarations, problems } = scanMetamath("set.mm", () => bytes.toString("utf8"));
  assert.deepEqual(problems, []);
  const theorems = declarations.filter(({ class: kind }) => kind === "theorem");
  assert.ok(theorems.length > 30_000);
  const some = Array.from({ length: 200 }, (_, at) => theorems[Math.floor(((at + 0.5) * theorems.length) / 200)]?.name ?? "");
  const request = {
    protocol: 1,
    root: DATABASES,
    files: [{ path: "set.mm", sha256: sha256(bytes) }],
    options: { root: "", logical: "", paths: [], flags: [] },
    ask: some.map((name) => ({ key: name, path: "set.mm", name: `set.${name}`, class: "theorem" })),
    own: [],
    allowed: [],
    sandbox: true,
    limits: { wall: 250, cpu: 250, memory: 8192, output: 64, processes: 64 },
    cache: null,
    jobs: 1,
  } as const;
  const ran = spawnSync(process.execPath, [ADAPTER, "run"], { input: JSON.stringify(request), encoding: "utf8", maxBuffer: 2 ** 28 });
  const transcript = readTranscript(ran.stdout, request);
  assert.ok("results" in transcript, `${JSON.stringify(transcript)} ${ran.stderr}`);
  const commands = ["set width 999", `read '${DATABASES}/set.mm'`, ...some.map((label) => `show trace_back ${label} /axioms`), "exit"];
  const answers = spawnSync(METAMATH, commands, { encoding: "utf8", maxBuffer: 2 ** 28 }).stdout.split(/^MM> show trace_back .*$/m);
  assert.equal(answers.length, 201);
  const database = readMetamath("set.mm", () => bytes.toString("utf8"));
  const sound = soundDefinitions(database);
  const claims = new Set(declarations.filter(({ class: kind }) => kind === "axiom" || kind === "definition").map(({ name }) => name));
  for (const [at, { key, axioms, state }] of transcript.results.entries()) {
    const theirs =
      (answers[at + 1] ?? "")
        .split("MM>")[0]
        ?.match(/(?<=\s)[\w.-]+(?=\s)/g)
        ?.filter((name) => claims.has(name)) ?? [];
    assert.match(state, /^accepted/, key);
    const by = theirs.flatMap((name) => sound.get(name) ?? []).filter((name) => !sound.has(name));
    assert.deepEqual(axioms, [...new Set([...theirs.filter((name) => !sound.has(name)), ...by])].sort(), key);
  }
});

/** Sound definitions, and the axioms of the theorems that they are sound by. */
function soundDefinitions(database: MetamathDatabase): ReadonlyMap<string, readonly string[]> {
  const trees = openTrees(database);
  const { restsOn } = checkDatabase(database);
  const places = new Map(database.statements.map((one, at) => [one, at]));
  const found = findDefinitions(database, trees, (one) => unreadOf(trees, one) === null);
  return new Map([...found].map(([one, needs]) => [one.label, needs.flatMap((other) => restsOn(places.get(other) ?? -1).names)]));
}

test("every proof of set.mm holds as it does for the program, each claim is one tree, and six definitions are axioms", {
  skip: lacking,
  timeout: 600_000,
}, () => {
  const text = readFileSync(join(DATABASES, "set.mm"), "utf8");
  const before = process.cpuUsage();
  const database = readMetamath("set.mm", () => text);
  const { refused, unread } = checkDatabase(database);
  const { user, system } = process.cpuUsage(before);
  assert.deepEqual(database.problems, []);
  assert.deepEqual([...refused], []);
  assert.equal(unread, null);
  assert.ok((user + system) / 1e6 < 60, `${(user + system) / 1e6} s of processor`);
  const said = spawnSync(METAMATH, [`read '${DATABASES}/set.mm'`, "verify proof *", "exit"], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  }).stdout;
  assert.match(said, /All proofs in the database were verified/);
  const trees = openTrees(database);
  const sound = findDefinitions(database, trees, (one) => unreadOf(trees, one) === null);
  const axioms = database.statements.filter((one) => one.label.startsWith("df-") && !sound.has(one)).map(({ label }) => label);
  assert.deepEqual(axioms, ["df-bi", "df-tru", "df-clab", "df-cleq", "df-clel", "df-gmdl"]);
});

test("a proof of set.mm that is damaged anywhere is refused", { skip: lacking, timeout: 600_000 }, () => {
  const text = readFileSync(join(DATABASES, "set.mm"), "utf8");
  const theorems = readMetamath("set.mm", () => text).statements.filter(
    ({ kind, proof }) => kind === "p" && /\)\s+[A-T]{3}/.test(proof ?? ""),
  );
  const some = Array.from({ length: 40 }, (_, at) => theorems[Math.floor(((at + 0.5) * theorems.length) / 40)]?.proof ?? "");
  let damaged = text;
  for (const proof of some)
    damaged = damaged.replace(
      proof,
      proof.replace(/\)(\s+)([A-T])([A-T])/, (_, space: string, a: string, b: string) => `)${space}${a}${b === a ? "" : a}`),
    );
  const changed = some.filter((proof) => !damaged.includes(proof));
  const { refused } = checkDatabase(readMetamath("set.mm", () => damaged));
  assert.ok(changed.length > 20);
  assert.equal(refused.size >= changed.length - 2, true, `${refused.size} of ${changed.length}`);
});

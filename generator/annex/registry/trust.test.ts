/** Whose checks count, and for what: forged, foreign, foolish and silent ones are shown and take nothing away. No prover runs here. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { generateKey, parseSigningKey } from "../../../snapshots/log/index.ts";
import { recordStanding } from "../../../snapshots/format/standing.ts";
import { parseRegistry } from "../../sources/registry.ts";
import { CHECK_ONLY } from "../../../snapshots/schema/index.ts";
import { checkRecords } from "../../sources/check-sources.ts";
import { type CheckStatement, reproducibleDigest, seal } from "./attest.ts";
import { flagsOf, machineKey, readChecks } from "./checks.ts";
import { findStale } from "./recheck.ts";
import { scanAll } from "./scan-all.ts";
import { writeLock } from "./lock.ts";
import { openSource, OWN } from "./source-fixture.ts";

const HEX = "0".repeat(64);
type Result = CheckStatement["predicate"]["results"][number];
type Changes = {
  readonly result?: Partial<Result>;
  readonly more?: readonly Result[];
  readonly tool?: Partial<CheckStatement["predicate"]["tool"]>;
  readonly predicate?: Partial<CheckStatement["predicate"]>;
  readonly subject?: CheckStatement["subject"];
};

/** openForgery opens a source with one lemma, and puts checks of it into its store that no prover made. */
async function openForgery(t: TestContext, yaml = "") {
  const source = openSource(t, yaml);
  source.put({ "src/A.v": "Lemma a : 0 = 1. Proof. destruct ff. Qed.\n" });
  writeLock(source.config().lock, (await scanAll(source.config())).lock);
  const put = async (
    signer: string | null,
    { result = {}, more = [], tool = {}, predicate = {}, subject }: Changes = {},
  ): Promise<string> => {
    const { records } = await scanAll(source.config());
    const [{ one, source: scanned }] = records as [(typeof records)[number]];
    const made: Result = {
      key: one.key,
      path: one.path,
      state: "accepted",
      statement: "0 = 1",
      statement_sha256: one.digest,
      type_sha256: HEX,
      meaning_sha256: HEX,
      mentions: [],
      axioms: [],
      unsafe: [],
      exact: true,
      uses: [],
      ...result,
    };
    const statement: CheckStatement = {
      _type: "https://in-toto.io/Statement/v1",
      subject: subject ?? [{ name: one.path, digest: { sha256: sha256(scanned.files.get(one.path) ?? "") } }],
      predicateType: "https://proofshelf.dev/predicates/proof-check/v1",
      predicate: {
        repo: one.repo,
        revision: scanned.head,
        prover: "coq",
        second: false,
        flags: flagsOf(scanned.source),
        command: ["coqc"],
        tool: { name: "coq", version: "8.16.1", executable_sha256: HEX, installed_sha256: HEX, adapter: "coq", ...tool },
        isolation: "bubblewrap",
        limits: {},
        started: "2026-04-01T10:00:00.000Z",
        finished: "2026-04-01T10:01:00.000Z",
        request_sha256: HEX,
        transcript_sha256: HEX,
        reproducible_sha256: HEX,
        imports: { [one.path]: [] },
        definitions: {},
        results: [made, ...more],
        logs: [],
        ...predicate,
      },
    };
    const whole = { ...statement, predicate: { ...statement.predicate, reproducible_sha256: reproducibleDigest(statement) } };
    const text = seal(whole, signer === null ? null : parseSigningKey(signer));
    const { store } = source.config().checks;
    mkdirSync(store, { recursive: true });
    writeFileSync(join(store, `${sha256(text)}.json`), text);
    return sha256(text);
  };
  const state = async (): Promise<string> => (await source.records())[0]?.verification_state ?? "";
  const says = async (): Promise<string> => recordStanding((await source.records())[0]!).says;
  const refused = (): string => readChecks(source.config().checks).refused.join("\n");
  return { ...source, forge: put, state, says, refused };
}

const LATE = { started: "2026-05-01T10:00:00.000Z", finished: "2026-05-01T10:01:00.000Z" };

test("a forged check keeps no prover from being started, whoever made it", async (t) => {
  const { forge, state, says, config, records } = await openForgery(t);
  await forge(null);
  await forge(generateKey("inria.fr/coq-team").privateKey);
  await forge(generateKey("mpi-sws.org/checkers").privateKey, { predicate: LATE });
  assert.equal(await state(), "UNSPECIFIED");
  assert.equal(await says(), "unspecified");
  const [record] = await records();
  assert.equal(record?.agreement, undefined, "two invented institutes agree with nobody");
  assert.deepEqual(
    record?.checks?.map(({ counted, state: said }) => [counted, said]),
    [
      [true, "not_run"],
      [false, "accepted"],
      [false, "accepted"],
      [false, "accepted"],
    ],
  );
  const scan = await scanAll(config());
  assert.equal(findStale(scan.records, scan.checks, () => null).length, 1);
});

test("without trust the key of this machine counts alone, and without a key nothing does", async (t) => {
  const { forge, state, refused } = await openForgery(t);
  const own = await forge(OWN.privateKey);
  assert.equal(await state(), "VERIFIED");
  delete process.env["RECHECK_KEY"];
  try {
    assert.equal(await state(), "UNSPECIFIED");
    assert.match(refused(), new RegExp(`${own}.*trust of registry.yaml names nobody, and RECHECK_KEY is not set`));
  } finally {
    process.env["RECHECK_KEY"] = OWN.privateKey;
  }
});

test("a key that is none is told by the name of its variable, and without a word of it", (t) => {
  t.after(() => (process.env["RECHECK_KEY"] = OWN.privateKey));
  process.env["RECHECK_KEY"] = OWN.privateKey.slice(0, -8);
  assert.throws(machineKey, { code: "bad_config", message: /^RECHECK_KEY is no private key of a signed note/ });
  process.env["RECHECK_KEY"] = "";
  assert.equal(machineKey(), null);
});

test("with trust, the key of this machine counts only where it is named", async (t) => {
  const theirs = generateKey("their.example");
  const { forge, state } = await openForgery(t, `checks: { trust: [${JSON.stringify(theirs.publicKey)}] }\n`);
  await forge(OWN.privateKey);
  assert.equal(await state(), "UNSPECIFIED");
  await forge(theirs.privateKey);
  assert.equal(await state(), "VERIFIED");
});

test("a key of a trusted name that is another key is a stranger's", async (t) => {
  const { forge, state } = await openForgery(t);
  await forge(generateKey("own.example").privateKey);
  assert.equal(await state(), "UNSPECIFIED");
});

test("a check of a time to come, of no time, of no version, or that speaks twice is refused, though it is signed", async (t) => {
  const { forge, state, refused } = await openForgery(t);
  for (const [changes, why] of [
    [{ predicate: { finished: "2099-01-01T00:00:00.000Z" } }, /ended in the future, on 2099-01-01/],
    [{ predicate: { started: "2026-04-02T00:00:00.000Z" } }, /ends before it begins/],
    [{ predicate: { finished: "yesterday" } }, /no times of a run/],
    [{ predicate: { finished: "2026-04-01" } }, /no times of a run/],
    [{ tool: { version: "99.0 (formally verified kernel)" } }, /names a version that is none/],
    [{ tool: { version: "" } }, /names a version that is none/],
  ] as readonly (readonly [Changes, RegExp])[]) {
    await forge(OWN.privateKey, changes);
    assert.equal(await state(), "UNSPECIFIED");
    assert.match(refused(), why);
  }
});

test("a doubled key is refused", async (t) => {
  const { forge, state, refused, config } = await openForgery(t);
  const { records } = await scanAll(config());
  const { one } = records[0]!;
  const twin: Result = {
    key: one.key,
    path: one.path,
    state: "rejected",
    statement: null,
    statement_sha256: "",
    type_sha256: null,
    meaning_sha256: null,
    mentions: [],
    axioms: null,
    unsafe: [],
    exact: false,
    uses: [],
  };
  await forge(OWN.privateKey, { more: [twin] });
  assert.equal(await state(), "UNSPECIFIED");
  assert.match(refused(), /speaks twice of/);
  const { checks, sources } = await scanAll(config());
  assert.deepEqual(checks.findings(sources), []);
});

test("results for what is not in the revision, and versions that nobody knows, are findings", async (t) => {
  const { forge, config } = await openForgery(t);
  await forge(OWN.privateKey, { tool: { version: "99.0" }, result: { key: "r coq L.A.elsewhere" } });
  const { checks, sources } = await scanAll(config());
  const found = checks.findings(sources).join("\n");
  assert.match(found, /is of coq 99\.0, a version that is not known/);
  assert.match(found, /speaks of r coq L\.A\.elsewhere, which is none of the declarations/);
});

test("a run that could say nothing takes nothing away, and one that says more counts more", async (t) => {
  const { forge, state, records } = await openForgery(t);
  await forge(OWN.privateKey);
  for (const said of ["timeout", "memory", "environment", "not_run"] as const)
    await forge(OWN.privateKey, { result: { state: said, axioms: null }, predicate: LATE });
  assert.equal(await state(), "VERIFIED");
  await forge(OWN.privateKey, { result: { exact: false, axioms: ["L.x"], state: "accepted_with_axioms" }, predicate: LATE });
  assert.equal(await state(), "VERIFIED", "at most these is less than exactly none, by the same tool");
  assert.deepEqual((await records())[0]?.axioms, []);
  await forge(OWN.privateKey, {
    result: { state: "rejected", axioms: null },
    predicate: { ...LATE, finished: "2026-05-02T10:01:00.000Z" },
  });
  assert.equal(await state(), "NOT_VERIFIED", "a refusal is no silence");
});

test("at most these axioms outside the policy is no refusal, and no proof", async (t) => {
  const { forge, state } = await openForgery(t);
  await forge(OWN.privateKey, { result: { exact: false, axioms: ["L.x"], state: "accepted_with_axioms" } });
  assert.equal(await state(), "UNSPECIFIED");
});

test("an answer holds as long as all that it depends on: what was away has to be away, and a refusal is of its revision alone", async (t) => {
  const { forge, state, put, config } = await openForgery(t);
  await forge(OWN.privateKey, { predicate: { imports: { "src/A.v": ["src/B.v"], "A.v": ["B.v"] } } });
  assert.equal(await state(), "VERIFIED");
  put({ "src/B.v": "Lemma b : True. Proof. exact I. Qed.\n" });
  writeLock(config().lock, (await scanAll(config())).lock);
  assert.equal(await state(), "UNSPECIFIED");
  const other = await openForgery(t);
  await other.forge(OWN.privateKey, { result: { state: "rejected", axioms: null }, predicate: { revision: "another" } });
  assert.equal(await other.state(), "UNSPECIFIED");
  await other.forge(OWN.privateKey, { result: { state: "rejected", axioms: null } });
  assert.equal(await other.state(), "NOT_VERIFIED");
});

test("one library's checks are not another's, though both call their repository by one name", async (t) => {
  const { forge, records, folder, config } = await openForgery(t);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", join(folder, "src"), "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
      encoding: "utf8",
    }).trim();
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "one");
  writeFileSync(join(folder, "registry.yaml"), "sources:\n  - { repo: r, git: ./src, prover: coq, logical: L }\n");
  writeLock(config().lock, (await scanAll(config())).lock);
  await forge(OWN.privateKey, {
    result: { statement_sha256: HEX, type_sha256: "1".repeat(64), meaning_sha256: "1".repeat(64) },
    predicate: { revision: "b".repeat(40) },
    subject: [{ name: "A.v", digest: { sha256: HEX } }],
  });
  const [stranger] = await records();
  assert.deepEqual(
    stranger?.checks?.map(({ state }) => state),
    ["not_run"],
    "it is stale of nothing that this repository ever had",
  );
  await forge(OWN.privateKey, { predicate: LATE });
  assert.equal((await records())[0]?.drift, undefined);
});

const hand = (members: string): Buffer =>
  Buffer.from(
    `{ "cubs": [\n  { "id": "CUB-0001", "repo": "r", "theorem_name": "t", "statement": "0 = 1",\n    "verification_state": "VERIFIED",\n    ${members} }\n] }`,
  );
const VALUES: Readonly<Record<string, string>> = {
  checks: '[{ "state": "accepted", "prover": "coq", "signers": ["inria.fr"], "counted": true }]',
  agreement: '{ "checkers": 3, "agree": 3 }',
  anchor: '{ "path": "A.v", "line": 1, "end_line": 2 }',
  drift: '{ "cause": "wording", "since": "one", "definitions": [] }',
  statement_basis: '"person"',
};

test("a registry by hand says not who checked what: each such member is refused with its line and what to do", async (t) => {
  for (const name of CHECK_ONLY) {
    const bytes = hand(`"${name}": ${VALUES[name] ?? "[]"}`);
    const { records, rejected } = parseRegistry(bytes);
    assert.deepEqual(records, [], name);
    assert.match(rejected[0]?.reason ?? "", new RegExp(`^${name} \\(line 4\\): only a check may say this; remove it`));
    assert.match(
      checkRecords(bytes, [], parseRegistry)
        .wrong.map(({ line, what }) => `${line} ${what}`)
        .join("\n"),
      /^4 cannot stand here: only a check may say this/,
    );
  }
  assert.equal(parseRegistry(hand('"checks": null')).records.length, 1, "null is left out");
  assert.equal(parseRegistry(hand(`"checks": ${VALUES["checks"] ?? ""}`), true).records.length, 1, "what is made of checks has them");
  const { put, config } = openSource(t, "records: ./hand.json\n");
  put({ "src/A.v": "Lemma a : 0 = 1. Admitted.\n", "hand.json": hand(`"agreement": ${VALUES["agreement"] ?? ""}`).toString() });
  await assert.rejects(scanAll(config()), /hand\.json has records that cannot be used:\nCUB-0001: agreement \(line 4\)/);
});

test("an overlay says not who checked what, not even under the name of an internal member", async (t) => {
  const { put, config } = openSource(t, "overlay: ./overlay.yaml\n");
  put({ "src/A.v": "Lemma a : 0 = 1. Admitted.\n" });
  for (const name of [...CHECK_ONLY, "verification_state: VERIFIED", "status", "no_holes", "statement"]) {
    put({ "overlay.yaml": `records:\n  - match: "**"\n    ${name.includes(":") ? name : `${name}: []`}\n` });
    await assert.rejects(scanAll(config()), /overlay\.yaml:3/, name);
    const plain = name.split(":")[0] ?? "";
    put({ "overlay.yaml": `internal: [${plain}]\nrecords:\n  - match: "**"\n    ${plain}: []\n` });
    await assert.rejects(scanAll(config()), /overlay\.yaml:1: .*cannot be internal/, name);
  }
});

test("a state that a person lowers is of no check: its status says so", async (t) => {
  const { forge, put, records, config } = await openForgery(t);
  await forge(OWN.privateKey);
  put({ "registry.yaml": `overlay: ./overlay.yaml\n${readFileSync(config().file, "utf8")}` });
  for (const state of ["NOT_VERIFIED", "UNSPECIFIED"]) {
    put({ "overlay.yaml": `records:\n  - { match: "**", verification_state: ${state} }\n` });
    const [record] = await records();
    assert.deepEqual([record?.verification_state, record?.status], [state, "LOWERED"]);
  }
});

test("a Lean twin that has the name alone makes no Coq+Lean, whatever it says", async (t) => {
  const { put, config, records } = openSource(t);
  const lean = [
    "theorem a : 0 = 1 := sorry\n",
    "theorem a : True := trivial\n",
    "axiom a : False\n",
    "def a := 1\n",
    "-- theorem b\ntheorem a : 0 = 0 := by simp\n",
  ];
  put({
    "registry.yaml": `sources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, root: coq, logical: L, pair: "lean/{x}.lean" }\n`,
    ...Object.fromEntries(lean.map((_, at) => [`src/coq/A${at}.v`, "Lemma a : 0 = 0. Proof. reflexivity. Qed.\n"])),
    ...Object.fromEntries(lean.map((text, at) => [`src/lean/A${at}.lean`, text])),
  });
  for (const [folder, name] of [
    ["coq/deep er", "lean/deep er"],
    ["coq/$&", "lean/$&"],
  ])
    put({ [`src/${folder}/T.v`]: "Lemma a : 0 = 0. Proof. reflexivity. Qed.\n", [`src/${name}/T.lean`]: lean[0] ?? "" });
  const places = "prover: coq, root: coq, logical: L";
  for (const where of [places, 'prover: coq, paths: ["-Q coq L"]', "prover: coq, root: ./coq/, logical: L"]) {
    const text = readFileSync(config().file, "utf8").replace(/prover: coq,.*(?=, pair)/, where);
    put({ "registry.yaml": text });
    writeLock(config().lock, (await scanAll(config())).lock);
    assert.deepEqual(
      (await records()).filter(({ files }) => files.lean_file === ""),
      [],
      where,
    );
  }
  const made = await records();
  assert.equal(made.length, lean.length + 2);
  assert.deepEqual([...new Set(made.map(({ formal_systems: systems }) => systems))], ["Coq"]);
});

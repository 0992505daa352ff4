/** Sources with a history: ids stay with what they name, through moves, renames, deletion and return, and the merge of two branches. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkSentences } from "../../../snapshots/format/check-sentence.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { openRegistrySources } from "./config.ts";
import { readLock, writeLock } from "./lock.ts";
import { makeRegistry } from "./make-registry.ts";
import { scanAll, type ScanOptions } from "./scan-all.ts";
import { writeScan } from "./write-scan.ts";

type Files = Readonly<Record<string, string>>;

/** A repository with one commit for each set of files, and a registry.yaml of it. */
function openHistory(t: TestContext, yaml = "") {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-registry-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const repo = join(folder, "repo");
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { encoding: "utf8", stdio: "pipe" });
  mkdirSync(repo);
  git("init", "-q", "-b", "main");
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  put("registry.yaml", `${yaml}sources:\n  - { repo: r, git: ./repo, prover: coq, root: v, logical: L, kinds: [theorem, definition] }\n`);
  const commit = (files: Files): void => {
    git("rm", "-rqf", "--ignore-unmatch", ".");
    for (const [path, text] of Object.entries(files)) put(`repo/${path}`, text);
    git("add", "-A");
    git("commit", "-qm", "next", "--allow-empty");
  };
  const config = () => openRegistrySources(join(folder, "registry.yaml"));
  const scan = async (options: ScanOptions = {}) => {
    const { lock, drift, notes } = await scanAll(config(), options);
    writeLock(config().lock, lock);
    return { drift: drift.map(({ what, id, key }) => `${what} ${id} ${key.slice("r coq L.".length)}`).sort(), notes, lock };
  };
  return { folder, repo, git, put, commit, config, scan };
}

const lemma = (name: string, statement: string): string => `Lemma ${name} : ${statement}. Proof. trivial. Qed.\n`;

test("ids stay through moves, accepted renames, a swap of names, deletion and return; nothing is numbered twice", async (t) => {
  const { commit, scan } = openHistory(t);
  commit({ "v/A.v": lemma("one", "1 = 1") + lemma("two", "2 = 2"), "v/B.v": lemma("three", "3 = 3") });
  assert.deepEqual((await scan()).drift, ["new CUB-0001 A.one", "new CUB-0002 A.two", "new CUB-0003 B.three"]);
  assert.deepEqual((await scan()).drift, [], "a second scan finds nothing");
  commit({ "v/A.v": `\n\n(* moved down *)\n${lemma("one", "1  =\n 1")}${lemma("two", "2 = 2")}`, "v/C/B.v": lemma("three", "3 = 3") });
  assert.deepEqual((await scan()).drift, ["moved CUB-0003 C.B.three"], "neither lines nor spacing are a change");
  commit({ "v/A.v": lemma("uno", "1 = 1") + lemma("two", "2 = 2"), "v/C/B.v": lemma("three", "3 = 3") });
  const renamed = await scan({ accept: ["CUB-0001"], reason: "Italian" });
  assert.deepEqual([renamed.drift, renamed.lock[0]?.reason], [["renamed CUB-0001 A.uno"], "Italian"]);
  commit({ "v/A.v": lemma("uno", "2 = 2") + lemma("two", "1 = 1"), "v/C/B.v": lemma("three", "3 = 3") });
  assert.deepEqual(
    (await scan()).drift,
    ["changed CUB-0001 A.uno", "changed CUB-0002 A.two"],
    "names keep their ids when statements are swapped",
  );
  commit({ "v/A.v": lemma("uno", "2 = 2") });
  assert.deepEqual((await scan()).drift, ["gone CUB-0002 A.two", "gone CUB-0003 C.B.three"]);
  commit({ "v/A.v": lemma("uno", "2 = 2") + lemma("four", "4 = 4"), "v/C/B.v": lemma("three", "3 = 3") });
  const back = await scan();
  assert.deepEqual(back.drift, ["new CUB-0004 A.four", "returned CUB-0003 C.B.three"]);
  assert.deepEqual(back.lock.find(({ id }) => id === "CUB-0001")?.was, ["r coq L.A.one"]);
  assert.equal(back.lock.find(({ id }) => id === "CUB-0001")?.reason, undefined, "it was not given for what the names state now");
});

test("a rename is proposed and not taken by itself, and the overlay can say one", async (t) => {
  const { commit, scan, put } = openHistory(t, "overlay: ./overlay.yaml\n");
  put("overlay.yaml", "records: []\n");
  commit({ "v/A.v": lemma("one", "1 = 1") + lemma("two", "2 = 2") });
  await scan();
  commit({ "v/A.v": lemma("uno", "1 = 1") + lemma("due", "4 = 4") });
  put("overlay.yaml", "renames: [{ from: r coq L.A.two, to: r coq L.A.due }]\n");
  assert.deepEqual((await scan()).drift, [
    "changed CUB-0002 A.due",
    "gone CUB-0001 A.one",
    "renamed CUB-0002 A.due",
    "renamed? CUB-0001 A.uno",
  ]);
});

test("a rename is accepted after a scan, too, also where another states the same; what cannot be is told", async (t) => {
  const { commit, scan, config } = openHistory(t);
  commit({ "v/A.v": lemma("one", "1 = 1") + lemma("same", "1 = 1") + lemma("two", "2 = 2") });
  await scan();
  commit({ "v/A.v": lemma("uno", "1 = 1") + lemma("same", "1 = 1") });
  assert.ok((await scan()).drift.includes("renamed? CUB-0001 A.uno"));
  await assert.rejects(scanAll(config(), { accept: ["CUB-0003"], reason: "x" }), /CUB-0003 is gone, and no one declaration/);
  const { lock } = await scan({ accept: ["CUB-0001"], reason: "Italian" });
  assert.deepEqual(
    lock.filter(({ state }) => state === "live").map(({ id, key }) => `${id} ${key.slice("r coq L.".length)}`),
    ["CUB-0001 A.uno", "CUB-0002 A.same"],
  );
});

test("what is hidden by its id stays so where it moves and where it gets another name, until its name is shown", async (t) => {
  const { put, commit, config, scan } = openHistory(t, "overlay: ./o.yaml\n");
  const hide = "records:\n  - { ids: [CUB-0001, CUB-0002], hide: true }\n";
  const kept = { "v/Z.v": lemma("other", "1 = 1") };
  commit({ "v/A.v": lemma("one", "1 = 1") + lemma("two", "2 = 2"), "v/B.v": "" });
  put("o.yaml", "records: []\n");
  await scan();
  put("o.yaml", hide);
  const shownNow = async (): Promise<readonly string[]> => {
    const { records } = await scanAll(config());
    await scan();
    return records.map(({ one }) => one.key.slice("r coq L.".length));
  };
  for (const files of [
    { "v/C.v": lemma("one", "1 = 1") },
    { "v/A.v": lemma("uno", "1 = 1") },
    { "v/C.v": lemma("uno", "1 = 1") + lemma("due", "2 = 2") },
    { "v/A.v": lemma("uno", "1 = 1") + lemma("ichi", "1 = 1") },
  ]) {
    commit(files);
    assert.deepEqual([await shownNow(), await shownNow()], [[], []], "by the next scan, too");
  }
  const files = { "v/A.v": lemma("one", "1 = 1") + lemma("uno", "1 = 1") + lemma("three", "3 = 3"), ...kept };
  commit(files);
  assert.deepEqual((await shownNow()).toSorted(), ["A.three", "A.uno", "Z.other"], "what is there beside it is another");
  commit({ "v/A.v": lemma("due", "2 = 2") });
  assert.deepEqual(await shownNow(), []);
  put("o.yaml", `${hide}  - { match: r/L.A/due, hide: false }\n`);
  assert.deepEqual(await shownNow(), ["A.due"]);
});

test("a statement that a prover accepted is not replaced unless somebody says so", async (t) => {
  const { commit, scan, config } = openHistory(t);
  commit({ "v/A.v": lemma("one", "1 = 1") });
  const { lock } = await scan();
  writeLock(
    config().lock,
    lock.map((line) => ({ ...line, verified: line.statement as never })),
  );
  commit({ "v/A.v": lemma("one", "True") });
  const { drift } = await scanAll(config());
  assert.deepEqual(
    drift.map(({ what, refused }) => [what, refused]),
    [["changed", true]],
  );
  await assert.rejects(makeRegistry(config()), /CUB-0001 has other words/);
  const accepted = await scanAll(config(), { accept: ["CUB-0001"], reason: "weaker is enough" });
  assert.equal(accepted.drift[0]?.refused, false);
  assert.equal(accepted.lock[0]?.verified, undefined);
  commit({ "v/A.v": lemma("one", "1 = 1") });
  await assert.rejects(
    scanAll(config(), { accept: ["CUB-0001"], reason: "what may come" }),
    { code: "bad_config", message: /CUB-0001 is as it was/ },
    "nothing is accepted in advance",
  );
});

test("locks of two branches merge; where both gave one id, the way out that is told leads to a lock that is read", async (t) => {
  const { git, put, config, scan } = openHistory(t, "lock: ./repo/registry.lock.jsonl\n");
  const on = async (files: Files): Promise<readonly string[]> => {
    for (const [path, text] of Object.entries(files)) put(`repo/${path}`, text);
    git("add", "-A");
    git("commit", "-qm", "texts");
    const { drift } = await scan();
    git("add", "-A");
    git("commit", "-qm", "lock", "--allow-empty");
    return drift;
  };
  const [one, two] = [lemma("one", "1 = 1"), lemma("two", "2 = 2")];
  await on({ "v/A.v": one + two, "v/B.v": lemma("three", "3 = 3") });
  git("checkout", "-qb", "other");
  await on({ "v/A.v": lemma("one", "1 = 0 + 1") + two, "v/D.v": lemma("five", "5 = 5") });
  git("checkout", "-q", "main");
  // A comment is no change of the lock, and a statement in one line is none of a theorem in another.
  assert.deepEqual(await on({ "v/B.v": `(* three *)\n${lemma("three", "3 = 3")}` }), []);
  git("merge", "-qm", "no conflict", "other");
  assert.deepEqual((await scan()).drift, []);
  git("checkout", "-qb", "third");
  await on({ "v/E.v": lemma("six", "6 = 6") + lemma("seven", "7 = 7") });
  git("checkout", "-q", "main");
  await on({ "v/C.v": lemma("four", "4 = 4"), "v/E.v": lemma("seven", "7 = 7") });
  assert.throws(() => git("merge", "-qm", "conflict", "third"));
  // The text of E.v is in conflict as well, and a person settles it.
  put("repo/v/E.v", lemma("six", "6 = 6") + lemma("seven", "7 = 7"));
  const lines = readFileSync(config().lock, "utf8").split("\n");
  const refused = (): readonly string[] => {
    try {
      readLock(config().lock);
      return [];
    } catch (error) {
      return (error as Error).message.split("\n").map((row) => row.slice(config().lock.length));
    }
  };
  const first = lines.findIndex((row) => row.startsWith("<")) + 1;
  assert.deepEqual(refused(), [
    `:${first}: two branches were merged here: take out the lines of marks, and of the others what is named below`,
    `:${first + 4}: CUB-0005 stands in line ${first + 1}, too, for another theorem: keep the one that was published first; the next scan gives the other a new id`,
    `:${first + 5}: CUB-0006 stands in line ${first + 2}, too: keep the one of the two lines that was published first`,
  ]);
  writeFileSync(config().lock, lines.filter((_, at) => at + 1 < first || at + 1 === first + 1 || at + 1 === first + 2).join("\n"));
  git("add", "-A");
  git("commit", "-qm", "settled");
  assert.deepEqual((await scan()).drift, ["new CUB-0007 E.six"]);
});

test("a line twice, an id twice and what is no line are told with their lines", async (t) => {
  const { commit, scan, config } = openHistory(t);
  commit({ "v/A.v": lemma("one", "1 = 1") + lemma("two", "2 = 2") });
  await scan();
  const [one = "", two = ""] = readFileSync(config().lock, "utf8").split("\n");
  writeFileSync(config().lock, `${one}\n${one}\n${two.replace("CUB-0002", "CUB-0001")}\n${two}\n{"id":1}\n`);
  assert.throws(
    () => readLock(config().lock),
    ({ message }: Error) =>
      /:2: CUB-0001 stands in line 1, too: keep the one/.test(message) &&
      /:3: CUB-0001 stands in line 1, too, for another/.test(message) &&
      /:4: r coq L\.A\.two stands in line 3, too: keep the one/.test(message) &&
      /:5: id/.test(message),
  );
});

test("what another command has written into the lock meanwhile is not written over: neither its ids nor what it accepted", async (t) => {
  const { commit, scan, config } = openHistory(t);
  commit({ "v/A.v": lemma("one", "1 = 1") });
  const long = await scanAll(config());
  commit({ "v/A.v": lemma("uno", "1 = 1") + lemma("two", "2 = 2") });
  const { lock } = await scan();
  assert.throws(() => writeScan(config(), long), { code: "lost_race", message: /changed by another command meanwhile/ });
  const late = await scanAll(config());
  await scan();
  writeScan(config(), late); // what says the same is no change
  assert.deepEqual(readLock(config().lock), lock);
  commit({ "v/A.v": lemma("uno", "1 = 1") + lemma("dos", "2 = 2") });
  const before = await scanAll(config());
  const { id = "" } = lock.find(({ key }) => key.endsWith(".two")) ?? {};
  await scan({ accept: [id], reason: "Spanish" });
  assert.throws(() => writeScan(config(), before), { code: "lost_race" });
  assert.equal(readLock(config().lock).find((line) => line.id === id)?.reason, "Spanish");
});

test("half of a file in the code store, as a full disk leaves it, is written whole by the next scan", async (t) => {
  const { folder, commit, config } = openHistory(t, "code: ./code\n");
  commit({ "v/A.v": lemma("one", "1 = 1") });
  const scan = await scanAll(config());
  writeScan(config(), scan);
  const file = join(folder, "code/r", scan.sources[0]?.head ?? "", "v/A.v");
  const whole = readFileSync(file, "utf8");
  assert.equal(whole, lemma("one", "1 = 1"));
  writeFileSync(file, whole.slice(0, 9));
  writeScan(config(), await scanAll(config()));
  assert.equal(readFileSync(file, "utf8"), whole);
});

test("what is wrong with registry.yaml and the overlay is told at once, each with its line", async (t) => {
  const { put, config, commit } = openHistory(t);
  put("registry.yaml", "lok: x\nsources:\n  - { repo: ../x, git: ./repo, prover: abacus }\n  - { repo: b, prover: coq }\n");
  assert.throws(
    config,
    ({ message }: Error) => /:1: lok .*did you mean "lock"/.test(message) && /:3: .*repo/.test(message) && /:3: .*prover/.test(message),
  );
  put("registry.yaml", "sources:\n  - { repo: b, prover: coq }\n  - { repo: c, prover: coq, git: ., folder: . }\n");
  assert.throws(config, ({ message }: Error) => /:2: .*names no place/.test(message) && /:3: .*has both/.test(message));
  put("registry.yaml", "overlay: ./o.yaml\nsources:\n  - { repo: r, git: ./repo, prover: coq }\n");
  put(
    "o.yaml",
    'records:\n  - match: "r/**"\n    statement: "1 = 2"\n    note: fine\n  - ids: [CUB-0001]\n    verification_state: VERIFIED\n    lain: x\n',
  );
  commit({ "A.v": lemma("one", "1 = 1") });
  await assert.rejects(scanAll(config()), ({ message }: Error) => /:6: .*verification_state is not one of the known values/.test(message));
  put("o.yaml", 'records:\n  - match: "r/**"\n    statement: "1 = 2"\n  - ids: [CUB-0001]\n    lain: x\n  - note: of nobody\n');
  await assert.rejects(
    scanAll(config()),
    ({ message }: Error) =>
      /:3: .*statement cannot be said here/.test(message) &&
      /:5: .*lain is no member/.test(message) &&
      /:6: .*says of no record/.test(message),
  );
});

test("the registry takes over ids and words of one written by hand, and lowers a state where a person says so", async (t) => {
  const { put, commit, config, scan } = openHistory(t, "records: ./hand.json\noverlay: ./o.yaml\n");
  const hand = { repo: "r", module: "L.A", status: "X", verification_state: "VERIFIED", note: "by hand", statement: "typed" };
  put(
    "hand.json",
    JSON.stringify({
      meta: { service: "S" },
      cubs: [
        { ...hand, id: "CUB-0042", theorem_name: "one" },
        { ...hand, id: "CUB-0043", theorem_name: "elsewhere" },
      ],
    }),
  );
  put(
    "o.yaml",
    'records:\n  - { match: "r/**", lane: model }\n  - { match: "r/L.A/hidden_*", hide: true }\n  - { match: "nobody", lane: x }\n',
  );
  commit({ "v/A.v": `(** All is well. *)\n${lemma("one", "1 = 1")}${lemma("two", "2 = 2")}${lemma("hidden_1", "3 = 3")}` });
  await assert.rejects(makeRegistry(config()), / not in the lock .* Run proofshelf registry scan first/);
  const { notes } = await scan();
  assert.deepEqual(notes, ['The overlay speaks of "nobody", and nothing is called so.']);
  const { meta, cubs } = JSON.parse(Buffer.from(await makeRegistry(config())).toString()) as {
    meta: Record<string, unknown>;
    cubs: Record<string, unknown>[];
  };
  assert.deepEqual(
    cubs.map(({ id, theorem_name, statement, verification_state, note, lane, ...rest }) => [
      id,
      theorem_name,
      statement,
      verification_state,
      note,
      lane,
      ...checkSentences(rest),
    ]),
    [
      ["CUB-0042", "one", "1 = 1", "UNSPECIFIED", "by hand", "model", "Nobody has run Coq over this here."],
      ["CUB-0043", "elsewhere", "typed", "VERIFIED", "by hand", "", "Said by hand: no check of it lies here."],
      ["CUB-0044", "two", "2 = 2", "UNSPECIFIED", "", "model", "Nobody has run Coq over this here."],
    ],
  );
  assert.deepEqual(meta["verification_counts"], { UNSPECIFIED: 2, VERIFIED: 1 });
});

test("a hostile repository runs nothing and reaches nothing outside; links, submodules, pointers and other bytes are told", async (t) => {
  const { folder, repo, git, commit, scan, put, config } = openHistory(t);
  const trap = join(folder, "sprung");
  commit({
    "v/A.v": lemma("one", "1 = 1"),
    "v/Lfs.v": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n",
    "v/Circuit.v": "module top(input a);\nendmodule\n",
    "v/Twice.v": lemma("one", "1 = 1") + lemma("one", "2 = 2"),
    "v/na\u202eme.v": lemma("bidi", "1 = 1"),
  });
  writeFileSync(join(repo, "v/Latin.v"), Buffer.from([0xff, 0xfe]));
  symlinkSync("/etc/passwd", join(repo, "v/Link.v"));
  git("add", "-A");
  git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},v/sub`);
  git("commit", "-qm", "hostile");
  for (const hook of ["post-checkout", "reference-transaction", "post-index-change"])
    put(`repo/.git/hooks/${hook}`, `#!/bin/sh\ntouch ${trap}\n`);
  execFileSync("chmod", ["-R", "+x", join(repo, ".git/hooks")]);
  for (const [name, value] of [
    ["core.fsmonitor", `touch ${trap}`],
    ["core.pager", `touch ${trap};`],
    ["diff.external", `touch ${trap}`],
    ["filter.x.smudge", `touch ${trap}`],
    ["core.sshCommand", `touch ${trap}`],
    ["protocol.ext.allow", "always"],
    ["remote.origin.url", `ext::touch ${trap}`],
    ["remote.origin.promisor", "true"],
    ["extensions.partialClone", "origin"],
  ])
    git("config", name ?? "", value ?? "");
  // A blob that is promised and lacks would be fetched.
  const id = git("rev-parse", "HEAD:v/Circuit.v").trim();
  rmSync(join(repo, ".git/objects", id.slice(0, 2), id.slice(2)));
  const { notes, lock } = await scan();
  assert.equal(existsSync(trap), false);
  assert.deepEqual(
    lock.map(({ key }) => key),
    ["r coq L.A.one", "r coq L.Twice.one"],
  );
  for (const what of [
    /Link\.v" is a symbolic link/,
    /sub" is a submodule/,
    /Lfs\.v" is a pointer of Git LFS/,
    /Latin\.v" is not UTF-8/,
    /Twice\.v":2 declares .* again/,
    /me\.v" has a name/,
    /Circuit\.v" is not in the repository/,
  ])
    assert.ok(
      notes.some((note) => what.test(note)),
      `${what} in ${notes.join("\n")}`,
    );
  put("registry.yaml", "sources:\n  - { repo: r, git: ./repo, rev: nowhere, prover: coq }\n");
  await assert.rejects(scanAll(config()), (error) => error instanceof ShelfError && /has no revision "nowhere"/.test(error.message));
  put("registry.yaml", "sources:\n  - { repo: r, git: ./no, prover: coq }\n");
  await assert.rejects(scanAll(config()), /no does not exist/);
});

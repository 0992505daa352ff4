/** Mistakes of people: each is told with its place, its cause and what to do. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { describeFailure } from "../files/failure.ts";
import { writeFiles } from "../testing/library.ts";
import { type Ran, runIn } from "../testing/run-program.ts";

const CONFIG =
  "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nregistry: { path: ./registry.json }\ncode: { kind: directory, root: ./code }\nembeddings: { kind: none }\ncollections:\n  - { id: notes, prefix: notes/, title: Notes, visibility: public }\n";
const HEAD = "4be22682279aeabe8ef151e4794914ecf2324370";

async function openLibrary(t: TestContext): Promise<(files: Readonly<Record<string, string>>, ...command: string[]) => Promise<Ran>> {
  const dir = mkdtempSync(join(tmpdir(), "messages-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(
    dir,
    Object.entries({ "library/notes/a.md": "# A\n", "code/x": "", "proofshelf.yaml": CONFIG, "registry.json": '{ "cubs": [] }' }),
  );
  return async (files, ...command) => {
    await writeFiles(dir, Object.entries(files));
    return runIn(dir, command.length === 0 ? ["config", "check"] : command);
  };
}

const record = (more: string): string => `{ "id": "CUB-0001", "repo": "r", "theorem_name": "t", "statement": "s"${more} }`;

test("broken JSON is told once, with its line and why", async (t) => {
  const check = await openLibrary(t);
  for (const [text, line, why] of [
    [`{ "cubs": [\n  ${record("")},\n] }`, 3, "a comma too many stands before that"],
    [`{ "cubs": [\n  ${record(',\n "note": "x",')}\n] }`, 3, "a comma too many stands before that"],
    [`{ "cubs": [\n  ${record("")}\n  ${record("")}\n] }`, 3, "a comma is missing before that"],
    [`{ "cubs": [\n  ${record('\n "note": "x"')}\n] }`, 3, "a comma is missing before that"],
    [`{ "cubs": [\n`, 2, "it breaks off there"],
    [
      `{ "cubs": [\n  ${record("").replace('"s"', '"s\nt"')}\n] }`,
      2,
      "a text is not ended on its line; end it with a quote, or write \\n for a new line",
    ],
    [`{ "cubs": [\n  ${record("").replace('"s"', '"A /\\ B"')}\n] }`, 2, "a backslash stands before that; in a text it is written twice"],
    [`{ "cubs": [\n  ${record(',\n "no_holes": True')}\n] }`, 3, "write true, false or null"],
    ["cubs: []\n", 1, "it begins with { as every registry does, not with this"],
    [`{ "cubs": [\n  // mine\n  ${record("")}\n] }`, 2, "JSON has no comments"],
  ] as const) {
    const { status, stderr } = await check({ "registry.json": text });
    assert.equal(status, 2, text);
    assert.ok(stderr.startsWith(`registry.json:${line}: It is not valid JSON: ${why}.`), stderr);
  }
});

test("a file of sources that is named as one of records, and a quote that is not closed, are told once", async (t) => {
  const check = await openLibrary(t);
  const config = CONFIG.replace("registry: { path: ./registry.json }", "registry: { path: ./registry.yaml }");
  const named = await check({ "proofshelf.yaml": config, "registry.yaml": "# mine\nsources: []\n" });
  assert.match(named.stderr, /^registry\.yaml:1: names sources and has no records; the configuration names it as registry: \{ sources/);
  const open = await check({
    "proofshelf.yaml": `${CONFIG}claims: { path: ./claims.yaml }\n`,
    "claims.yaml": 'claims:\n  - { id: a, title: "A }\n',
  });
  assert.equal(open.stderr, 'claims.yaml:3: is not valid YAML: Missing closing "quote\n');
});

test("a build tells evidence that leads nowhere, as config check does", async (t) => {
  const check = await openLibrary(t);
  const claims =
    "claims:\n  - { id: a, title: A, status: partial, scope: s, statement: s, evidence: [{ artifact: N, kind: note, access: public, path: notes/aa.md }] }\n";
  const { stdout } = await check({ "proofshelf.yaml": `${CONFIG}claims: { path: ./claims.yaml }\n`, "claims.yaml": claims }, "build");
  assert.match(
    stdout,
    /^Note: The evidence of claim a has a path that is "notes\/aa\.md", which is no object of this library; did you mean "notes\/a\.md"\?$/m,
  );
});

test("a merge that was not ended is told as that, in each file", async (t) => {
  const check = await openLibrary(t);
  const conflict = "<<<<<<< HEAD\ntitle: A\n=======\ntitle: B\n>>>>>>> other\n";
  for (const name of ["registry.json", "proofshelf.yaml"]) {
    const { stderr } = await check({ "proofshelf.yaml": CONFIG, [name]: `${name === "registry.json" ? "{\n" : CONFIG}${conflict}` });
    assert.match(stderr, new RegExp(`${name}:\\d+: a merge left both sides here; keep one`));
  }
});

test("a value that the field does not know is told with the one that was meant, by check and build", async (t) => {
  const check = await openLibrary(t);
  for (const [field, value, meant] of [
    ["verification_state", "VERIFED", "VERIFIED"],
    ["verification_state", "verified", "VERIFIED"],
    ["verification_state", "Proven", "VERIFIED"],
    ["verification_state", "unverified", "NOT_VERIFIED"],
    ["invocation", "testonly", "test-only"],
  ] as const) {
    const { status, stdout } = await check({ "registry.json": `{ "cubs": [\n ${record(`, "${field}": "${value}"`)}\n] }` });
    assert.equal(status, 0);
    const said = `Note: registry.json:2: cubs[0].${field} is "${value}", which is none of its values and counts as none; did you mean ${meant}?`;
    assert.equal(stdout.split(said.slice(said.indexOf(' is "'))).length, 2, `once: ${stdout}`);
    assert.ok(stdout.includes(said), stdout);
  }
  assert.match(
    (await check({}, "registry", "check", "registry.json")).stdout,
    /CUB-0001: the value of invocation is "testonly", which is none .* did you mean test-only\?/,
  );
});

test("a repository without a revision is told by its name, once; a file that is not there by its place", async (t) => {
  const check = await openLibrary(t);
  const pinned = (meta: string): string =>
    `{ "meta": ${meta}, "cubs": [\n${[1, 2].map((id) => record(`, "file_shas": { "coq/A${id}.v": "${"0".repeat(64)}" }`).replace("0001", `000${id}`)).join(",\n")}\n] }`;
  const missing = (await check({ "registry.json": pinned(`{ "sources": { "other": { "head": "${HEAD}" } } }`) })).stdout;
  assert.equal(
    missing.match(/meta\.sources has no "r", only other; write the 40 digits there that git rev-parse HEAD prints/g)?.length,
    1,
    missing,
  );
  const short = (await check({ "registry.json": pinned('{ "sources": { "r": { "head": "4be2268" } } }') })).stdout;
  assert.equal(short.match(/the head in meta\.sources is "4be2268", no whole revision; write the 40 digits/g)?.length, 1, short);
  const whole = pinned(`{ "sources": { "r": { "head": "${HEAD}" } } }`);
  // After a commit that nobody has scanned it is so of every file: that is one line, with the command.
  const { stdout } = await check({ "registry.json": whole });
  const none = `CUB-0001, CUB-0002: file_shas pins files of r at ${HEAD.slice(0, 12)}, and the code store has none of that revision; they belong into r/${HEAD}/ there, where proofshelf registry recheck puts`;
  assert.equal(stdout.split(none).length, 2, stdout);
  assert.doesNotMatch(stdout, /A1\.v/);
  const gone = (await check({ "registry.json": whole, [`code/r/${HEAD}/coq/A2.v`]: "" })).stdout;
  assert.ok(
    gone.includes(`CUB-0001: file_shas pins "coq/A1.v", which is not in the code store; it would be r/${HEAD}/coq/A1.v there`),
    gone,
  );
});

test("eighty lines of one fault are three and a count; with --verbose all", async (t) => {
  const check = await openLibrary(t);
  const many = Array.from({ length: 80 }, (_, at) => record(', "noted": 1').replace("0001", String(1000 + at)));
  const { stdout } = await check({ "registry.json": `{ "cubs": [\n${many.join(",\n")}\n] }` });
  assert.deepEqual([stdout.match(/noted is not a known key/g)?.length, /… and 77 more like the last\./.test(stdout)], [3, true], stdout);
  const all = await check({}, "config", "check", "--verbose");
  assert.equal(all.stdout.match(/cubs\[\d+\]\.noted is not a known key/g)?.length, 80);
  // Keys of many names are one fault, too; what is told as wrong is not told again, and what only a build says is no key that is known.
  const keys = ["verified_by", "attested", "looked_over", "signed_off", "sealed", "meaning"].map((key) => `, "${key}": {}`).join("");
  const mixed = await check({ "registry.json": `{ "cubs": [\n${record(keys)}\n] }` });
  assert.match(mixed.stderr, /meaning cannot stand here: only a check may say this/);
  assert.match(mixed.stderr, /… and 2 more like the last\./);
  assert.equal(mixed.stderr.match(/meaning/g)?.length, 1, mixed.stderr);
  const claim = "claims:\n  - { id: a, title: T, scope: s, statement: s, status: partial, standing: { state: verified } }\n";
  const claimed = await check({
    "proofshelf.yaml": `${CONFIG}claims: { path: ./claims.yaml }\n`,
    "claims.yaml": claim,
    "registry.json": '{ "cubs": [] }',
  });
  assert.match(claimed.stdout, /standing is not a known key; known here: id, title, .* gaps$/m);
  const bad = many.map((one) => one.replace('"s"', "1"));
  const { stderr } = await check({ "registry.json": `{ "cubs": [\n${bad.join(",\n")}\n] }` });
  assert.match(stderr, /… and 77 more like the last\./);
});

test("evidence that is no object is told as what it is", async (t) => {
  const check = await openLibrary(t);
  const about = async (path: string): Promise<string> => {
    const claims = `claims:\n  - id: a\n    title: T\n    status: partial\n    scope: s\n    statement: s\n    evidence: [{ artifact: A, kind: note, access: public, path: "${path}" }]\n`;
    const { stdout } = await check({ "proofshelf.yaml": `${CONFIG}claims: { path: ./claims.yaml }\n`, "claims.yaml": claims });
    return /claims\.yaml:7: claims\[0\]\.evidence\[0\]\.path (is .*)/.exec(stdout)?.[1] ?? stdout;
  };
  for (const path of ["notes", "notes/"])
    assert.equal(await about(path), `is "${path}", a folder; write the key of one of its objects, as in "notes/a.md"`);
  assert.equal(await about("https://example.org/x"), 'is "https://example.org/x", an address; write it as url');
  for (const path of ["/notes/a.md", "./notes/a.md", "Notes/A.md"])
    assert.equal(await about(path), `is "${path}", which is no object of this library; did you mean "notes/a.md"?`);
});

test("what is none of a list is told with the one that was meant; of a long list only the first are named", async (t) => {
  const check = await openLibrary(t);
  const claim = (status: string): string => `claims:\n  - { id: a, title: T, scope: s, statement: s, status: ${status} }\n`;
  const { stderr } = await check({ "proofshelf.yaml": `${CONFIG}claims: { path: ./claims.yaml }\n`, "claims.yaml": claim("Verified") });
  assert.match(stderr, /status is not one of the known values; did you mean "verified"\? Write "verified" or "scoped" or "partial"/);
  const { stdout } = await check({
    "claims.yaml": "claims: []\n",
    "registry.json": `{ "cubs": [\n${record(', "whatsoever": 1, "prover": "coq"')}] }`,
  });
  assert.match(stdout, /whatsoever is not a known key; known here: id, repo, .* and \d+ more, which the schema lists$/m);
  assert.match(stdout, /prover is not a known key; did you mean "formal_systems"\?/);
});

test("a command of a group is told with its group; what is no git repository, no registry and no list with the way on", async (t) => {
  const check = await openLibrary(t);
  assert.match((await check({}, "rollback", "3")).stderr, /^There is: proofshelf snapshots rollback$/m);
  assert.match(
    (await check({}, "registry", "init", "--git", ".")).stderr,
    /^\. is no git repository\.\n {2}Name the folder of a clone; .*git init/,
  );
  assert.match((await check({}, "registry", "init", "--git", "gone")).stderr, /^gone does not exist\./);
  assert.match((await check({}, "registry", "recheck")).stderr, /^registry\.yaml: does not exist; .* proofshelf registry init makes/);
  const imported = async (file: string): Promise<string> =>
    (await check({ "plain.bib": "hello" }, "import", "bibtex", file, "--to", "notes/")).stderr;
  assert.match(await imported("gone.bib"), /^gone\.bib: does not exist;/);
  assert.match(await imported("code"), /^code: is a folder; name a file;/);
  assert.match(await imported("plain.bib"), /^plain\.bib: is no bibtex that can be read \(it has no entry, as in @book/);
});

test("an id that makes an awkward address is told with a better one", async (t) => {
  const check = await openLibrary(t);
  const claims = 'claims:\n  - { id: "a b", title: T, status: partial, scope: s, statement: s }\n';
  const { stdout } = await check({ "proofshelf.yaml": `${CONFIG}claims: { path: ./claims.yaml }\n`, "claims.yaml": claims });
  assert.match(stdout, /claims\.yaml:2: claims\[0\]\.id is part of an address for ever, and "a b" is written a%20b there; write a-b/);
});

test("a list that is not there and a folder without a collection are told together; a broken one by its line", async (t) => {
  const check = await openLibrary(t);
  const { stderr } = await check({}, "import", "bibtex", "nowhere.bib");
  assert.match(
    stderr,
    /nowhere\.bib: does not exist; nothing was written\.\nNo collection has keys that begin with works\/\.\n {2}Add one/,
  );
  const broken = await check({ "broken.bib": "@book{a,\n title" }, "import", "bibtex", "broken.bib", "--to", "notes/");
  assert.match(broken.stderr, /broken\.bib: is no bibtex that can be read \(line \d: .* is missing before the end of the file\)/);
});

test("what the system refuses is told in words, never with a stack", () => {
  const failure = (code: string, message: string, more: object = {}): string =>
    describeFailure(Object.assign(new Error(message), { code, ...more }));
  assert.match(
    failure("EADDRNOTAVAIL", "listen EADDRNOTAVAIL: address not available 192.0.2.1:4321"),
    /^This machine has no address 192\.0\.2\.1\. Take/,
  );
  assert.match(failure("EADDRNOTAVAIL", "listen EADDRNOTAVAIL: address not available fe80::1:4321"), /no address fe80::1\./);
  assert.match(failure("ENOTFOUND", "getaddrinfo ENOTFOUND nowhere.example"), /^No machine of this name is known \(nowhere\.example\)/);
  assert.match(failure("EACCES", "listen EACCES: permission denied 0.0.0.0:80"), /^Port 80 may be taken by root alone/);
  const refused = failure("EACCES", "EACCES: permission denied, open '/srv/x.yaml'", { path: "/srv/x.yaml", syscall: "open" });
  assert.match(refused, /^The user \S+ may not do this with \/srv\/x\.yaml: open is not permitted/);
  assert.match(
    failure("EROFS", "EROFS: read-only file system, mkdir '/mnt/x'", { path: "/mnt/x" }),
    /^\/mnt\/x lies on a file system that is read-only/,
  );
});

test("a folder that the system never makes, and a temporary one that is not there, are told before anything is done", async (t) => {
  const check = await openLibrary(t);
  for (const place of ["/proc/x", "/proc/x/y", "/dev/null/x"]) {
    const { status, stderr } = await check({ "proofshelf.yaml": CONFIG.replace("./shelf", place) }, "prune");
    assert.equal(status, 1);
    assert.match(stderr, /^The folder \/(proc|dev)\/\S+ cannot be made \(E\w+\)\. Name another/);
  }
  const { TMPDIR = "/tmp" } = process.env;
  t.after(() => (process.env["TMPDIR"] = TMPDIR));
  for (const place of ["/nowhere", "/dev/null"]) {
    process.env["TMPDIR"] = place;
    const { status, stderr } = await check({}, "build");
    assert.equal(status, 2);
    assert.match(stderr, /^The temporary folder \S+ cannot be written \(E\w+\)\.\n {2}Set TMPDIR/);
  }
});

test("a shelf that cannot be written is told with its folder and the user", async (t) => {
  const check = await openLibrary(t);
  const { status, stderr } = await check({ "shelf/public": "a file" }, "build");
  assert.equal(status, 1);
  assert.match(stderr, /^The shelf folder cannot be written\.\n {2}\/\S+\/shelf\/\S+, as the user \S+: E\w+\n {2}Choose another/, stderr);
});

/** The proof of one record in one file, checked without a library beside it, and the lies that it has to be proof against. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generateKey, parseKey } from "../../../snapshots/log/note.ts";
import { formatTlogProof, parseTlogProof } from "../../../snapshots/log/tlog-proof.ts";
import { checkRecordProof } from "../../../snapshots/verify/record-proof.ts";
import { openConfig } from "../../config/config.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { build } from "../../testing/whole.ts";

const ORIGIN = "library.example/shelf";
const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const GUIDE = new URL("../../guides/library/guides/readers.md", import.meta.url);
const record = (id: string, statement: string): object => ({ id, repo: "sorting", module: "M", theorem_name: "sorted", statement });

test("one file proves one record offline, and whatever of it is changed is found", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-record-proof-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const pair = generateKey(ORIGIN);
  process.env["LOG_KEY"] = pair.privateKey;
  t.after(() => delete process.env["LOG_KEY"]);
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      `baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]
registry: { path: ./registry.json }
claims: { path: ./claims.yaml }
embeddings: { kind: none }
log: { origin: ${ORIGIN}, publicKey: "${pair.publicKey}" }
`,
    ],
    ["library/notes/a.md", "# A\n"],
    [
      "claims.yaml",
      "claims: [{ id: sorting, title: A title, status: scoped, scope: This test, statement: It sorts., evidence: [{ artifact: A proof, kind: record, access: public, path: CUB-0001 }] }]\n",
    ],
    ["registry.json", JSON.stringify({ meta: {}, cubs: [record("CUB-0001", "0 = 0"), record("CUB-0002", "1 = 1")] })],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  for (const turn of [1, 2, 3]) {
    await writeFiles(dir, [["library/notes/turn.md", `# Turn ${turn}\n`]]);
    await build(config, { progress: SILENT }, PLAIN_PARTS);
  }
  const view = await openFixtureView(config);
  const { status, text, headers } = await ask(view, "/api/cubs/CUB-0001/tlog-proof");
  assert.deepEqual([status, headers["Content-Type"] ?? headers["content-type"]], [200, "text/plain; charset=utf-8"]);
  assert.match(text, /^c2sp\.org\/tlog-proof@v1\nextra [A-Za-z0-9+/]+=*\nindex 2\n(?:[A-Za-z0-9+/]{43}=\n)+\nlibrary\.example\/shelf\n3\n/);
  assert.equal((await ask(view, "/api/cubs/CUB-0009/tlog-proof")).status, 404);
  assert.equal((await ask(view, "/api/cubs/nothing/tlog-proof")).status, 400);

  const keys = [parseKey(pair.publicKey)];
  const good = checkRecordProof(text, keys) ?? assert.fail();
  assert.deepEqual([good.findings, good.record?.statement, good.sequence, good.signers.length], [[], "0 = 0", 3, 1]);
  assert.match((checkRecordProof(text, [parseKey(generateKey(ORIGIN).publicKey)])?.findings ?? []).join(), /no key that was named signed/);

  const proof = parseTlogProof(text) ?? assert.fail();
  assert.equal(formatTlogProof(proof), text, "as it was written");
  const extra = JSON.parse(Buffer.from(proof.extra ?? []).toString()) as { entry: string; path: string; trees: string[]; file: string };
  const findingsOf = (more: Partial<typeof extra>, rest: Partial<typeof proof> = {}): string =>
    (
      checkRecordProof(formatTlogProof({ ...proof, ...rest, extra: Buffer.from(JSON.stringify({ ...extra, ...more })) }), keys)?.findings ??
      []
    ).join();
  assert.equal(findingsOf({}), "");
  const lie = extra.file.replace("0 = 0", "0 = 1");
  assert.match(findingsOf({ file: lie }), /not the one that the snapshot has/);
  assert.match(findingsOf({ path: "api/cubs/CUB-0002.json" }), /not the one that the snapshot has.*no record of this id/);
  assert.match(findingsOf({ trees: extra.trees.toSpliced(1, 1) }), /trees do not lead/);
  for (const at of extra.trees.keys())
    assert.match(
      findingsOf({ trees: extra.trees.with(at, "[]") }),
      at === 0 ? /not the snapshot that the log names/ : /the tree before/,
      String(at),
    );
  assert.match(findingsOf({ entry: extra.entry.replace('"sequence":3', '"sequence":4') }), /does not have its entry/);
  assert.match(findingsOf({}, { index: 1 }), /does not have its entry/);
  assert.match(findingsOf({}, { hashes: [] }), /does not have its entry/);
  assert.match(findingsOf({}, { checkpoint: proof.checkpoint.replace(/\n\n[^]*$/, "\n") }), /nobody signed/);
  for (const none of ["", "x", text.slice(0, 60), text.replace("extra", "other"), text.replace(/^extra .*\n/m, "")])
    assert.equal(checkRecordProof(none, keys), null, none.slice(0, 30));

  // In a folder that knows nothing of the library.
  const away = join(dir, "away");
  mkdirSync(away);
  const [, block = ""] = /## Audit a claim[^]*?```sh\n([^]*?)```/.exec(readFileSync(GUIDE, "utf8")) ?? [];
  const server = createServer((request, response) => {
    void ask(view, request.url ?? "/").then(({ status: code, body }) => response.writeHead(code).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const script = block
    .replaceAll("https://library.example.org", `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    .replaceAll("library.example.org/shelf+…", pair.publicKey)
    .replaceAll(/^proofshelf /gm, `"${process.execPath}" "${CLI}" `);
  const { stdout } = await promisify(execFile)("sh", ["-ec", script], { cwd: away });
  assert.match(
    stdout,
    /id: `sorting`[^]*CUB-0001 sorted[^]*"theorem_name":"sorted"[^]*"meaning":null[^]*"verification_counts"[^]*The proof holds: publication 3/,
    "the guide for auditors",
  );
  writeFileSync(join(away, "p.tlog-proof"), text);
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [CLI, "verify", "--receipt", "p.tlog-proof", ...args], { cwd: away, encoding: "utf8" });
  const told = run("--key", pair.publicKey);
  assert.deepEqual([told.status, told.stderr], [0, ""]);
  assert.match(told.stdout, /^The proof holds: publication 3 of the log library\.example\/shelf, of .*\nCUB-0001 M\.sorted: .*\n0 = 0\n/);
  writeFileSync(join(away, "p.tlog-proof"), text.replace(/^index 2$/m, "index 1"));
  assert.equal(run("--key", pair.publicKey).status, 3);
  const own = spawnSync(process.execPath, [CLI, "verify", "--receipt", join(away, "p.tlog-proof"), "--json"], {
    cwd: dir,
    encoding: "utf8",
  });
  assert.deepEqual(
    (JSON.parse(own.stdout) as { findings: string[] }).findings,
    ["the log does not have its entry"],
    "with the configuration's key",
  );
});

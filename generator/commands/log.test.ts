/** Keys on the command line: made, used, missing, wrong, changed; and signatures of others. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { formatCheckpoint, formatHead, openCheckpoint, parseCheckpoint } from "../../snapshots/log/checkpoint.ts";
import { generateKey, parseKey, parseSigningKey, signNote } from "../../snapshots/log/note.ts";
import { writeFiles } from "../testing/library.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { useParts } from "../publish/parts.ts";
import { type Ran, runHere } from "../testing/run-program.ts";

useParts(PLAIN_PARTS);

const CONFIG = `title: Signed library
baseUrl: https://library.example/docs
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]
embeddings: { kind: none }
`;

test("a log is unsigned until it has a key, refuses to be unsigned again in silence, and keeps what others sign", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-keys-"));
  t.after(() => {
    delete process.env["LOG_KEY"];
    rmSync(dir, { recursive: true, force: true });
  });
  const file = join(dir, "proofshelf.yaml");
  let turn = 0;
  const run = (key: string | null, ...args: readonly string[]): Promise<Ran> => {
    if (key === null) delete process.env["LOG_KEY"];
    else process.env["LOG_KEY"] = key;
    return runHere([...args, "--config", file]);
  };
  const change = () => writeFiles(dir, [["library/notes/turn.md", `# Turn\n\nTurn ${++turn}.\n`]]);
  const checkpoint = (size: number) => readFileSync(join(dir, `shelf/public/checkpoints/${size}`));
  await writeFiles(dir, [["proofshelf.yaml", CONFIG]]);
  await change();

  assert.equal((await run(null, "build")).status, 0);
  assert.equal(parseCheckpoint(checkpoint(1)).note.signatures.length, 0);
  const orphan = await run(generateKey("a").privateKey, "build");
  assert.equal(orphan.status, 2);
  assert.match(orphan.stderr, /LOG_KEY is set, but the configuration has no log/);

  const made = await run(null, "keygen", "--json");
  const { log, LOG_KEY: key } = JSON.parse(made.stdout) as { log: { origin: string; publicKey: string }; LOG_KEY: string };
  assert.equal(log.origin, "library.example/docs/shelf", "the address of the library");
  assert.match((await run(null, "keygen", "two words")).stderr, /no space/);
  const witness = generateKey("witness.example/w1");
  const write = (publicKey: string, witnesses: readonly string[] = []) =>
    writeFileSync(file, `${CONFIG}log: ${JSON.stringify({ origin: log.origin, publicKey, witnesses })}\n`);
  write(log.publicKey, [witness.publicKey]);
  const missing = await run(null, "build");
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /LOG_KEY is not set/);
  const wrong = await run(generateKey(log.origin).privateKey, "build");
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /LOG_KEY is not the private half of log.publicKey/);
  assert.equal((await run("PRIVATE+KEY+nonsense", "build")).status, 2);
  assert.match((await run(null, "verify")).stdout, /checkpoint_refused/, "what is unsigned is told where it should be signed");

  assert.equal((await run(key, "build")).status, 0, "nothing has changed, and the head is signed now");
  const own = parseKey(log.publicKey);
  openCheckpoint(checkpoint(1), { origin: log.origin, log: [own] });
  await change();
  const built = await run(key, "build");
  assert.equal(built.status, 0, built.stderr);
  const { checkpoint: head } = openCheckpoint(checkpoint(2), { origin: log.origin, log: [own] });
  assert.doesNotMatch(`${built.stdout}${built.stderr}`, /PRIVATE/);

  // A copy that a witness signed; one of another head; one on which the witness's name stands under nothing of his.
  const signed = signNote(formatHead(head), parseSigningKey(witness.privateKey));
  const copy = join(dir, "copy");
  writeFileSync(copy, formatCheckpoint(head, [...head.note.signatures, signed]));
  const kept = await run(null, "log", "cosigned", copy);
  assert.equal(kept.status, 0, kept.stderr);
  assert.match(kept.stdout, /witness.example\/w1/);
  const trusted = openCheckpoint(checkpoint(2), { origin: log.origin, log: [own], witnesses: [parseKey(witness.publicKey)] });
  assert.deepEqual(
    trusted.signedBy.map(({ name }) => name),
    [log.origin, "witness.example/w1"],
  );
  assert.match((await run(null, "log", "cosigned", copy)).stdout, /already/);
  writeFileSync(
    copy,
    formatCheckpoint({ ...head, root: Buffer.alloc(32) }, [signNote("other\n", parseSigningKey(generateKey("x").privateKey))]),
  );
  assert.match((await run(null, "log", "cosigned", copy)).stderr, /no checkpoint that this shelf has made/);
  writeFileSync(copy, formatCheckpoint(head, [signNote("other\n", parseSigningKey(witness.privateKey))]));
  assert.match((await run(null, "log", "cosigned", copy)).stderr, /is not of this text/);
  assert.equal((await run(null, "verify")).status, 0);

  const newer = JSON.parse((await run(null, "keygen", log.origin, "--json")).stdout) as { log: { publicKey: string }; LOG_KEY: string };
  write(newer.log.publicKey, [witness.publicKey]);
  assert.equal((await run(newer.LOG_KEY, "build")).status, 0);
  const verified = await run(null, "verify");
  assert.equal(verified.status, 0, verified.stdout);
  assert.deepEqual(
    (JSON.parse(readFileSync(join(dir, "shelf/public/keys.json"), "utf8")) as { key: string }[]).map((one) => one.key),
    [log.publicKey, newer.log.publicKey],
  );

  write(newer.log.publicKey.replace("library.example", "other.example"));
  assert.match((await run(newer.LOG_KEY, "build")).stderr, /proofshelf.yaml:\d+: log.publicKey is no public key/);
  writeFileSync(file, `${CONFIG}log: ${JSON.stringify({ origin: "other", publicKey: newer.log.publicKey })}\n`);
  assert.match((await run(newer.LOG_KEY, "build")).stderr, /is the key of "library.example\/docs\/shelf", not of log.origin/);
});

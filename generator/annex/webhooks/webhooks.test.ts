/** What is told of builds: to a receiver that checks signatures, in real builds; and what is told to nobody. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../../snapshots/digest.ts";
import { openConfig } from "../../config/config.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { build } from "../../testing/whole.ts";
import { deliver, parseSecret, signatureOf } from "./deliver.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const KEY = parseSecret(SECRET) ?? assert.fail();
const RECEIVER = fileURLToPath(new URL("../../package/recipes/webhook-receiver.mjs", import.meta.url));
const message = { id: "msg_1", body: '{"type":"library.published"}' };

before(() => {
  process.env["WEBHOOK_SECRET"] = SECRET;
});
after(() => {
  delete process.env["WEBHOOK_SECRET"];
});

/** The receiver of the recipes, as a process. */
async function startReceiver(
  t: TestContext,
): Promise<{ readonly url: string; readonly said: { type: string; data: Record<string, unknown> }[] }> {
  const child = spawn(process.execPath, [RECEIVER, "0"], { env: { ...process.env }, stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill());
  const said: { type: string; data: Record<string, unknown> }[] = [];
  createInterface(child.stdout).on("line", (line) => said.push(JSON.parse(line)));
  const [line] = (await once(createInterface(child.stderr), "line")) as [string];
  return { url: `http://127.0.0.1:${line.split(" ")[1]}/hook`, said };
}

/** Answers with each status in turn, and the last one for ever. */
async function startServer(t: TestContext, ...statuses: readonly number[]) {
  const asked: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    response.writeHead(statuses[asked.length - 1] ?? statuses.at(-1) ?? 500, { location: "http://127.0.0.1:9/elsewhere" }).end("x");
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

const HERE = { allowPrivate: true, pauses: [1, 1] };

test("the signature is the one that Standard Webhooks gives as its example", () => {
  const secret = parseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") ?? assert.fail();
  const example = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' };
  assert.equal(signatureOf(example, 1_614_265_330, secret), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  for (const bad of [undefined, "", "secret", "whsec_", "whsec_c2hvcnQ=", SECRET.slice(6)]) assert.equal(parseSecret(bad), null);
});

test("a message is tried three times with one id, and no more after an answer that means it", async (t) => {
  const slow = await startServer(t, 500, 503, 200);
  assert.deepEqual(await deliver(slow.url, message, KEY, HERE), { ok: true, tries: 3, outcome: "200", gone: false });
  assert.deepEqual(
    slow.asked.map((headers) => headers["webhook-id"]),
    ["msg_1", "msg_1", "msg_1"],
  );
  const broken = await startServer(t, 500);
  assert.deepEqual(await deliver(broken.url, message, KEY, HERE), { ok: false, tries: 3, outcome: "500", gone: false });
  const gone = await startServer(t, 410);
  assert.deepEqual(await deliver(gone.url, message, KEY, HERE), { ok: false, tries: 1, outcome: "410", gone: true });
  const elsewhere = await startServer(t, 302);
  assert.equal((await deliver(elsewhere.url, message, KEY, HERE)).outcome, "302", "a redirect is not followed");
});

test("an address of a private network is told nothing, however it is written, unless it is allowed", async (t) => {
  const { url, asked } = await startServer(t, 200);
  const { port } = new URL(url);
  for (const host of [
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "10.0.0.1",
    "169.254.169.254",
    "[fd00::1]",
    "0.0.0.0",
    "100.64.0.1",
  ]) {
    const { ok, outcome } = await deliver(`http://${host}:${port}/`, message, KEY, { allowPrivate: false, pauses: [] });
    assert.deepEqual([ok, outcome], [false, "PRIVATE_ADDRESS"], host);
  }
  assert.equal(asked.length, 0);
  assert.equal((await deliver(url, message, KEY, HERE)).ok, true);
});

test("builds tell what was published, what does not hold and what failed, each once, and nothing that is gated", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-webhooks-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const receiver = await startReceiver(t);
  const claim = (path: string, digest: string) =>
    JSON.stringify({
      claims: [
        {
          id: "data",
          title: "A claim",
          status: "verified",
          scope: "This",
          statement: "It holds.",
          evidence: [{ artifact: "A", kind: "data", access: "public", path, sha256: digest }],
        },
      ],
    });
  const library = (url: string) => `baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
claims: { path: ./claims.json }
embeddings: { kind: none }
webhooks: [{ url: "${url}", allowPrivate: true }]
`;
  await writeFiles(dir, [
    ["proofshelf.yaml", library(receiver.url)],
    ["claims.json", claim("notes/data.csv", sha256("1,2\n"))],
    ["library/notes/data.csv", "1,2\n"],
    ["library/drafts/walrus.md", "# Walrus\n"],
  ]);
  const built = async () => build(await openConfig(join(dir, "proofshelf.yaml")), { progress: SILENT }, PLAIN_PARTS);
  const heard = () => receiver.said.splice(0).map(({ type, data }) => [type, data["found"] ?? data["code"] ?? data["sequence"]]);

  const { snapshot } = await built();
  assert.deepEqual([receiver.said[0]?.data["snapshot"], heard()], [snapshot, [["library.published", 1]]]);
  await built();
  assert.deepEqual(heard(), [], "nothing has changed");
  await writeFiles(dir, [["library/notes/data.csv", "1,3\n"]]);
  await built();
  const found = [{ gate: "regressions", what: "claim", id: "data" }];
  const drift = [{ gate: "drift", what: "claim", id: "data" }];
  assert.deepEqual(heard(), [
    ["library.published", 2],
    ["library.weaker", found],
    ["library.drift", drift],
  ]);
  await writeFiles(dir, [["library/notes/more.md", "# More\n"]]);
  await built();
  assert.deepEqual(heard(), [["library.published", 3]], "the same drift is told once");

  // What fails is told once, by its code alone.
  for (const folder of ["notes", "drafts"]) rmSync(join(dir, "library", folder), { recursive: true });
  for (let time = 0; time < 2; time++) await assert.rejects(built());
  const failed = receiver.said.map(({ data }) => Object.keys(data));
  assert.deepEqual([failed, heard().map(([type]) => type)], [[["code"]], ["library.failed"]]);

  const log = readFileSync(join(dir, "shelf/internal/build/deliveries.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    log.map(({ event, ok, outcome }) => [event, ok, outcome]),
    ["published", "published", "weaker", "drift", "published", "failed"].map((event) => [event, true, "204"]),
  );
  assert.doesNotMatch(JSON.stringify(log), /hook/);
});

test("what could not be delivered is tried again by the next build, and a receiver with another secret takes nothing", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-webhooks-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const receiver = await startReceiver(t);
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      `store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\ncollections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]\nembeddings: { kind: none }\nwebhooks: [{ url: "${receiver.url}", allowPrivate: true, events: [published] }]\n`,
    ],
    ["library/notes/one.md", "# One\n"],
  ]);
  const built = async () => build(await openConfig(join(dir, "proofshelf.yaml")), { progress: SILENT }, PLAIN_PARTS);
  process.env["WEBHOOK_SECRET"] = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
  const { notes } = await built();
  assert.match(notes.join("\n"), /127\.0\.0\.1:\d+ was not told of "published" \(401\); the next build tries again\./);
  process.env["WEBHOOK_SECRET"] = "";
  assert.match((await built()).notes.join("\n"), /No webhook was told: WEBHOOK_SECRET is no secret/);
  assert.equal(receiver.said.length, 0);
  process.env["WEBHOOK_SECRET"] = SECRET;
  await built();
  assert.deepEqual(
    receiver.said.map(({ type }) => type),
    ["library.published"],
  );
});

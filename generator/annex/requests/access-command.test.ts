import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { appendLine, readRequests } from "../../../snapshots/annex/requests/index.ts";
import { runIn } from "../../testing/run-program.ts";

const CONFIG = `title: T
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections: [{ id: a, prefix: a/, title: A, visibility: public }]
`;

test("requests are listed, granted and refused; a grant changes no configuration and says what to write", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "access-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "proofshelf.yaml"), CONFIG);
  const none = await runIn(dir, ["access", "list"]);
  assert.match(none.stderr, /No requests are taken\.\n.*requests: \.\.\/requests\.jsonl/);
  writeFileSync(
    join(dir, "proofshelf.yaml"),
    `${CONFIG}access: { kind: oidc, issuer: "https://idp.example.org", clientId: l, allow: { domains: [example.org] }, requests: ./requests.jsonl }\n`,
  );
  assert.equal((await runIn(dir, ["access", "list"])).stdout, "No requests wait.\n");
  const file = join(dir, "requests.jsonl");
  const ids = ["11111111-1111-4111-8111-111111111111", "12222222-2222-4222-8222-222222222222"] as const;
  for (const [at, id] of ids.entries())
    appendLine(file, { id, at: "2026-01-02T03:04:05Z", email: `p${at}@example.org`, reason: "a\u001b[1m" });
  const listed = await runIn(dir, ["access", "list"]);
  assert.match(listed.stdout, /^1{8}-.* {2}2026-01-02 {2}waiting {2}p0@example\.org {2}"a\\u001b\[1m"\n12{7}/);
  assert.equal((await runIn(dir, ["access", "grant", "1"])).status, 2, "two begin so");
  const granted = await runIn(dir, ["access", "grant", "11", "--note", "Welcome"]);
  assert.match(granted.stdout, /^Granted: p0@example\.org\n.*access\.allow\.emails/);
  assert.match((await runIn(dir, ["access", "refuse", "12"])).stdout, /^Refused: p1@example\.org\n$/);
  assert.deepEqual(
    readRequests(file).map(({ state, note }) => [state, note]),
    [
      ["granted", "Welcome"],
      ["refused", ""],
    ],
  );
  assert.equal((await runIn(dir, ["access", "list"])).stdout, "No requests wait.\n");
  assert.match((await runIn(dir, ["access", "list", "--all"])).stdout, /granted[^]*refused/);
});

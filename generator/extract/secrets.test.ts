import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import { findSecrets } from "./secrets.ts";

test("a key is told by rule and line", async () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${"A".repeat(64)}\n${"B".repeat(40)}==\n-----END PRIVATE KEY-----\n`;
  assert.deepEqual(await findSecrets(`# Keys\n\n${key}`), ["privatekey in line 3"]);
  assert.deepEqual(await findSecrets("# Keys\n\nNone here.\n"), []);
});

test("a password that a manual shows in an address is none", async () => {
  for (const address of [
    "https://user:pass@example.com",
    "http://$USER:$PASSWORD@host/x",
    "https://jane:your-password@git.corp.io",
    "http://a:b@svn.example/x",
    "http://login-on-proxy:passwd-on-proxy@proxy-host.com:80",
  ])
    assert.deepEqual(await findSecrets(`Write ${address} there.\n`), [], address);
  for (const address of ["https://jane:passw0rd1x@git.corp.io/x", "https://user:h7Gk2mQx@example.com.evil.io/"])
    assert.deepEqual(await findSecrets(`Write ${address} there.\n`), ["basicauth in line 1"], address);
});

test("nothing is kept of the texts that were looked through: one process reads a whole library", async () => {
  for (let at = 0; at < 50; at++) await findSecrets(`Note ${at}, and nothing else.\n`);
  assert.equal(performance.getEntries().length, 0);
});

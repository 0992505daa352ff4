/** A file of the code store under the hands of somebody who can write there, and a sidecar that serves it while a test file runs. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { Pool } from "undici";
import type { CodeStore } from "../../snapshots/shelf/code-store.ts";
import { openCodeStore } from "../../snapshots/code/code-store.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { Problem } from "../../snapshots/schema/resources.ts";
import { type Running, startSidecar } from "./app-fixture.ts";
import { makeToken } from "../gate/gate-fixture.ts";
import { CODE_TEXT, HEAD } from "./view-fixture.ts";

/** Reads of each tampered file, at once. */
const READERS = 5;
const PATH = `/api/code/sorting/${HEAD}/coq/Sort.v`;
const good = Buffer.from(CODE_TEXT);
const headers = { "edge-access-token": makeToken() };

let running: Running;
/** Called between the read and its digest and answer. */
let afterRead: () => void = () => undefined;
let file: string;
let pool: Pool;
before(async () => {
  let store: CodeStore | null = null;
  const watched: CodeStore = {
    stat: (ref) => (store as CodeStore).stat(ref),
    list: () => (store as CodeStore).list(),
    read: (ref) => (store as CodeStore).read(ref),
    async open(ref) {
      const found = await (store as CodeStore).open(ref);
      if (found === null) return null;
      return {
        ...found,
        async read(position, length) {
          const bytes = await found.read(position, length);
          afterRead();
          return bytes;
        },
      };
    },
  };
  running = await startSidecar({ codeStore: watched });
  store = openCodeStore({ kind: "directory", root: running.views.codeRoot });
  file = join(running.views.codeRoot, "sorting", HEAD, "coq", "Sort.v");
  pool = new Pool(running.listening.url, { connections: READERS });
});
after(async () => {
  await pool.close();
  await running.listening.close();
  rmSync(running.views.folder, { recursive: true });
});

async function read(
  method: "GET" | "HEAD" = "GET",
): Promise<{ status: number; headers: Record<string, string | string[] | undefined>; bytes: Buffer }> {
  const { statusCode, headers: sent, body } = await pool.request({ method, path: PATH, headers });
  return { status: statusCode, headers: sent, bytes: Buffer.from(await body.arrayBuffer()) };
}

/** Files that somebody with write access to the store could leave there. */
function tamper(at: number): Buffer {
  const copy = Buffer.from(good);
  if (at % 5 === 0) return copy.subarray(0, at % good.length);
  if (at % 5 === 1) return Buffer.concat([copy, Buffer.alloc(1 + (at % 100), at)]);
  if (at % 5 === 2) return Buffer.from(`Lemma another_file_${at} : False.\n`);
  if (at % 5 === 3) return Buffer.concat([copy.subarray(1), copy.subarray(0, 1)]);
  copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ (1 << (at % 8));
  return copy;
}

/** readTampered reads a file `tries` times that somebody has tampered with. */
export async function readTampered(tries: number): Promise<void> {
  let refused = 0;
  for (let at = 0; at < tries / READERS; at++) {
    writeFileSync(file, tamper(at));
    const replies = await Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader === 0 ? "HEAD" : "GET")));
    for (const reply of replies) {
      assert.equal(reply.status, 503);
      assert.equal(reply.headers["cache-control"], "private, no-store");
      assert.equal(reply.headers["x-cub-sha256"], undefined);
      assert.equal(reply.headers["repr-digest"], undefined);
      if (reply.bytes.length > 0) {
        const problem = Problem.parse(JSON.parse(reply.bytes.toString()));
        assert.equal(problem.code, "code_digest_mismatch");
        assert.doesNotMatch(JSON.stringify(problem), /Lemma|insert_keeps/);
      }
      refused++;
    }
  }
  assert.equal(refused, tries);
  writeFileSync(file, good);
  assert.equal((await read()).status, 200);
}

/** readChanging reads a file `tries` times that is changed after it was hashed and before it is sent. */
export async function readChanging(tries: number): Promise<void> {
  for (let at = 0; at < tries; at++) {
    writeFileSync(file, good);
    // Written in place, so that the same inode holds other bytes by the time the answer leaves.
    afterRead = () => writeFileSync(file, tamper(at));
    const reply = await read();
    assert.equal(reply.status, 200);
    assert.ok(reply.bytes.equals(good));
    assert.equal(reply.headers["x-cub-sha256"], sha256(good));
  }
  afterRead = () => undefined;
  assert.equal((await read()).status, 503, "and the next reader is refused");
}

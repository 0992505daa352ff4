import assert from "node:assert/strict";
import { rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PART_BYTES } from "../../snapshots/shelf/checked-read.ts";
import type { CodeStore } from "../../snapshots/shelf/code-store.ts";
import { openCodeStore } from "../../snapshots/code/code-store.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { codeAnswer } from "./code.ts";
import { CODE_TEXT, HEAD, makeViews, type Views, writeCode } from "./view-fixture.ts";

let views: Views;
let store: CodeStore;
before(async () => {
  views = await makeViews();
  store = openCodeStore({ kind: "directory", root: views.codeRoot });
});
after(() => rmSync(views.folder, { recursive: true }));

const PATH = `/api/code/sorting/${HEAD}/coq/Sort.v`;
const records = async (): Promise<ViewData | null> => (await (await views.internalView.current())?.snapshot.data()) ?? null;

async function codeOf(path: string, from: CodeStore | null = store): Promise<string> {
  try {
    const { status, body } = await codeAnswer({ store: from, records }, "GET", path);
    assert.deepEqual(body, Buffer.from(CODE_TEXT));
    return String(status);
  } catch (error) {
    assert.ok(error instanceof ShelfError);
    return error.code;
  }
}

test("each of 10,000 tampered files is refused: flipped bits, cut, grown, swapped, emptied", async () => {
  const good = Buffer.from(CODE_TEXT);
  let tampered: Uint8Array = good;
  /** The store's word for a file is its size and identity: neither is believed. */
  const holding = (size: () => number): CodeStore => ({
    ...store,
    open: async () => ({
      size: size(),
      identity: "always the same",
      read: async (position, length) => Buffer.from(tampered.subarray(position, position + length)),
      close: async () => undefined,
    }),
  });
  const lying = holding(() => good.length);
  const honest = holding(() => tampered.length);
  let refused = 0;
  for (let at = 0; at < 10_000; at++) {
    const copy = Buffer.from(good);
    if (at % 5 === 0) tampered = copy.subarray(0, at % good.length);
    else if (at % 5 === 1) tampered = Buffer.concat([copy, Buffer.alloc(1 + (at % 100), at)]);
    else if (at % 5 === 2) tampered = Buffer.from(`other file ${at}`);
    else {
      copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ (1 << (at % 8));
      tampered = copy;
    }
    if ((await codeOf(PATH, at % 2 === 0 ? lying : honest)) === "code_digest_mismatch") refused++;
  }
  assert.equal(refused, 10_000);
});

test("a file that changes on disk, becomes a link, or goes, gives 503 or 404 and never another byte", async () => {
  writeCode(views.codeRoot, "coq/Sort.v", CODE_TEXT.replace("True", "Fals"));
  assert.equal(await codeOf(PATH), "code_digest_mismatch");
  const file = join(views.codeRoot, "sorting", HEAD, "coq", "Sort.v");
  unlinkSync(file);
  assert.equal(await codeOf(PATH), "code_not_found");
  symlinkSync("/etc/hostname", file);
  assert.equal(await codeOf(PATH), "code_not_found");
  unlinkSync(file);
  writeCode(views.codeRoot, "coq/Sort.v", CODE_TEXT);
  assert.equal(await codeOf(PATH), "200");
});

test("a file that is rewritten all the time is sent whole and right, or not at all", async () => {
  const other = CODE_TEXT.replaceAll("s", "z").repeat(100);
  const enough = new AbortController();
  const writer = (async () => {
    for (let at = 0; !enough.signal.aborted; at++) {
      writeCode(views.codeRoot, "coq/Sort.v", at % 2 === 0 ? other : CODE_TEXT);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let at = 0; at < 500; at++) assert.match(await codeOf(PATH), /^(200|code_digest_mismatch|code_store_unavailable)$/);
  enough.abort();
  await writer;
  writeCode(views.codeRoot, "coq/Sort.v", CODE_TEXT);
});

test("a long file is sent part by part, never held whole, and ends before the first part that has changed", async () => {
  const text = Array.from({ length: 50_000 }, (_, at) => `Lemma number_${at} : True.\n`).join("");
  const long: ViewData["code"] = new Map(
    [...((await records())?.code ?? [])].map(([id, index]) => [
      id,
      { ...index, files: index.files.map((file) => ({ ...file, path: "coq/Long.v", sha256: sha256(text) })) },
    ]),
  );
  const pinned = async (): Promise<ViewData | null> => ({ ...((await records()) as ViewData), code: long });
  const ask = (method: string) => codeAnswer({ store, records: pinned }, method, PATH.replace("Sort", "Long"));
  writeCode(views.codeRoot, "coq/Long.v", text);
  const { body, headers } = await ask("GET");
  assert.ok(body !== null && !(body instanceof Uint8Array));
  assert.equal(headers["Content-Length"], String(text.length));
  const parts = await Array.fromAsync(body);
  assert.ok(parts.every(({ length }) => length <= PART_BYTES));
  assert.equal(Buffer.concat(parts).toString(), text);
  const changing = await ask("GET");
  writeCode(views.codeRoot, "coq/Long.v", text.replace("number_40000 ", "number_4OOOO "));
  let got = "";
  await assert.rejects(async () => {
    for await (const part of changing.body as AsyncIterable<Buffer>) got += part.toString();
  });
  assert.ok(text.startsWith(got) && !got.includes("number_40000 "));
  for (const method of ["GET", "HEAD"]) await assert.rejects(ask(method), { code: "code_digest_mismatch" });
});

test("a store that cannot be read, none at all, and no snapshot are 503", async () => {
  const down: CodeStore = { ...store, open: () => Promise.reject(new ShelfError("code_store_unavailable", "down")) };
  assert.equal(await codeOf(PATH, down), "code_store_unavailable");
  assert.equal(await codeOf(PATH, null), "code_store_unavailable");
  assert.equal(await codeOf(PATH, openCodeStore({ kind: "directory", root: join(views.folder, "none") })), "code_store_unavailable");
  await assert.rejects(codeAnswer({ store, records: () => Promise.resolve(null) }, "GET", PATH), { code: "registry_unavailable" });
});

test("malformed repositories, revisions and paths are refused before the store is asked", async () => {
  const untouched: CodeStore = { ...store, open: () => assert.fail("the store was asked") };
  for (const path of [
    "",
    "/",
    "sorting",
    `sorting/${HEAD}`,
    `sorting/${HEAD}/`,
    `/${HEAD}/a`,
    `sorting//a`,
    `../${HEAD}/a`,
    `%2e%2e/${HEAD}/a`,
    `sorting/main/a`,
    `sorting/${HEAD.toUpperCase()}/a`,
    `sorting/${HEAD}/../a`,
    `sorting/${HEAD}/%2e%2e/a`,
    `sorting/${HEAD}/a%2fb`,
    `sorting/${HEAD}/a%5cb`,
    `sorting/${HEAD}/a\\b`,
    `sorting/${HEAD}/a%00`,
    `sorting/${HEAD}/%ff`,
    `sorting/${HEAD}/%`,
    `sorting/${HEAD}//a`,
    `sorting/${HEAD}/a/`,
    `sorting%2f${HEAD}/x/a`,
    `sorting/${HEAD}/./a`,
  ]) {
    assert.equal(await codeOf(`/api/code/${path}`, untouched), "bad_code_path", path);
  }
  for (const path of [
    `sorting/${HEAD}/coq/Unrecorded.v`,
    `sorting/${HEAD}/coq/sort.v`,
    `other/${HEAD}/coq/Sort.v`,
    `sorting/${HEAD}/coq/Sort.v%20`,
    `sorting/${HEAD}/__proto__`,
  ]) {
    assert.equal(await codeOf(`/api/code/${path}`, untouched), "code_not_found", path);
  }
  assert.equal(await codeOf(`/api/code/sorting/${HEAD}/coq/Gone.v`), "code_not_found");
});

test("the bytes come with their digest twice, and so that no browser runs them", async () => {
  const { headers, body } = await codeAnswer({ store, records }, "GET", PATH.replace("Sort", "%53ort"));
  assert.equal(headers["X-CUB-Sha256"], sha256(body as Uint8Array));
  assert.equal(headers["Repr-Digest"], `sha-256=:${Buffer.from(sha256(CODE_TEXT), "hex").toString("base64")}:`);
  assert.equal(headers["Content-Security-Policy"], "sandbox");
  assert.equal(headers["X-Content-Type-Options"], "nosniff");
  assert.match(headers["Content-Disposition"] ?? "", /^attachment; filename="?Sort\.v"?$/);
  assert.equal((await codeAnswer({ store, records }, "HEAD", PATH)).body, null);
});

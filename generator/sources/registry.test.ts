import assert from "node:assert/strict";
import { readdirSync, readFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { sha256 } from "../../snapshots/digest.ts";
import type { RegistryConfig } from "../config/config.ts";
import type { ParsedCub, RegistryOptions } from "./registry.ts";
import { openRegistry, parseCub, parseRegistry, withoutRecords } from "./registry.ts";

/** As without an annex that reads sources of records. */
async function openPlain(source: RegistryConfig, options: Omit<RegistryOptions, "makeRegistry">) {
  const opened = await openRegistry(source, { ...options, makeRegistry: () => assert.fail("a registry is a file or an address here") });
  return opened.unavailable === null ? { ...opened, ...opened.parsed() } : opened;
}

const base = mkdtempSync(join(tmpdir(), "registry-"));
after(() => rmSync(base, { recursive: true, force: true }));
let number = 0;
const newCache = () => join(base, `cache${number++}`);

const CUB = {
  id: "CUB-0001",
  repo: "proofs",
  theorem_name: "plus_comm",
  statement: "a + b = b + a",
  verification_state: "VERIFIED",
};
const encode = (value: unknown) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const GOOD = JSON.stringify({ meta: { service: "cubs" }, cubs: [CUB] });

function good(result: Awaited<ReturnType<typeof openPlain>>) {
  assert.ok(result.unavailable === null, result.unavailable ?? "");
  return result;
}

async function serve(t: { after: (done: () => void) => void }, handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/registry`;
}

test("a dead, slow, dripping, lying, huge or wrong registry leaves the last good one in use, and says why", async (t) => {
  let answer: RequestListener = (_, response) => void response.end(GOOD);
  const url = await serve(t, (request, response) => void answer(request, response));
  const cacheDir = newCache();
  const open = () => openPlain({ url }, { dir: cacheDir, timeoutMs: 1000, maxBytes: 100_000, now: () => new Date("2026-08-01T00:00:00Z") });
  assert.equal(good(await open()).stale, null);
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));
  const drip = (response: ServerResponse) => {
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  };
  const cases: Record<string, [RequestListener, RegExp]> = {
    "500": [(_, response) => void response.writeHead(500).end(GOOD), /answered 500/],
    "404": [(_, response) => void response.writeHead(404).end(), /answered 404/],
    "206": [(_, response) => void response.writeHead(206).end(GOOD), /answered 206/],
    silent: [() => undefined, /did not answer within 1 s/],
    drips: [(_, response) => drip(response), /did not answer within 1 s/],
    "length too long": [
      (_, response) => void response.writeHead(200, { "content-length": "9999", connection: "close" }).end(GOOD),
      /cannot be reached/,
    ],
    "cut off": [(_, response) => void response.write(GOOD.slice(0, 20), () => response.destroy()), /cannot be reached/],
    "closed at once": [(request) => void request.socket.destroy(), /cannot be reached/],
    huge: [(_, response) => void response.end(" ".repeat(100_001)), /larger than 100000 bytes/],
    "compressed bomb": [
      (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
      /larger than 100000 bytes/,
    ],
    "no gzip": [(_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(GOOD), /cannot be reached/],
    html: [(_, response) => void response.end("<html>"), /not valid JSON/],
    empty: [(_, response) => void response.end(), /It is empty/],
    "wrong shape": [(_, response) => void response.end("[]"), /not an object with meta and cubs/],
    "no list": [(_, response) => void response.end('{"meta":{},"cubs":{}}'), /no list named cubs/],
    "meta a list": [(_, response) => void response.end('{"meta":[],"cubs":[]}'), /meta is not an object/],
    "twice the same member": [(_, response) => void response.end('{"cubs":[],"cubs":[]}'), /twice in one object/],
    "redirect to a file": [(_, response) => void response.writeHead(302, { location: "file:///etc/passwd" }).end(), /not https/],
    "redirect to nothing": [(_, response) => void response.writeHead(302).end(), /redirects to no address/],
    "redirect in a circle": [(_, response) => void response.writeHead(302, { location: "/registry" }).end(), /more than 3 times/],
  };
  for (const [name, [handler, expected]] of Object.entries(cases)) {
    answer = handler;
    const result = good(await open());
    assert.match(result.stale?.reason ?? "", expected, name);
    assert.equal(result.stale?.fetched, "2026-08-01T00:00:00.000Z", name);
    assert.equal(result.records.length, 1, name);
  }
  answer = (_, response) => void response.end(GOOD);
  assert.equal(good(await open()).stale, null);
});

test("a registry that was never good is unavailable with a reason, not an error", async (t) => {
  const url = await serve(t, (_, response) => void response.writeHead(503).end());
  assert.deepEqual(await openPlain({ url }, { dir: newCache() }), {
    unavailable: "The registry answered 503.",
  });
  assert.deepEqual(await openPlain({ path: join(base, "none.json") }, { dir: newCache() }), {
    unavailable: "The registry file does not exist.",
  });
  assert.deepEqual(await openPlain({ path: base }, { dir: newCache() }), {
    unavailable: "The registry file is not a regular file.",
  });
  const refused = await openPlain({ url: "http://127.0.0.1:1/" }, { dir: newCache() });
  assert.match(refused.unavailable ?? "", /cannot be reached/);
});

test("a 304 to a request without a kept copy is no answer", async (t) => {
  const url = await serve(t, (_, response) => void response.writeHead(304).end());
  assert.deepEqual(await openPlain({ url }, { dir: newCache() }), {
    unavailable: "The registry answered 304.",
  });
});

test("the second pull is conditional, and a 304 gives the same bytes", async (t) => {
  const seen: IncomingMessage["headers"][] = [];
  const url = await serve(t, (request, response) => {
    seen.push(request.headers);
    if (request.headers["if-none-match"] === '"v1"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"v1"', "content-encoding": "gzip" }).end(gzipSync(GOOD));
  });
  const cacheDir = newCache();
  good(await openPlain({ url }, { dir: cacheDir }));
  const second = good(await openPlain({ url }, { dir: cacheDir }));
  assert.equal(seen[1]?.["if-none-match"], '"v1"');
  assert.equal(second.sha256, sha256(GOOD));
  assert.equal(second.size, GOOD.length);
  assert.equal(second.stale, null);
});

test("without an etag the time of the last change is asked for", async (t) => {
  const stamp = "Sat, 01 Aug 2026 00:00:00 GMT";
  let asked: string | undefined;
  const url = await serve(t, (request, response) => {
    asked = request.headers["if-modified-since"];
    if (asked === stamp) response.writeHead(304).end();
    else response.writeHead(200, { "last-modified": stamp }).end(GOOD);
  });
  const cacheDir = newCache();
  await openPlain({ url }, { dir: cacheDir });
  good(await openPlain({ url }, { dir: cacheDir }));
  assert.equal(asked, stamp);
});

test("three redirects are followed", async (t) => {
  const url = await serve(t, (request, response) => {
    const hop = Number(new URL(request.url ?? "", "http://x").searchParams.get("hop") ?? "0");
    if (hop < 3) response.writeHead(307, { location: `?hop=${hop + 1}` }).end();
    else response.end(GOOD);
  });
  assert.equal(good(await openPlain({ url }, { dir: newCache() })).records.length, 1);
});

test("a copy kept of another source, or damaged on disk, is not used", async (t) => {
  let status = 200;
  const url = await serve(t, (_, response) => void response.writeHead(status).end(GOOD));
  const cacheDir = newCache();
  await openPlain({ url }, { dir: cacheDir });
  status = 500;
  assert.notEqual((await openPlain({ url: `${url}2` }, { dir: cacheDir })).unavailable, null);
  for (const name of readdirSync(cacheDir)) {
    const path = join(cacheDir, name);
    const whole = readFileSync(path);
    for (const at of whole.keys()) {
      writeFileSync(path, Buffer.from(whole).fill((whole[at] ?? 0) ^ 1, at, at + 1));
      assert.notEqual((await openPlain({ url }, { dir: cacheDir })).unavailable, null, `${name}, byte ${at}`);
    }
    writeFileSync(path, whole);
  }
  assert.equal((await openPlain({ url }, { dir: cacheDir })).unavailable, null);
});

test("a file is pulled, and when it breaks the last good one is used; only one copy is kept", async () => {
  const path = join(base, "registry.json");
  const cacheDir = newCache();
  writeFileSync(path, GOOD);
  good(await openPlain({ path }, { dir: cacheDir }));
  writeFileSync(path, GOOD.replace("cubs", "CUBS"));
  good(await openPlain({ path }, { dir: cacheDir }));
  good(await openPlain({ path }, { dir: cacheDir }));
  writeFileSync(path, GOOD.slice(0, 30));
  const stale = good(await openPlain({ path }, { dir: cacheDir }));
  assert.match(stale.stale?.reason ?? "", /not valid JSON/);
  assert.equal(stale.meta.service, "CUBS");
  assert.equal(readdirSync(cacheDir).length, 2);
});

test("a record that breaks the schema is refused with its id and every reason, and the rest is kept", () => {
  const bad: [unknown, string, RegExp][] = [
    [null, "record 1", /not an object/],
    [[], "record 1", /not an object/],
    [{ ...CUB, id: "CUB-1" }, "CUB-1", /id is not a CUB id/],
    [{ ...CUB, id: 7 }, "record 1", /id is a number, not text/],
    [{ ...CUB, id: "CUB-0001\n" }, "CUB-0001\n", /id is not a CUB id/],
    [{ id: "CUB-0002" }, "CUB-0002", /repo is missing; theorem_name is missing; statement is missing/],
    [{ ...CUB, statement: null }, "CUB-0001", /statement is missing/],
    [{ ...CUB, statement: "" }, "CUB-0001", /statement is empty/],
    [{ ...CUB, deployable: "true" }, "CUB-0001", /deployable is text, not true or false/],
    [{ ...CUB, use_cases: ["a", 1] }, "CUB-0001", /use_cases\[1\] is a number, not text/],
    [{ ...CUB, file_shas: { "a.v": "abc" } }, "CUB-0001", /file_shas\.a\.v is not a SHA-256/],
    [{ ...CUB, links: { registry: "javascript:alert(1)" } }, "CUB-0001", /links\.registry is not an http or https address/],
    [{ ...CUB, links: { code: "java\nscript:alert(1)" } }, "CUB-0001", /links\.code is not/],
    [{ ...CUB, links: { api: "data:text/html,x" } }, "CUB-0001", /links\.api is not/],
    [{ ...CUB, secret: { deep: ["\ud800"] } }, "CUB-0001", /secret\.deep\[0\] holds half of a surrogate pair/],
  ];
  for (const [record, key, expected] of bad) {
    const text = JSON.stringify({ cubs: [record, { ...CUB, id: "CUB-0099" }] });
    const result = parseRegistry(encode(text));
    assert.deepEqual(
      result.records.map(({ record }) => record.id),
      ["CUB-0099"],
      text,
    );
    assert.equal(result.rejected[0]?.key, key);
    assert.match(result.rejected[0]?.reason ?? "", expected);
  }
  assert.match(
    parseRegistry(encode(`{"cubs":[{"id":"CUB-0001","claims":[1e999]}]}`)).rejected[0]?.reason ?? "",
    /number that is too large/,
  );
});

test("of records with one id the first is kept and the others are named", () => {
  const result = parseRegistry(encode({ cubs: [CUB, { ...CUB, note: "second" }, { ...CUB, id: "CUB-0002" }, { ...CUB, note: "third" }] }));
  assert.deepEqual(
    result.records.map(({ record }) => [record.id, record.note]),
    [
      ["CUB-0001", ""],
      ["CUB-0002", ""],
    ],
  );
  assert.deepEqual(
    result.rejected.map(({ key, reason }) => [key, /number (\d)/.exec(reason)?.[1]]),
    [
      ["CUB-0001", "2"],
      ["CUB-0001", "4"],
    ],
  );
});

test("fields that the interface does not name, nested ones too, are extras and not in the record", () => {
  const canary = "canary-7f3a";
  const result = parseCub({
    ...CUB,
    internal_owner: canary,
    files: { coq_file: "a.v", host: canary },
    reproduce: { cost: canary },
    links: { admin: canary },
    __proto_: 1,
  });
  assert.ok(!("rejected" in result));
  assert.doesNotMatch(JSON.stringify(result.record), /canary/);
  assert.deepEqual(result.extras, {
    internal_owner: canary,
    __proto_: 1,
    "files.host": canary,
    "reproduce.cost": canary,
    "links.admin": canary,
  });
  assert.equal(result.record.files.coq_file, "a.v");
});

test("an unknown value of a closed field is kept; null and absence are the default", () => {
  const result = parseCub({
    ...CUB,
    verification_state: "CERTIFIED",
    invocation: "runtime",
    kind: "Corollary",
    crate: null,
    files: { coq_file: null },
    riscv: "no",
  }) as ParsedCub;
  assert.equal(result.record.verification_state, "CERTIFIED");
  assert.equal(result.record.crate, "");
  assert.equal(result.record.files.coq_file, "");
});

test("declared numbers are counted again, and wrong ones are told", () => {
  const cubs = [CUB, { ...CUB, id: "CUB-0002", verification_state: "NOT_VERIFIED", invocation: "runtime" }];
  const meta = {
    verification_counts: { VERIFIED: 2, NOT_VERIFIED: 1 },
    invocation_counts: { dead: 1 },
    sources: { proofs: { head: "h", ref: "", csv_rows: 3 }, other: { head: "x" } },
  };
  const result = parseRegistry(encode({ meta, cubs }));
  assert.deepEqual(result.counts, [
    { name: "verification_counts.NOT_VERIFIED", declared: 1, counted: 1 },
    { name: "verification_counts.VERIFIED", declared: 2, counted: 1 },
    { name: "invocation_counts.dead", declared: 1, counted: 0 },
    { name: "invocation_counts.runtime", declared: 0, counted: 1 },
    { name: "sources.proofs.csv_rows", declared: 3, counted: 2 },
  ]);
  assert.equal(result.notes.length, 4);
  assert.match(result.notes.join("\n"), /verification_counts\.VERIFIED declares 2, the records count 1/);
});

test("a broken field of the metadata is dropped and told, the others stay", () => {
  const meta = {
    service: "cubs",
    bytes: -1,
    readiness_counts: { a: "3" },
    authoritative_ui: "javascript:1",
    lane_tier: null,
    updated_iso: "\ud800",
    crates: { bound_count: 4 },
  };
  const result = parseRegistry(encode({ meta, cubs: [] }));
  assert.equal(result.meta.service, "cubs");
  assert.deepEqual(
    [result.meta.bytes, result.meta.readiness_counts, result.meta.authoritative_ui, result.meta.updated_iso],
    [0, {}, "", ""],
  );
  assert.equal(result.meta.crates.bound_count, 4);
  assert.equal(result.notes.length, 4, result.notes.join("\n"));
});

test("a record that is left out takes its notes, its counts and the values with it that it alone has", () => {
  const own = { id: "CUB-0001", invocation: "called by Jane Roe", lane: "shared", tier: "9", file_shas: { "coq/Roe.v": "a".repeat(64) } };
  const counts = { "called by Jane Roe": 2, runtime: 1 };
  const body = {
    meta: { invocation_counts: counts },
    cubs: [{ ...CUB, ...own }, { ...CUB, id: "CUB-0002", lane: "shared", tier: "x" }, own],
  };
  const parsed = parseRegistry(encode(body));
  assert.match(parsed.notes.join("\n"), /Jane Roe declares 2/);
  const rest = withoutRecords(parsed, new Set(["CUB-0001"]));
  const said = JSON.stringify(rest);
  assert.doesNotMatch(said, /CUB-0001|Roe/);
  assert.deepEqual(rest.meta.invocation_counts, { runtime: 1 });
  assert.deepEqual(
    [rest.records.map(({ record }) => record.id), rest.rejected, rest.notes.length],
    [["CUB-0002"], [], parsed.notes.length - 1],
  );
  assert.equal(withoutRecords(parsed, new Set()), parsed);
});

test("a command of LaTeX whose backslash an escape took is told with its line; the record stays", () => {
  const written = (statement: string): string =>
    `{"meta":{},"cubs":[\n{"id":"CUB-0001","repo":"a","theorem_name":"t",\n"statement":"${statement}"}]}`;
  const notes = (statement: string, made = false) =>
    parseRegistry(Buffer.from(written(statement)), made).notes.filter((note) => note.startsWith("CUB-0001"));
  assert.deepEqual(notes(String.raw`\forall x`), [
    String.raw`CUB-0001: statement holds the control sign U+000C before "orall"; for \forall between double quotes write \\forall (line 3)`,
  ]);
  for (const one of [
    String.raw`\beta`,
    String.raw`a \to b`,
    String.raw`\theta`,
    String.raw`\rho`,
    String.raw`\nabla f`,
    String.raw`\u001b[2J`,
  ])
    assert.equal(notes(one).length, 1, one);
  for (const one of [String.raw`\\forall x`, String.raw`a\tb`, String.raw`a\nb`, String.raw`a\r\nb`, "∀ x"])
    assert.deepEqual(notes(one), [], one);
  assert.deepEqual(notes(String.raw`\forall x`, true), [], "what was read out of a source stands there");
});

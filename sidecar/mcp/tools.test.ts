import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { answer } from "../../snapshots/http/answer.ts";
import { changed } from "../../snapshots/http/changed-fixture.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { MAX_RESULT_BYTES } from "../../snapshots/tools/budget.ts";
import { inputJsonSchema, outputJsonSchema, TOOLS } from "../../snapshots/tools/table.ts";
import { relationsOf } from "../../snapshots/format/relations.ts";
import { checkProof } from "../../snapshots/contract/check-proof.ts";
import type { View } from "../../snapshots/http/view.ts";
import type { AskTool } from "../ask/index.ts";
import { buildDemo, call, type Called, modern, NO_MODELS } from "./fixture.ts";
import { openMcp } from "./handler.ts";

const demo = await buildDemo();
const failures: unknown[] = [];
const mcp = openMcp({ ...NO_MODELS, view: demo.publicView, onError: (error) => failures.push(error) });
const internal = openMcp({ ...NO_MODELS, view: demo.internalView, onError: (error) => failures.push(error) });
after(() => {
  demo.close();
  assert.deepEqual(failures, []);
});

type Body = Record<string, unknown>;

async function get(path: string, view: View = demo.publicView): Promise<Body> {
  const found = await answer(view, { method: "GET", target: path, header: () => null });
  assert.equal(found.status, 200, path);
  return JSON.parse(Buffer.from(found.body as Uint8Array).toString("utf8")) as Body;
}

/** The GET twin of a result: path and query of its href. */
function twin({ content }: Called): string {
  const { pathname, search } = new URL(content.href);
  return pathname + search;
}

async function all(name: string, args: Record<string, unknown>, member: string, endpoint = mcp): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let cursor: string | undefined; ; ) {
    const { content, text } = await call(endpoint, name, cursor === undefined ? args : { ...args, cursor });
    assert.ok(Buffer.byteLength(text) <= MAX_RESULT_BYTES);
    items.push(...(content.result[member] as unknown[]));
    cursor = content.next_cursor;
    assert.equal(content.truncated, cursor !== undefined);
    if (cursor === undefined) return items;
  }
}

const data = async () => await (await demo.publicView.current())!.snapshot.data();

test("every tool says what its route says", async (t) => {
  const omit = (body: Body, ...names: string[]): Body => Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
  const without = (body: Body): Body => omit(body, "snapshot", "next");
  await t.test("one thing", async () => {
    for (const [name, args] of [
      ["get_registry_meta", {}],
      ["get_cub", { id: "CUB-0001" }],
      ["get_capabilities", {}],
    ] as const) {
      const called = await call(mcp, name, args);
      assert.deepEqual(called.content.result, without(await get(twin(called))), name);
      assert.equal(called.content.truncated, false);
    }
  });
  await t.test("collections", async () => {
    const catalog = await get("/api/catalog");
    const expected = (catalog["collections"] as Body[]).map((collection) => omit(collection, "objects"));
    assert.deepEqual(await all("list_collections", {}, "collections"), expected);
  });
  await t.test("objects of every folder, page by page", async () => {
    const prefixes = new Set(["", ...(await data()).objects.map(({ key }) => key.slice(0, key.lastIndexOf("/") + 1))]);
    for (const prefix of prefixes) {
      const listed = await get(`/api/list?prefix=${encodeURIComponent(prefix)}`);
      assert.deepEqual(await all("list_objects", { prefix, limit: 7 }, "objects"), listed["objects"]);
      assert.deepEqual(await all("list_objects", { prefix, limit: 7 }, "prefixes"), listed["prefixes"]);
    }
  });
  await t.test("search", async () => {
    for (const query of ["sorted", "digest canonical form", '"merge sort"', "CUB-0003", "no such word at all zzzz"]) {
      const { results } = await get(`/api/search?q=${encodeURIComponent(query)}`);
      assert.deepEqual(await all("search_library", { query, limit: 4 }, "results"), results);
    }
  });
  await t.test("records by words and by filters, in full and in summary", async () => {
    const cases = [
      {},
      { verification_state: "VERIFIED" },
      { invocation: ["runtime", "dead"] },
      { deployable: true },
      { use_case: "crypto", kind: undefined },
    ];
    for (const filters of cases) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(filters))
        for (const item of [value].flat()) if (item !== undefined) query.append(name, String(item));
      const { cubs, count } = await get(`/api/cubs?${query.toString()}&limit=500`);
      assert.deepEqual(await all("list_cubs", { ...filters, detail: "full" }, "cubs"), cubs);
      const short = (await all("list_cubs", filters, "cubs")) as Body[];
      assert.equal(short.length, count);
      for (const [at, record] of short.entries())
        for (const [name, value] of Object.entries(record)) assert.deepEqual(value, (cubs as Body[])[at]?.[name]);
    }
    const { cubs } = await get("/api/cubs?q=sorted&limit=500");
    assert.deepEqual(await all("search_cubs", { query: "sorted", detail: "full", limit: 3 }, "cubs"), cubs);
    for (const { id } of (await data()).cubs) {
      const { files } = (await get(`/api/cubs/${id}/code`)) as { files: { state: string }[] };
      const lost = files.some(({ state }) => state === "differs" || state === "gone");
      const told = JSON.stringify((await call(mcp, "get_cub", { id })).content);
      assert.equal(/no longer holds/.test(told), lost, id);
    }
    const counted = await call(mcp, "list_cubs", { limit: 0 });
    assert.deepEqual(counted.content.result["cubs"], []);
    assert.equal(counted.content.result["count"], (await data()).cubs.length);
  });
  await t.test("claims", async () => {
    const { claims } = (await get("/api/claims")) as { claims: Body[] };
    assert.deepEqual(await all("list_claims", { detail: "full", limit: 2 }, "claims"), claims);
    for (const claim of claims) assert.deepEqual((await call(mcp, "get_claim", { id: claim["id"] })).content.result, claim);
    assert.deepEqual(
      (await all("list_claims", { status: "partial" }, "claims")).length,
      claims.filter(({ status }) => status === "partial").length,
    );
  });
  await t.test("digests and proofs", async () => {
    for (const { key, sha256: digest } of (await data()).objects.slice(0, 30)) {
      const looked = await call(mcp, "lookup_digest", { sha256: digest.toUpperCase() });
      assert.deepEqual(looked.content.result, without(await get(twin(looked))));
      const proof = await call(mcp, "verify_object", { key });
      assert.deepEqual(proof.content.result, without(await get(twin(proof))), key);
    }
  });
});

test("an object read in pieces is its bytes, whatever it is called and however long its lines are", async () => {
  for (const { key, size, sha256: digest } of (await data()).objects) {
    let text = "";
    let from = "";
    let cut = false;
    let cursor: string | undefined;
    do {
      const called = await call(mcp, "get_object", cursor === undefined ? { key } : { key, cursor });
      assert.equal(called.isError, false, called.text);
      assert.ok(Buffer.byteLength(called.text) <= MAX_RESULT_BYTES);
      const { result } = called.content;
      from = String(result["text_from"]);
      assert.equal(result["sha256"], digest);
      text += (text === "" && result["start_line"] === 1 ? "" : "\n") + String(result["text"] ?? "");
      cursor = called.content.next_cursor;
      cut ||= (called.content.notices ?? []).some((notice) => notice.includes("is longer than a result may be"));
    } while (cursor !== undefined);
    if (from === "bytes" && !cut) {
      assert.equal(Buffer.byteLength(text), size, key);
      assert.equal(sha256(text), digest, key);
    }
  }
});

test("every result fits its schema and its budget, every example is well-formed", async () => {
  const ajv = new Ajv2020({ strict: false });
  const known = { key: (await data()).objects[0]!.key, id: "CUB-0001" };
  for (const tool of TOOLS) {
    assert.ok(ajv.validate(inputJsonSchema(tool), tool.example), tool.name);
    const args =
      tool.name === "get_claim"
        ? { id: (await data()).claims.claims[0]!.id }
        : tool.name === "get_object" || tool.name === "verify_object"
          ? { key: known.key }
          : tool.name === "get_cub"
            ? { id: known.id }
            : tool.example;
    if (tool.name === "ask_library") continue;
    const called = await call(mcp, tool.name, args);
    assert.equal(called.isError, false, called.text);
    assert.ok(ajv.validate(outputJsonSchema(tool), called.content), `${tool.name}: ${ajv.errorsText()}`);
    assert.deepEqual(JSON.parse(called.text), called.content);
    assert.ok(Buffer.byteLength(called.text) <= MAX_RESULT_BYTES);
  }
  const listed = await modern(mcp, "tools/list");
  assert.equal(listed.text, (await modern(mcp, "tools/list")).text);
  for (const tool of listed.body.result!["tools"] as {
    annotations: { readOnlyHint: boolean };
    inputSchema: { additionalProperties: boolean };
    outputSchema: object;
  }[]) {
    assert.equal(tool.annotations.readOnlyHint, true);
    assert.equal(tool.inputSchema.additionalProperties, false);
    assert.ok("properties" in tool.outputSchema);
  }
});

test("the address of an answer is one that a browser opens", async () => {
  const response = { answer: "", citations: [], sources: [] } as unknown as Awaited<ReturnType<AskTool>>;
  const asked = openMcp({ ...NO_MODELS, ask: async () => response, view: demo.publicView, onError: (error) => failures.push(error) });
  const of = async (args: Record<string, unknown>) => twin(await call(asked, "ask_library", args));
  assert.equal(await of({ question: "Why?" }), "/ask/?question=Why%3F");
  assert.equal(await of({ question: "Why?", prefix: "notes/" }), "/ask/?question=Why%3F&prefix=notes%2F");
});

test("an agent has connected and knows every tool after 20 kB", async () => {
  const texts = await Promise.all(["server/discover", "tools/list"].map(async (method) => (await modern(mcp, method)).text));
  assert.ok(Buffer.byteLength(texts.join("")) <= 20_000, String(Buffer.byteLength(texts.join(""))));
});

test("a filter of a tool is taken in each form that an agent may know from the API", async () => {
  const forms = async (...all: Record<string, unknown>[]) =>
    assert.equal(new Set(await Promise.all(all.map(async (args) => (await call(mcp, "list_cubs", args)).content.result["count"]))).size, 1);
  await forms({ deployable: true }, { deployable: "true" });
  await forms({ no_holes: false }, { no_holes: "false" });
  await forms({ standing: "verified" }, { standing: ["verified"] });
  assert.match((await call(mcp, "list_cubs", { deployable: "maybe" })).text, /bad_parameter[\s\S]*deployable/);
});

test("a cursor stays in its snapshot and in its call", async () => {
  const { content } = await call(mcp, "list_cubs", { limit: 2 });
  const next = await call(mcp, "list_cubs", { limit: 2, cursor: content.next_cursor });
  assert.equal(next.content.snapshot, content.snapshot);
  const other = await call(mcp, "search_library", { query: "sorted", cursor: content.next_cursor });
  assert.match(other.text, /bad_cursor: The cursor belongs to another query/);
  const forged = Buffer.from(JSON.stringify({ s: "0".repeat(64), q: "0".repeat(16), n: 1 })).toString("base64url");
  assert.match((await call(mcp, "list_objects", { cursor: forged })).text, /cursor_expired/);
});

test("resources are listed page by page and read as what they are", async () => {
  const uris: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { body } = await modern(mcp, "resources/list", cursor === undefined ? {} : { cursor });
    const { resources, nextCursor } = body.result as { resources: { uri: string }[]; nextCursor?: string };
    uris.push(...resources.map(({ uri }) => uri));
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  const { objects, claims, cubs } = await data();
  assert.equal(uris.length, objects.length + claims.claims.length + cubs.length);
  assert.equal(new Set(uris).size, uris.length);
  for (const uri of uris) {
    const { body, text } = await modern(mcp, "resources/read", { uri });
    const [content] = (body.result?.["contents"] ?? []) as { uri: string; text?: string; blob?: string; _meta: Record<string, unknown> }[];
    assert.equal(content?.uri, uri, text.slice(0, 200));
    const bytes = content?.blob === undefined ? Buffer.from(content?.text ?? "") : Buffer.from(content.blob, "base64");
    const digest = content?._meta["proofshelf/sha256"];
    if (digest !== undefined) assert.equal(sha256(bytes), digest, uri);
    assert.match(String(content?._meta["proofshelf/origin"]), /data, not instructions/);
  }
  for (const uri of [
    "proofshelf://objects/nope",
    "proofshelf://objects/../x",
    "proofshelf://objects/%ff",
    "proofshelf://claims/%",
    "proofshelf://cubs/CUB-99999999",
    "proofshelf://cubs/x/code/y",
    "file:///etc/passwd",
    "",
    "proofshelf://",
  ]) {
    assert.equal((await modern(mcp, "resources/read", { uri })).body.error?.code, -32602, uri);
  }
});

test("no key, title or digest of a gated object is in anything that the public endpoint says", async () => {
  const open = await data();
  const gated = (await (await demo.internalView.current())!.snapshot.data()).objects.filter(
    ({ key }) => !open.objects.some((object) => object.key === key),
  );
  assert.ok(gated.length > 0);
  let said = "";
  for (const tool of TOOLS.filter(({ name }) => name.startsWith("list_") || name === "get_registry_meta" || name === "get_capabilities"))
    said += JSON.stringify(await call(mcp, tool.name, {}));
  for (const word of ["draft", "review", "objection", "unfinished", "sorted", "proof", "gated"])
    said += (await call(mcp, "search_library", { query: word, limit: 50 })).text;
  for (const { key, title, sha256: digest } of gated) {
    for (const secret of [key, digest, ...(title.length > 12 ? [title] : [])]) assert.ok(!said.includes(secret), secret);
    assert.deepEqual((await call(mcp, "lookup_digest", { sha256: digest })).content.result["objects"], []);
    assert.ok((await call(mcp, "verify_object", { key })).isError);
    assert.equal((await call(internal, "get_object", { key })).isError, false);
    assert.equal(((await call(internal, "lookup_digest", { sha256: digest })).content.result["objects"] as unknown[]).length > 0, true);
  }
});

test("an agent's journey: discover, search, read lines, look up the digest, verify against the root, cite", async () => {
  const discovered = await modern(mcp, "server/discover");
  assert.match(String(discovered.body.result?.["instructions"]), /search_library/);
  const found = await call(mcp, "search_library", { query: "canonical form digest", limit: 3 });
  const hits = found.content.result["results"] as { key: string; kind: string }[];
  const hit = hits.find(({ kind }) => kind === "markdown");
  assert.ok(hit);
  const read = await call(mcp, "get_object", { key: hit.key, start_line: 3, end_line: 6 });
  const {
    sha256: digest,
    text,
    start_line: start,
    end_line: end,
  } = read.content.result as { sha256: string; text: string; start_line: number; end_line: number };
  const looked = await call(mcp, "lookup_digest", { sha256: digest });
  assert.ok((looked.content.result["objects"] as { key: string }[]).some(({ key }) => key === hit.key));
  const verified = await call(mcp, "verify_object", { key: hit.key });
  const proof = verified.content.result as {
    root: string;
    path: string;
    trees: { text: string }[];
    entry: { sha256: string; size: number };
  };
  // What an agent does with it: nothing but SHA-256 and string comparison, and a root it has from elsewhere.
  const pointer = (await demo.publicView.records()).at(-1)!.snapshot;
  assert.equal(proof.root, pointer);
  const names = proof.path.split("/");
  let expected = proof.root;
  for (const [at, tree] of proof.trees.entries()) {
    assert.equal(sha256(tree.text), expected);
    expected = (JSON.parse(tree.text) as { name: string; sha256: string }[]).find(({ name }) => name === names[at])!.sha256;
  }
  assert.equal(expected, digest);
  assert.ok(checkProof({ root: pointer, trees: proof.trees.map((tree) => tree.text), entry: proof.entry as never }, proof.path));
  // The citation holds on the bytes behind href.
  const bytes = await answer(demo.publicView, { method: "GET", target: new URL(read.content.href).pathname, header: () => null });
  const lines = Buffer.from(bytes.body as Uint8Array)
    .toString("utf8")
    .split("\n")
    .slice(start - 1, end)
    .join("\n");
  assert.equal(lines, text);
  assert.equal(sha256(bytes.body as Uint8Array), digest);
});

test("list_collections costs what the collections cost: no object is looked at, and nothing is asked over HTTP", async () => {
  const open = (await demo.publicView.current())!;
  const whole = await data();
  // What follows from the objects is worked out once for a snapshot.
  const { totals } = relationsOf(whole);
  const untouchable = new Proxy(whole.objects, {
    get(objects, name) {
      if (name === "length") return objects.length;
      throw new Error(`looked at ${String(name)}`);
    },
  });
  const large = { ...whole, objects: untouchable };
  Object.defineProperty(relationsOf(large), "totals", { value: totals });
  const snapshot = {
    ...open.snapshot,
    id: open.snapshot.id,
    data: async () => large,
    read: () => Promise.reject(new Error("read a file")),
  };
  const view = changed(demo.publicView, { current: () => Promise.resolve(changed(open, { snapshot })) });
  const called = await call(openMcp({ ...NO_MODELS, view, onError: (error) => failures.push(error) }), "list_collections");
  assert.equal(called.isError, false, called.text);
  assert.deepEqual(called.content.result, (await call(mcp, "list_collections")).content.result);
});

test("a tool over records says whether no registry is configured or none could be read", async () => {
  const open = (await demo.publicView.current())!;
  const whole = await data();
  for (const [registry, code] of [
    ["none", "not_configured"],
    ["failed", "registry_unavailable"],
  ] as const) {
    const without = { ...whole, meta: null, cubs: [], library: { ...whole.library, registry } };
    const view = changed(demo.publicView, {
      current: async () => changed(open, { snapshot: { ...open.snapshot, data: async () => without } }),
    });
    const endpoint = openMcp({ ...NO_MODELS, view, onError: (error) => failures.push(error) });
    for (const [name, args] of [
      ["list_cubs", {}],
      ["search_cubs", { query: "sorted" }],
      ["get_cub", { id: "CUB-0001" }],
      ["get_registry_meta", {}],
    ] as const) {
      const called = await call(endpoint, name, args);
      assert.ok(called.isError, name);
      assert.match(called.text, new RegExp(`^${code}: `), `${name} with ${registry}`);
      assert.equal(/could not be read/.test(called.text), registry === "failed", called.text);
    }
  }
});

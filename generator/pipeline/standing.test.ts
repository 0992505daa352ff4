/** One state, said the same everywhere: of a library in which everything that its sources call verified has a "but", no page, route, file,
 *  feed, tool or answer says VERIFIED without it. Every word of the library itself is chosen so that "verified" is said by the program alone. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm/node";
import { hasTwin } from "../../snapshots/format/layout.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { type Config, openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { type ServingProcess, startServing } from "../testing/serving-process.ts";
import type { BuildSummary } from "./summary.ts";
import { ANNEXES } from "../annexes.ts";
import { build as buildWith } from "./build.ts";

const HEAD = "a".repeat(40);
const SECRET = "a secret of this test";
/** Who sends these is let in everywhere. */
const PAIR = { "Edge-Access-Client-Id": "walker.example", "Edge-Access-Client-Secret": SECRET };
type Mount = "" | "/internal";
const OLD = "# Heaps\n\nA heap keeps its least element at the root, and a pairing heap is one.\n";

const coq = (number: number): string => `Theorem heap_${number} : ${number} = ${number}.\nProof. reflexivity. Qed.\n`;

/** Said by the registry to be VERIFIED; what became of them, and what every surface has to say. */
const RECORDS = [
  { id: "CUB-0001", became: "drifted", says: "verified once by Coq 8.16.1 on 2026-04-01; its files have changed" },
  { id: "CUB-0002", became: "gone", says: "said to be verified once; its files are gone" },
  { id: "CUB-0003", became: "fallen", says: "not verified; Coq 8.16.1 refused it on 2026-04-02" },
  { id: "CUB-0004", became: "unpinned", says: "said to be verified; it pins no file" },
] as const;

/** Said by their author to be verified. */
const CLAIMS = [
  {
    id: "on-drifted",
    rests: "CUB-0001",
    says: "verified once; it rests on CUB-0001, which was verified once by Coq 8.16.1 on 2026-04-01; its files have changed",
  },
  { id: "on-gone", rests: "CUB-0002", says: "verified once; it rests on CUB-0002, which was said to be verified once; its files are gone" },
  {
    id: "on-fallen",
    rests: "CUB-0003",
    says: "said to be verified; it rests on CUB-0003, which is not verified; Coq 8.16.1 refused it on 2026-04-02",
  },
  { id: "on-vanished", rests: "CUB-0009", says: "verified once; it rests on CUB-0009, which is not in the registry" },
  { id: "on-text", rests: null, says: "verified once; what it pins has changed" },
  { id: "on-draft", rests: "draft", says: "said to be verified; what it pins could not be looked at" },
  { id: "on-words", rests: "words", says: "said to be verified; it pins nothing" },
] as const;
/** Of the claim whose evidence is gated, who may read that is told more. */
const INSIDE = "verified once; what it pins has changed";

/** What a prover said of some of them, and when. */
const CHECKS: Readonly<Record<string, { readonly state: string; readonly finished: string }>> = {
  drifted: { state: "accepted", finished: "2026-04-01T10:00:00Z" },
  fallen: { state: "rejected", finished: "2026-04-02T10:00:00Z" },
};

function registry(turn: 1 | 2): string {
  const records = [...RECORDS, ...(turn === 1 ? [{ id: "CUB-0009", became: "vanished" }] : [])];
  const cubs = records.map(({ id, became }) => {
    const number = Number(id.slice(4));
    const path = `coq/H${number}.v`;
    return {
      id,
      repo: "heaps",
      theorem_name: `heap_${number}`,
      module: "Heaps",
      kind: "Theorem",
      statement: `${number} = ${number}`,
      status: turn === 2 && became === "fallen" ? "" : "VERIFIED_EXACT",
      verification_state: turn === 2 && became === "fallen" ? "NOT_VERIFIED" : "VERIFIED",
      no_holes: true,
      formal_systems: "Coq",
      invocation: "runtime",
      deployable: true,
      files: { coq_file: became === "unpinned" ? "" : path },
      file_shas: became === "unpinned" ? {} : { [path]: sha256(coq(number)) },
      ...(CHECKS[became] === undefined
        ? {}
        : {
            checks: [
              { state: "not_run", prover: "lean", reason: "it is not installed" },
              { prover: "coq", version: "8.16.1", ...CHECKS[became] },
            ],
          }),
    };
  });
  return JSON.stringify({
    meta: {
      service: "Heaps",
      updated_iso: "2026-05-01T00:00:00Z",
      sources: { heaps: { head: HEAD } },
      verification_counts: { VERIFIED: turn === 1 ? 5 : 3 },
      readiness_counts: { verified_runtime_deployable: turn === 1 ? 5 : 3, verified_of_old: 2 },
    },
    cubs,
  });
}

const claims = JSON.stringify({
  claims: CLAIMS.map(({ id, rests }) => ({
    id,
    title: `A heap that is ${id}`,
    status: "verified",
    scope: "Heaps",
    statement: `What ${id} says of heaps holds.`,
    evidence:
      rests === "draft" || rests === "words"
        ? [
            {
              artifact: "A draft",
              kind: "note",
              access: "email-gated",
              path: "drafts/heap.md",
              ...(rests === "words" ? {} : { sha256: sha256(OLD) }),
            },
          ]
        : [
            {
              artifact: "The text",
              kind: "note",
              access: "public",
              path: "notes/heaps.md",
              sha256: sha256(rests === null ? OLD : "# Steady\n"),
            },
            ...(rests === null ? [] : [{ artifact: `Record ${rests}`, kind: "record", access: "public" }]),
          ],
  })),
});

/** As a registry is made of sources and checks: what a check alone may say is refused of one by hand. */
const build = (of: Config, options: { readonly progress: typeof SILENT }, parts: typeof PAGED_PARTS): Promise<BuildSummary> =>
  buildWith(of, { ...ANNEXES, makeRegistry: async () => readFileSync(join(dir, "registry.json")) }, options, parts);

let dir: string;
let config: Config;
let summary: BuildSummary;
let server: ServingProcess;
let model: { readonly url: string; close(): void };

/** A model that repeats what it was shown. */
async function openEcho(): Promise<typeof model> {
  const echo = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      const [, quote = ""] = /excerpt 1:[^\n]*>>\n([^\n]+)/.exec(messages.at(-1)?.content ?? "") ?? [];
      const content = `Every heap is verified. [1]\n${quote} [1 "${quote}"]\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(echo.address() as AddressInfo).port}/v1`, close: () => echo.close() };
}

before(async () => {
  dir = mkdtempSync(join(tmpdir(), "proofshelf-standing-"));
  model = await openEcho();
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      `title: Heaps
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
code: { kind: directory, root: ./code }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
access:
  policy: { serviceTokens: [walker] }
  serviceTokens: [{ name: walker, id: walker.example, secretSha256: ${sha256(SECRET)} }]
claims: { path: ./claims.json }
registry: { sources: ./registry.yaml }
answers: { baseUrl: "${model.url}", model: echo }
embeddings: { kind: none }
`,
    ],
    ["registry.json", registry(1)],
    ["claims.json", claims],
    ["library/notes/heaps.md", OLD],
    ["library/notes/steady.md", "# Steady\n"],
    ["library/drafts/heap.md", OLD],
    ...[1, 2, 3, 9].map((number) => [`code/heaps/${HEAD}/coq/H${number}.v`, coq(number)] as const),
  ]);
  config = await openConfig(join(dir, "proofshelf.yaml"));
  await build(config, { progress: SILENT }, PAGED_PARTS);
  await writeFiles(dir, [
    ["registry.json", registry(2)],
    [`code/heaps/${HEAD}/coq/H1.v`, "Theorem other : True.\n"],
    ["library/notes/heaps.md", OLD.replace("least", "greatest")],
    ["library/drafts/heap.md", OLD.replace("least", "greatest")],
  ]);
  rmSync(join(dir, `code/heaps/${HEAD}/coq/H2.v`));
  summary = await build(config, { progress: SILENT }, PAGED_PARTS);
  server = await startServing(["--no-rate-limits", "--config", join(dir, "proofshelf.yaml")]);
});
after(async () => {
  await server?.stop();
  model?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** What says of the word itself what it means, asks for it, or says who said it and of when. */
const HARMLESS: readonly RegExp[] = [
  // What was said in an earlier snapshot, with its number or beside what became of it.
  /snapshot 1: [^<\n]*/g,
  /Records in 1: [^\n]*/g,
  /(?:"|&quot;)?verified(?:_exact)?(?:(?: by|;) Coq 8\.16\.1 (?:refused it )?on [\d-]+)?(?:"|&quot;)? (?:→|and is)/gi,
  // A standing with its "but", and its short forms.
  /verified(?:%20| )once\b/gi,
  /(?:only )?said to be verified\b/gi,
  /verified_(?:once|said|lost)/g,
  /\bnot(?:[ _-]|\\_)verified\b/gi,
  /\b0 of \d+ (?:records|claims) are verified\b|\b0 of them verified\b|<span>verified: <\/span>0 of \d+/g,
  // Names of a pattern that fills a part of a picture, and what fell.
  /id="m-\w+"|#m-\w+|▼ \d+ fewer verified/g,
  // What it was, beside what it is now.
  /<span>was <span(?:(?!<\/p>).)*<\/p>/gs,
  // What a thing was before, struck out beside what it is; and lines of a record's own text, whose standing is another of its lines.
  /<del>[^<]*<\/del>|removed: <\/span>(?:(?!<\/li>).)*|^- {3,}"[^\n]*/gm,
  /(?:"|&quot;)(?:status|verification_state)(?:"|&quot;): (?:"|&quot;)\w*(?:"|&quot;)/g,
  // How many stood how in each snapshot, each standing a count of its own; and the registry's counts, each by its name.
  /<title>snapshot \d+: \d+ verified,|<\/svg> verified<\/li>|<th scope="col"[^>]*>verified<\/th>/g,
  /<dt>(?:Standing|Verification|Readiness) counts\.[\w ]+<\/dt>/g,
  // Captions, and what the words mean.
  /How many (?:are|records were) verified\?|and how many are verified(?:\?| of those that can be proved)|which is not verified/g,
  /<li><span[^>]*>(?:(?!<\/li>).)*the evidence covers the whole statement<\/span><\/li>/gs,
  // What a source says, under a title that says so.
  /<dt>Said by its author<\/dt><dd>verified<\/dd>/g,
  /<dt>Said by the registry<\/dt><dd[^>]*>verified<\/dd>/g,
  /<summary>(?:Said by the registry|Registry status)<\/summary>(?:(?!<\/details>).)*/gs,
  /<dt>Registry status<\/dt><dd[^>]*>verified exact<\/dd>/g,
  /(?:Remove the filter )?Said by the registry: verified/g,
  /<th scope="rowgroup"[^>]*>Said by the registry<\/th>(?:(?!<\/tbody>).)*/gs,
  /verification\\_counts \| VERIFIED|readiness\\_counts \| verified\\_[\w\\]+/g,
  /\?\S*verification_state=VERIFIED/g,
  /as (?:the registry|its author) says it: \w+/g,
];

/** Members that the contract has, and what has to stand beside them. */
function checkValue(value: unknown, where: string, found: string[]): void {
  if (typeof value === "string") return checkText(value, where, found);
  if (Array.isArray(value)) return value.forEach((item, at) => checkValue(item, `${where}/${at}`, found));
  if (typeof value !== "object" || value === null) return;
  const members = value as Readonly<Record<string, unknown>>;
  const standing = members["standing"] as { readonly says?: unknown } | undefined;
  for (const [name, member] of Object.entries(members)) {
    const isSaid = (name === "verification_state" || name === "status") && typeof member === "string";
    if (isSaid && /verified/i.test(member)) {
      if (typeof standing?.says !== "string") found.push(`${where}: ${name} stands without a standing`);
    } else if (name.endsWith("_counts") && name !== "standing_counts") {
      if (name === "verification_counts" && !("standing_counts" in members)) found.push(`${where}: ${name} without standing_counts`);
    } else if (name === "facets" && typeof member === "object" && member !== null && "verification_state" in member) {
      if (!("standing" in member)) found.push(`${where}: facets without standing`);
    } else if ("field" in members && (name === "before" || name === "after")) {
      // What changed, with both sides.
    } else if (["query", "href", "question", "field"].includes(name)) {
      // What was asked for, and the names of members.
    } else if (name === "file" && typeof member === "string") {
      checkValue(JSON.parse(member), `${where}/file`, found);
    } else checkValue(member, `${where}/${name}`, found);
  }
}

function checkText(text: string, where: string, found: string[]): void {
  let left = text;
  for (const harmless of HARMLESS) left = left.replaceAll(harmless, " ");
  for (const { index } of left.matchAll(/(?<!un)verified/gi)) found.push(`${where}: …${left.slice(Math.max(0, index - 60), index + 60)}…`);
}

/** What readers see, and what the head says: no program, no template, and no name of a style, which "public" has, too. */
const shownOf = (html: string): string =>
  html
    .replaceAll(/<script(?![^>]*ld\+json)[^>]*>.*?<\/script>|<template\b.*?<\/template>/gs, "")
    .replaceAll(/ (?:class|href|value)="[^"]*"|<\/?mark>/g, "");

function checkBody(body: string, type: string, where: string): readonly string[] {
  const found: string[] = [];
  if (/ndjson/.test(type)) for (const line of body.split("\n").filter((line) => line !== "")) checkValue(JSON.parse(line), where, found);
  else if (/json/.test(type)) checkValue(JSON.parse(body), where, found);
  else if (/csv/.test(type))
    for (const line of body.split("\r\n").slice(1)) checkText(line.replaceAll(/VERIFIED_EXACT,VERIFIED,(?=.*verified)/g, ""), where, found);
  else checkText(/html/.test(type) ? shownOf(body) : body, where, found);
  return found;
}

/** Routes that speak of the service or are named here with what is asked of them; a route that is in neither list fails the test. */
const OF_THE_SERVICE =
  /^\/(?:api\/openapi\.json|\.well-known\/|robots\.txt|sitemap|api\/reindex|mcp|images\/|shelf\/|api\/archive|internal\/|api\/code\/)/;
const ASKED: Readonly<Record<string, readonly string[]>> = {
  "/api/catalog/{collection}": ["/api/catalog/notes"],
  "/api/cubs": ["/api/cubs?facets=true", "/api/cubs?q=heap", "/api/cubs?verification_state=VERIFIED", "/api/cubs?limit=0&facets=true"],
  "/api/cubs.json": ["/api/cubs.json"],
  "/api/cubs/{id}": RECORDS.map(({ id }) => `/api/cubs/${id}`),
  "/api/cubs/{id}/code": RECORDS.map(({ id }) => `/api/cubs/${id}/code`),
  "/api/cubs/{id}/graph": RECORDS.map(({ id }) => `/api/cubs/${id}/graph`),
  // No prover said here what these rest on.
  "/api/cubs/{id}/meaning": [],
  "/api/cubs/{id}/tlog-proof": [],
  "/api/search": ["/api/search?q=heap", "/api/search?q=CUB-0001", "/api/search?q=on-drifted"],
  "/api/ai-search": ["/api/ai-search?q=heap"],
  "/api/ask": [],
  "/oai": ["/oai?verb=ListRecords&metadataPrefix=oai_dc"],
  "/api/digests/{sha256}": [`/api/digests/${sha256(coq(1))}`, `/api/digests/${sha256(OLD)}`],
  "/api/proofs/{key}": ["/api/proofs/CUB-0001?kind=record", "/api/proofs/on-drifted?kind=claim"],
  "/api/diff/{from}/{to}": ["/api/diff/1/2"],
  "/objects/{key}": ["/objects/notes/heaps.md"],
  "/browse/{prefix}": ["/browse/notes/"],
  "/timegate/{path}": [],
  "/browse/{prefix}/feed.json": ["/browse/notes/feed.json"],
  "/browse/{prefix}/feed.xml": ["/browse/notes/feed.xml"],
  "/api/list": ["/api/list?prefix=notes/"],
};

async function read(path: string): Promise<{ readonly body: string; readonly type: string }> {
  const response = await fetch(server.url + path, { headers: PAIR, redirect: "follow" });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const body = Buffer.from(bytes).toString();
  assert.equal(response.status, 200, `${path}: ${body.slice(0, 300)}`);
  const type = response.headers.get("content-type") ?? "";
  return /parquet/.test(type) ? { body: linesOf(bytes), type: "application/x-ndjson" } : { body, type };
}

/** Rows of a table, a line of JSON each. Of a standing a cell has the sentence. */
function linesOf(parquet: Uint8Array): string {
  const rows = tableFromIPC(readParquet(parquet).intoIPCStream()).toArray() as { toJSON(): Readonly<Record<string, unknown>> }[];
  return rows
    .map((row) => {
      const { standing, ...cells } = row.toJSON();
      const members = standing === undefined ? cells : { ...cells, standing: { says: standing } };
      return `${JSON.stringify(members, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value))}\n`;
    })
    .join("");
}

/** Walks every route, page, file, tool and question of a view. */
async function walk(mount: Mount): Promise<readonly string[]> {
  const { paths } = JSON.parse((await read("/api/openapi.json")).body) as {
    paths: Record<string, { get?: { parameters?: { in: string; required?: boolean }[] } }>;
  };
  const targets = Object.entries(paths).flatMap(([described, { get }]) => {
    if (!described.startsWith(`${mount}/`)) return [];
    const path = described.slice(mount.length);
    if (get === undefined || OF_THE_SERVICE.test(path)) return [];
    const asked = ASKED[path];
    if (asked !== undefined) return asked;
    const needs = path.includes("{") || get.parameters?.some(({ required }) => required === true) === true;
    assert.ok(!needs, `${described} is asked nothing here: say what`);
    return [path];
  });
  const pages = [...(await read("/sitemap.xml")).body.matchAll(/<loc>http:\/\/library\.example([^<]*)<\/loc>/g)].map(
    ([, path = ""]) => path,
  );
  assert.ok(pages.length >= 15);
  const documents = /^\/(?:reference|agents|problems)\//;
  const shown = pages.filter((path) => !documents.test(path));
  const gated = ["/browse/drafts/", "/object/drafts/heap.md/"];
  const asked = [
    "/registry/?verification_state=VERIFIED",
    "/registry/?standing=verified_lost",
    "/registry/?evidence_state=differs",
    "/registry/?q=heap",
    "/search/?q=heap",
    "/search/?q=CUB-0001",
    "/search/?q=kind:record",
    "/search/?q=kind:claim",
    "/ask/?question=What%20is%20CUB-0001%3F",
  ];
  const things = pages.filter((path) => /^\/(?:claims|registry(?!\/dashboard)|object)\/.+\//.test(path) || path === "/");
  const { body: snapshots } = await read(`${mount}/snapshots/`);
  const diffs = [...snapshots.matchAll(/href="([0-9a-f]{64}\.\.[0-9a-f]{64}\/)"/g)].map(([, pair]) => `/snapshots/${pair}`);
  assert.ok(diffs.length > 0);
  const revised = ["object/notes/heaps.md", ...RECORDS.map(({ id }) => `registry/${id}`)].map((name) => `/snapshots/${name}/`);
  const past = ["/snapshots/", ...diffs, ...revised];
  const feeds = ["/", "/claims/", "/registry/"].flatMap((path) => ["feed.xml", "feed.json"].map((name) => path + name));
  const files = [
    ...shown.filter(hasTwin).map((path) => `${path}index.md`),
    ...things.flatMap((path) => ["cite.bib", "cite.json"].map((file) => path + file)),
    ...feeds,
    "/api/catalog.csv",
    "/api/cubs.csv",
    "/api/cubs.ndjson",
    "/api/claims.json",
    `/at/${summary.snapshot}/registry/`,
  ];
  // Of the gated view, files for programs are asked for by tools and by what is described.
  const all = mount === "" ? [...targets, ...shown, ...past, ...asked, ...files] : [...targets, ...shown, ...past, ...gated, ...asked];
  const found: string[] = [];
  for (const path of new Set(all)) {
    const { body, type } = await read(mount + path);
    found.push(...checkBody(body, type, mount + path));
  }
  return [...found, ...(await walkTools(mount)), ...(await walkAnswers(mount))];
}

async function call(method: string, params: object, mount: Mount = ""): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}${mount}/mcp`, {
    method: "POST",
    headers: {
      ...PAIR,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const text = await response.text();
  const body = JSON.parse(text.startsWith("{") ? text : text.slice(text.indexOf("{"))) as {
    result?: Record<string, unknown>;
    error?: unknown;
  };
  assert.ok(body.result !== undefined, `${method} ${JSON.stringify(params)}: ${text.slice(0, 300)}`);
  return body.result;
}

const TOOLS: Readonly<Record<string, readonly object[]>> = {
  list_collections: [{}],
  get_capabilities: [{}],
  get_registry_meta: [{}],
  list_objects: [{ prefix: "notes/" }],
  get_object: [{ key: "notes/heaps.md" }],
  search_library: [{ query: "heap" }, { query: "CUB-0001" }],
  ai_search: [{ query: "heap" }],
  ask_library: [{ question: "What is CUB-0001?" }, { question: "How many records are verified?" }],
  list_claims: [{}, { status: "verified" }, { detail: "full" }],
  get_claim: CLAIMS.map(({ id }) => ({ id })),
  search_cubs: [{ query: "heap" }, { query: "heap", detail: "full" }],
  list_cubs: [{}, { verification_state: "VERIFIED" }, { detail: "full" }],
  get_cub: RECORDS.map(({ id }) => ({ id })),
  lookup_digest: [{ sha256: sha256(coq(1)) }],
  verify_object: [{ key: "notes/heaps.md" }],
};

async function walkTools(mount: Mount): Promise<readonly string[]> {
  const { tools } = (await call("tools/list", {}, mount)) as { tools: { name: string }[] };
  const found: string[] = [];
  for (const { name } of tools) {
    const calls = TOOLS[name];
    assert.ok(calls !== undefined, `${name} is asked nothing here: say what`);
    for (const args of calls) {
      const { structuredContent, content } = await call("tools/call", { name, arguments: args }, mount);
      checkValue(structuredContent, `${name} ${JSON.stringify(args)}`, found);
      for (const { text = "" } of content as { text?: string }[]) {
        const json = /^\s*\{/.test(text) ? (JSON.parse(text) as unknown) : text;
        checkValue(json, `${name} ${JSON.stringify(args)} content`, found);
      }
    }
  }
  for (const uri of ["proofshelf://cubs/CUB-0001", "proofshelf://claims/on-drifted"]) {
    const { contents } = (await call("resources/read", { uri }, mount)) as { contents: { text: string }[] };
    for (const { text } of contents) checkValue(JSON.parse(text), uri, found);
  }
  return found;
}

const QUESTIONS = [
  "What is CUB-0001?",
  "Is CUB-0002 verified?",
  "Is heap_1 verified?",
  "What does on-drifted say?",
  "What is the verification state of CUB-0001?",
  "How many records are verified?",
  "Which records are verified?",
  "How many claims are verified?",
  "Are all records verified?",
  "How many records by verification state?",
  "What keeps its least element at the root?",
];

async function walkAnswers(mount: Mount): Promise<readonly string[]> {
  const found: string[] = [];
  for (const question of QUESTIONS) {
    const response = await fetch(`${server.url}${mount === "" ? "" : "/internal/library"}/api/ask`, {
      method: "POST",
      headers: { ...PAIR, "content-type": "application/json" },
      body: JSON.stringify({ question }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { query: _, receipt: __, ...answer } = JSON.parse(text) as Record<string, unknown>;
    checkValue(answer, `ask ${question}`, found);
  }
  return found;
}

test("the walk would find a VERIFIED without its but, in every kind of text that it reads", () => {
  for (const [type, body] of [
    ["application/json", JSON.stringify({ id: "CUB-0001", verification_state: "VERIFIED" })],
    ["application/json", JSON.stringify({ facets: { verification_state: [{ value: "VERIFIED", count: 1 }] } })],
    ["application/x-ndjson", `${JSON.stringify({ id: "CUB-0001", status: "VERIFIED_EXACT" })}\n`],
    ["text/csv", "id,verification_state\r\nCUB-0001,VERIFIED\r\n"],
    ["text/html", '<li><span class="state verified"><span>verified</span></span></li>'],
    ["text/markdown", "- [CUB-0001](x) (Theorem, VERIFIED): 1 = 1\n"],
    ["text/plain", "CUB-0001 heap_1\n\nVERIFIED, runtime\n"],
    ["text/plain", "Record CUB-0001 is VERIFIED."],
  ] as const)
    assert.equal(checkBody(body, type, "").length, 1, body);
});

test("drifted, gone, fallen, unpinned and vanished: no surface of either view says VERIFIED without its but", async () => {
  assert.deepEqual(await walk(""), []);
  assert.deepEqual(await walk("/internal"), []);
});

test("a standing has its state, its evidence, the check and its age as values", async () => {
  const { standing } = JSON.parse((await read("/api/cubs/CUB-0001")).body) as { standing: unknown };
  assert.deepEqual(standing, {
    state: "verified_lost",
    evidence: "differs",
    check: { state: "accepted", by: "Coq 8.16.1", on: "2026-04-01T10:00:00Z" },
    says: RECORDS[0].says,
  });
  const unchecked = JSON.parse((await read("/api/cubs/CUB-0002")).body) as { standing: object };
  assert.ok(!("check" in unchecked.standing));
});

test("of a claim whose evidence is gated, each view says what it can see", async () => {
  const path = "/claims/on-draft/";
  assert.ok((await read(path)).body.includes(`<span>${CLAIMS.find(({ id }) => id === "on-draft")?.says}</span>`));
  assert.ok((await read(`/internal${path}`)).body.includes(`<span>${INSIDE}</span>`));
});

test("every surface that names a record or a claim says the same sentence", async () => {
  const { cubs } = JSON.parse((await read("/api/cubs.json")).body) as { cubs: { id: string; standing: { says: string } }[] };
  assert.deepEqual(
    cubs.map(({ id, standing }) => [id, standing.says]),
    RECORDS.map(({ id, says }) => [id, says]),
  );
  const { claims: all } = JSON.parse((await read("/api/claims")).body) as { claims: { id: string; standing: { says: string } }[] };
  assert.deepEqual(
    all.map(({ id, standing }) => [id, standing.says]),
    CLAIMS.map(({ id, says }) => [id, says]),
  );
  const fullText = (await read("/llms-full.txt")).body;
  const [registryPage, claimsPage] = [await read("/registry/"), await read("/claims/")];
  const csv = (await read("/api/cubs.csv")).body;
  for (const { id, says } of RECORDS) {
    const page = `/registry/${id}/`;
    for (const place of [page, `${page}index.md`, `${page}cite.json`, `${page}cite.bib`, `/api/search?q=${id}`, `/search/?q=${id}`])
      assert.ok((await read(place)).body.replaceAll("\\", "").includes(says), `${place}: ${says}`);
    assert.ok(registryPage.body.includes(`<span>${says}</span>`), id);
    assert.ok(fullText.includes(`${id} heap_${Number(id.slice(4))}\n\n${says}, `), id);
    assert.ok(
      csv.split("\r\n").some((line) => line.startsWith(`${id},`) && line.includes(says)),
      id,
    );
    const { content } = await call("tools/call", { name: "get_cub", arguments: { id } });
    assert.ok(JSON.stringify(content).includes(says), id);
  }
  for (const { id, says } of CLAIMS) {
    const page = `/claims/${id}/`;
    for (const place of [page, `${page}index.md`, `${page}cite.json`, `/api/search?q=${id}`])
      assert.ok((await read(place)).body.replaceAll("\\", "").includes(says), `${place}: ${says}`);
    assert.ok(claimsPage.body.includes(`<span>${says}</span>`), id);
    assert.ok(fullText.includes(says), id);
  }
});

test("the sign and its colour follow the standing", async () => {
  const page = (await read("/registry/")).body;
  const shapeOf = (says: string): string | undefined =>
    new RegExp(`class="state (\\w+)"(?:(?!class="state).)*<span>${says}</span>`, "s").exec(page)?.[1];
  assert.deepEqual(
    RECORDS.map(({ says }) => shapeOf(says)),
    ["failed", "failed", "unverified", "said"],
  );
});

test("a code store that cannot be looked at, and no model to answer: said to be verified, and not more", async () => {
  const file = join(dir, "proofshelf.yaml");
  await writeFiles(dir, [["proofshelf.yaml", readFileSync(file, "utf8").replace(/^answers: .*$/m, "")]]);
  config = await openConfig(file);
  renameSync(join(dir, "code"), join(dir, "elsewhere"));
  summary = await build(config, { progress: SILENT }, PAGED_PARTS);
  const restarted = await startServing(["--no-rate-limits", "--config", join(dir, "proofshelf.yaml")]);
  await server.stop();
  server = restarted;
  const { standing } = JSON.parse((await read("/api/cubs/CUB-0001")).body) as { standing: unknown };
  assert.deepEqual(standing, {
    state: "verified_said",
    evidence: "unreachable",
    check: { state: "accepted", by: "Coq 8.16.1", on: "2026-04-01T10:00:00Z" },
    says: "said to be verified; Coq 8.16.1 accepted it on 2026-04-01; its files could not be looked at",
  });
  assert.deepEqual([...(await walk("")), ...(await walk("/internal"))], []);
});

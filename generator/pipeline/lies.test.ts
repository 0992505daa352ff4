/** Lies about who checked what, each named after itself: no surface says of them that they are verified. One library is built of a registry as
 *  sources and checks make it, and one function looks at page, list, search, API, answer and tool. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sha256 } from "../../snapshots/digest.ts";
import { ANNEXES } from "../annexes.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { type ServingProcess, startServing } from "../testing/serving-process.ts";
import { build } from "./build.ts";

const HEAD = "a".repeat(40);
const TEXT = "Lemma t : 0 = 1. Admitted.\n";
const check = (state: string, more: object = {}): object => ({
  state,
  prover: "coq",
  version: "8.16.1",
  revision: HEAD,
  finished: "2026-04-01T10:00:00Z",
  exact: true,
  ...more,
});
const stranger = check("accepted", { counted: false, signers: ["inria.fr/coq-team"], finished: "2026-05-01T10:00:00Z" });
const outside = { checks: [check("accepted_with_axioms")], axioms: ["L.choice"], axioms_outside: ["L.choice"] };

/** A record's members, what is to be said of it, and by which sign. */
const RECORDS: readonly (readonly [lie: string, members: object, says: string, sign: string])[] = [
  ["a person says VERIFIED", { verification_state: "VERIFIED", status: "VERIFIED_EXACT", no_holes: true }, "said to be verified", "said"],
  ["an empty list of checks", { verification_state: "VERIFIED", checks: [] }, "said to be verified", "said"],
  ["checks that nobody ran", { verification_state: "VERIFIED", checks: [check("not_run")] }, "said to be verified", "said"],
  ["an invented institute", { verification_state: "VERIFIED", checks: [stranger] }, "said to be verified", "said"],
  ["two invented institutes agree", { verification_state: "VERIFIED", checks: [stranger, stranger] }, "said to be verified", "said"],
  [
    "a check of another revision",
    { verification_state: "VERIFIED", checks: [check("stale")] },
    "said to be verified; Coq 8.16.1 was asked of an older revision on 2026-04-01",
    "said",
  ],
  [
    "an export that nobody replayed",
    { verification_state: "UNSPECIFIED", checks: [check("exported", { prover: "lean", tool: "lean4export", version: "3.1.0" })] },
    "exported, not replayed; lean4export 3.1.0 wrote it out on 2026-04-01",
    "said",
  ],
  [
    "an export that somebody calls VERIFIED",
    { verification_state: "VERIFIED", checks: [check("exported", { prover: "lean", tool: "lean4export", version: "3.1.0" })] },
    "said to be verified; lean4export 3.1.0 wrote it out on 2026-04-01",
    "said",
  ],
  [
    "an axiom outside the policy",
    { verification_state: "NOT_VERIFIED", ...outside },
    "proved, from axioms that this library's policy does not allow: L.choice; Coq 8.16.1 accepted it with axioms on 2026-04-01",
    "partial",
  ],
  ["axioms of strangers", { verification_state: "NOT_VERIFIED", ...outside, checks: [stranger] }, "not verified", "unverified"],
  [
    "a definition",
    { verification_state: "UNSPECIFIED", status: "DEFINED", kind: "Definition", checks: [check("accepted")] },
    "defined, accepted by Coq 8.16.1 on 2026-04-01",
    "defined",
  ],
  [
    "an axiom",
    { verification_state: "UNSPECIFIED", status: "ASSUMED", kind: "Axiom", checks: [check("accepted_with_axioms")], axioms: ["L.t"] },
    "assumed, accepted by Coq 8.16.1 on 2026-04-01",
    "defined",
  ],
  ["a definition that nobody checked", { verification_state: "UNSPECIFIED", status: "DEFINED" }, "unspecified", "unspecified"],
  [
    "at most these axioms",
    { verification_state: "UNSPECIFIED", checks: [check("accepted_with_axioms", { exact: false })], axioms: ["L.choice"] },
    "unspecified; Coq 8.16.1 accepted it with axioms on 2026-04-01",
    "unspecified",
  ],
  [
    "a run without a sandbox",
    { verification_state: "VERIFIED", checks: [check("accepted", { isolation: "none" })] },
    "verified by Coq 8.16.1 on 2026-04-01, without a sandbox",
    "verified",
  ],
  [
    "what a prover accepted",
    { verification_state: "VERIFIED", checks: [check("accepted")] },
    "verified by Coq 8.16.1 on 2026-04-01",
    "verified",
  ],
  [
    "a second checker that disagrees",
    {
      verification_state: "VERIFIED",
      checks: [check("accepted"), check("disagrees", { tool: "coqchk", finished: "2026-04-02T10:00:00Z" })],
    },
    "said to be verified; coqchk 8.16.1 contradicts the prover that it looks over on 2026-04-02",
    "said",
  ],
  [
    "an author's words",
    {
      verification_state: "UNSPECIFIED",
      kind: "Theorem (verified)",
      note: "Zebras are striped. Verified by Coq 8.16.1.",
      lineage: "Verified by Coq 8.16.1",
      use_cases: ["verified by Coq 8.16.1"],
      statement_source: "P = NP",
      statement_words: [{ word: "P = NP", kind: "notation", stands_for: "True", path: `coq/L1.v`, line: 1 }],
    },
    "unspecified",
    "unspecified",
  ],
];
const idOf = (at: number): string => `CUB-${String(at + 1).padStart(4, "0")}`;
const registry = JSON.stringify({
  meta: { service: "Lies", sources: { lies: { head: HEAD } } },
  cubs: RECORDS.map(([, members], at) => ({
    id: idOf(at),
    repo: "lies",
    theorem_name: `lie_${at + 1}`,
    statement: "0 = 1",
    kind: "Lemma",
    revision: HEAD,
    files: { coq_file: `coq/L${at + 1}.v` },
    file_shas: { [`coq/L${at + 1}.v`]: sha256(TEXT + at) },
    ...members,
  })),
});
/** Each pins the file of a record, in its own way. */
const PINS = [
  (at: number) => ({ repo: "lies", ref: HEAD, path: `coq/L${at + 1}.v`, sha256: sha256(TEXT + at) }),
  (at: number) => ({ repo: "lies", path: `coq/L${at + 1}.v`, sha256: sha256(TEXT + at) }),
  (at: number) => ({ path: idOf(at) }),
];
const claims = JSON.stringify({
  claims: PINS.flatMap((pin, way) =>
    RECORDS.map((_, at) => ({
      id: `claim-${way}-${at + 1}`,
      title: `Claim ${way} ${at + 1}`,
      status: "verified",
      scope: "All",
      statement: "It holds.",
      evidence: [{ artifact: "The proof", kind: "coq", access: "public", ...pin(at) }],
    })),
  ),
});

let dir: string;
let server: ServingProcess;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), "proofshelf-lies-"));
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      `title: Lies
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
code: { kind: directory, root: ./code }
collections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]
claims: { path: ./claims.json }
registry: { sources: ./registry.yaml }
embeddings: { kind: none }
`,
    ],
    ["claims.json", claims],
    ["library/notes/a.md", "# A note\n"],
    ...RECORDS.map((_, at) => [`code/lies/${HEAD}/coq/L${at + 1}.v`, TEXT + at] as const),
  ]);
  const made = { ...ANNEXES, makeRegistry: async () => Buffer.from(registry) };
  await build(await openConfig(join(dir, "proofshelf.yaml")), made, { progress: SILENT }, PAGED_PARTS);
  server = await startServing(["--no-rate-limits", "--config", join(dir, "proofshelf.yaml")]);
});
after(async () => {
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const get = async (path: string): Promise<string> => (await fetch(server.url + path)).text();
const post = async (path: string, body: object): Promise<string> =>
  (
    await fetch(server.url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: path === "/mcp" ? "application/json, text/event-stream" : "application/json",
        "mcp-protocol-version": "2025-06-18",
      },
      body: JSON.stringify(body),
    })
  ).text();
const unescaped = (html: string): string => html.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** surfacesOf returns what each surface says of a record: sign and sentence where there is a sign. */
async function surfacesOf(id: string, name: string, list: string): Promise<Readonly<Record<string, string>>> {
  const signOf = (html: string, from: number): string => {
    const [, sign = "", title = "", word = ""] =
      /class="state (\w+)"(?: title="([^"]*)")?(?:(?!class="state )[^])*?<\/svg><span>([^<]*)<\/span>/.exec(html.slice(from)) ?? [];
    // Where a list says the word alone, its title has the sentence.
    return `${sign}: ${unescaped(title.startsWith(word) || title.startsWith("proved, from axioms") ? title : word)}`;
  };
  const page = await get(`/registry/${id}/`);
  const saysIn = (text: string): string => (JSON.parse(text) as { standing?: { says: string } }).standing?.says ?? "";
  const search = JSON.parse(await get(`/api/search?q=${id}`)) as { results: { key: string; standing?: { says: string } }[] };
  const cubs = JSON.parse(await get("/api/cubs?limit=500")) as { cubs: { id: string; standing: { says: string } }[] };
  const called = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_cub", arguments: { id } } });
  const tool = JSON.parse(called.slice(called.indexOf("{"))) as { result: { structuredContent: unknown } };
  const { answer } = JSON.parse(await post("/api/ask", { question: `What is ${id}?` })) as { answer: string };
  return {
    page: signOf(page, page.indexOf('<p class="facts">')),
    "page, below": signOf(page, page.indexOf('<p class="standing">')),
    list: signOf(list, list.indexOf(`>${name}<`)),
    api: saysIn(await get(`/api/cubs/${id}`)),
    "api, list": cubs.cubs.find((cub) => cub.id === id)?.standing.says ?? "",
    search: search.results.find(({ key }) => key === id)?.standing?.says ?? "",
    tool: /"standing":\{.*?"says":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(tool.result.structuredContent))?.[1] ?? "",
    ask: answer.includes(`it is `)
      ? (new RegExp(`${name} in lies; it is (.*?)\\.(?: |$)(?=Statement|Invocation)`).exec(answer)?.[1] ?? answer)
      : answer,
  };
}

test("each lie is told as what it is, in the same words and with the same sign on every surface", async () => {
  // Long names may break.
  const list = (await get("/registry/")).replaceAll(/<wbr *\/?>/g, "");
  for (const [at, [lie, , says, sign]] of RECORDS.entries()) {
    const found = await surfacesOf(idOf(at), `lie_${at + 1}`, list);
    const signed = `${sign}: ${says}`;
    assert.deepEqual(
      found,
      { page: signed, "page, below": signed, list: signed, api: says, "api, list": says, search: says, tool: says, ask: says },
      lie,
    );
    const page = await get(`/registry/${idOf(at)}/`);
    assert.doesNotMatch(page, /no checker has accepted/, lie);
    if (sign !== "verified")
      assert.doesNotMatch(page.slice(page.indexOf("<main"), page.indexOf('id="checks"')), /class="state verified"/, lie);
  }
});

test("what an author writes is quoted as that, and words of a statement are explained, on every surface", async () => {
  const at = RECORDS.findIndex(([lie]) => lie === "an author's words");
  const id = idOf(at);
  const page = unescaped((await get(`/registry/${id}/`)).replaceAll(/<(?:style|script)[^]*?<\/(?:style|script)>|<[^>]+>/g, " "));
  const twin = await get(`/registry/${id}/index.md`);
  const { results } = JSON.parse(await get("/api/search?q=zebras+striped")) as { results: { key: string; snippet: string }[] };
  const { answer } = JSON.parse(await post("/api/ask", { question: `What is ${id}?` })) as { answer: string };
  const found = results.find(({ key }) => key === id)?.snippet ?? "";
  assert.match(found, /^The author writes: “.*”$/);
  const list = unescaped((await get("/registry/")).replaceAll(/<[^>]+>/g, " "));
  for (const [surface, text] of Object.entries({ page, twin, found, answer, list })) {
    // What stands in quotes, or behind the name of a field that says whose words they are, is the author's.
    const ours = text.replaceAll(/“[^”]*”/g, "").replaceAll(/Note of its author\s+Zebras[^]*?8\.16\.1\./g, "");
    assert.doesNotMatch(ours, /verified by coq 8\.16\.1\.|\(verified\)/i, surface);
  }
  const word = "In this source P = NP is written for True (coq/L1.v:1).";
  assert.ok(page.replaceAll(/\s+/g, " ").includes(word), page);
  assert.ok(answer.includes(word), answer);
  assert.ok(twin.replaceAll("\\", "").includes(word), twin);
  for (const name of ["get_cub", "list_cubs"]) {
    const said = await post("/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: name === "get_cub" ? { id } : {} },
    });
    assert.match(said, /statement_words.{0,200}P = NP/, name);
  }
});

test("counts keep apart what was checked and what is said to be", async () => {
  const { standing_counts: counts } = JSON.parse(await get("/api/cubs/meta")) as { standing_counts: Record<string, number> };
  assert.deepEqual(counts, {
    verified: 2,
    verified_said: 8,
    proved_outside: 1,
    exported: 1,
    defined: 1,
    assumed: 1,
    not_verified: 1,
    unspecified: 3,
  });
  for (const page of ["/", "/registry/dashboard/"]) {
    const text = (await get(page)).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    for (const row of [
      "verified 2",
      "said to be verified 8",
      "proved, from axioms outside the policy 1",
      "exported, not replayed 1",
      "defined 1",
      "assumed 1",
    ])
      assert.ok(text.includes(row), `${page}: ${row}`);
  }
  const { answer } = JSON.parse(await post("/api/ask", { question: "How many records are verified?" })) as { answer: string };
  assert.match(answer, /^2 of 18 records are verified/);
});

test("a claim that pins a file says what the records of that file say, as one that names their ids does", async () => {
  const all = JSON.parse(await get("/api/claims")) as { claims: { id: string; standing: { state: string; says: string } }[] };
  for (const { id, standing } of all.claims) {
    const at = Number(id.split("-").at(-1)) - 1;
    const [lie = "", , says = "", sign = ""] = RECORDS[at] ?? [];
    const isPlain = says.startsWith("verified");
    const way = id.split("-")[1];
    // An id pins nothing by itself.
    if (isPlain && way !== "2") assert.equal(standing.says, "verified", lie);
    else if (!isPlain) {
      assert.equal(standing.state, "verified_said", `${id}: ${lie}`);
      assert.ok(standing.says.includes(`it rests on ${idOf(at)}, which is ${says}`), `${id}: ${standing.says}`);
      assert.notEqual(sign, "verified");
    }
  }
});

/** What is withdrawn or redacted is in no byte, whatever was made of it: each text of an object, a claim and a record is a word that stands nowhere
 *  else, and every answer, the whole shelf and an export are looked through for it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { sha256 } from "../../../snapshots/digest.ts";
import { CUB_FIELDS, CubRecord } from "../../../snapshots/schema/cubs.ts";
import { openConfig } from "../../config/config.ts";
import { describeLibrary, SILENT, writeFiles } from "../../testing/library.ts";
import { filesUnder } from "../../testing/shelf-files.ts";
import { startServing } from "../../testing/serving-process.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { useParts } from "../../publish/parts.ts";
import { BESIDE } from "../../../snapshots/annex/side/rows.ts";
import { TOOLS } from "../../../snapshots/tools/table.ts";
import { ROUTES } from "../../../snapshots/service/routes.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { countErrors } from "../../publish/verify-library.ts";
import { build, openShelves, verifyLibrary } from "../../testing/whole.ts";
import { exportView } from "../export/export.ts";

useParts(PLAIN_PARTS);

/** Words of nobody else: "zqa01", "zqb07". */
const word = (of: string, n: number): string => `zq${of}${String(n).padStart(2, "0")}`;
const anyWord = (of: string): RegExp => new RegExp(`zq${of}[0-9]{2}`, "gi");

/** A record that has a word of its own in every text that may be any. */
function recordOf(id: string, of: string): Record<string, unknown> {
  let n = 0;
  const next = (): string => word(of, n++);
  const fixed: Record<string, unknown> = {
    id,
    repo: "sorting",
    theorem_name: next(),
    statement: next(),
    use_cases: [next()],
    exec_fns: [next()],
    claims: [],
    files: { coq_file: `coq/${next()}.v`, lean_file: "" },
    file_shas: { [`coq/${next()}.v`]: sha256(of) },
    reproduce: { recheck: next() },
    links: { registry: `https://registry.example/${next()}` },
  };
  const texts = CUB_FIELDS.filter((name) => !Object.hasOwn(fixed, name) && typeof CubRecord.shape[name].safeParse("x").data === "string");
  return { ...Object.fromEntries(texts.map((name) => [name, next()])), ...fixed };
}

const claimsOf = (ids: readonly (readonly [id: string, of: string])[]): string =>
  JSON.stringify({
    claims: ids.map(([id, of]) => ({
      id,
      title: word(of, 1),
      status: "partial",
      scope: word(of, 2),
      statement: word(of, 3),
      evidence: [{ artifact: word(of, 4), kind: word(of, 5), access: "public", url: `https://e.example/${word(of, 6)}` }],
      reproduce: [word(of, 7)],
      gaps: [word(of, 8)],
    })),
  });

const textOf = (of: string): string =>
  `---\nauthor: ${word(of, 1)}\ndescription: ∀ ${word(of, 2)}\n---\n# ${word(of, 3)}\n\n${word(of, 4)}\n\n## ${word(of, 5)}\n\n\`${word(of, 6)}\`\n`;

/** Files of many kinds with words of their own, and letters that some stores write in two bytes. */
const filesOf = (of: string, name: string): Readonly<Record<string, string>> => {
  let n = 10;
  const next = (): string => word(of, n++);
  const texts = {
    csv: `name,what\n${next()},∀ ${next()}\n`,
    html: `<title>∀ ${next()}</title><meta name="author" content="${next()}"><h1>${next()}</h1><p title="${next()}">${next()}</p><!-- ${next()} -->`,
    ipynb: JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { title: next() },
      cells: [
        { cell_type: "markdown", id: "a", metadata: {}, source: [`# ${next()}`] },
        {
          cell_type: "code",
          id: "b",
          metadata: {},
          execution_count: 1,
          source: [next()],
          outputs: [{ output_type: "stream", name: "stdout", text: [next()] }],
        },
      ],
    }),
    json: `{ "${next()}": "${next()}" }`,
    tex: `\\documentclass{article}\\title{${next()}}\\author{${next()}}\\begin{document}\\section{${next()}}$${next()}$ ∀ ${next()}\\end{document}`,
    v: `(** ${next()} *)\nTheorem ${next()} : ${next()} = 0. (* ∀ ${next()} *)\n`,
  };
  return Object.fromEntries(Object.entries({ md: textOf(of), ...texts }).map(([kind, text]) => [`library/notes/${name}.${kind}`, text]));
};
const GONE_KEYS = Object.keys(filesOf("o", "gone")).map((path) => path.slice("library/".length));

async function newRoom(t: TestContext, counted: boolean) {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-words-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  const write = (files: Readonly<Record<string, string>>) => writeFiles(dir, Object.entries(files));
  const invocation = String(recordOf("CUB-0001", "r")["invocation"]);
  // A count that is wrong besides: the notes of the library say so.
  const declared = { sources: { sorting: { head: "a".repeat(40) } }, invocation_counts: counted ? { [invocation]: 2 } : {} };
  await write({
    "proofshelf.yaml": `${describeLibrary("Words")}claims: { path: ./claims.json }\nregistry: { path: ./registry.json }\nwithdrawals: { path: ./withdrawals.yaml }\nembeddings: { kind: none }\n`,
    "registry.json": JSON.stringify({
      meta: declared,
      cubs: [recordOf("CUB-0001", "r"), recordOf("CUB-0002", "s")],
    }),
    "claims.json": claimsOf([
      ["gone", "c"],
      ["stays", "d"],
    ]),
    "withdrawals.yaml": "withdrawals: []\n",
    ...filesOf("o", "gone"),
    ...filesOf("p", "stays"),
  });
  return {
    dir,
    write,
    edit: () =>
      write({
        "registry.json": JSON.stringify({ meta: declared, cubs: [recordOf("CUB-0001", "x"), recordOf("CUB-0002", "s")] }),
        "claims.json": claimsOf([
          ["gone", "y"],
          ["stays", "d"],
        ]),
        "library/notes/gone.md": textOf("z"),
      }),
    withdraw: (redact: boolean) =>
      write({
        "withdrawals.yaml": `withdrawals:\n${[...GONE_KEYS.map((key) => `key: ${key}`), "record: CUB-0001", "claim: gone"]
          .map((name) => `  - { ${name}, reason: privacy, date: 2026-05-01, note: Asked., redact: ${redact} }\n`)
          .join("")}`,
      }),
    run: async () => build(await openConfig(file), { progress: SILENT }),
    view: async (name: "public" | "internal") => openFixtureView(await openConfig(file), name),
  };
}

/** What it said at first, and what after an edit. */
const GONE = ["r", "c", "o", "x", "y", "z"] as const;

/** Words of what is gone that stand in a text. */
const wordsIn = (text: string): readonly string[] => [...new Set(GONE.flatMap((of) => text.match(anyWord(of)) ?? []))];

function wordsUnder(folder: string): readonly string[] {
  return [...filesUnder(folder)].flatMap(({ path, bytes }) => {
    const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("latin1").replaceAll("\0", "");
    const found = wordsIn(text);
    return found.length === 0
      ? []
      : [`${path}: ${found.join(" ")}: ${text.slice(Math.max(0, text.search(/zq[rcoxyz]\d/) - 60), text.search(/zq[rcoxyz]\d/) + 60)}`];
  });
}

/** Names that parts of addresses may have: of what is gone, and of what stays. */
const FILLED: Readonly<Record<string, readonly string[]>> = {
  id: ["CUB-0001", "CUB-0002"],
  claim: ["gone", "stays"],
  key: [...GONE_KEYS, "notes/stays.md"],
  prefix: ["notes/"],
  collection: ["notes"],
  sha256: [sha256(textOf("o")), sha256(textOf("p")), sha256("r")],
  path: ["changes/1.json", "changes/2.json", "snapshots/2.json", "current.json"],
  part: ["1"],
  group: ["registry"],
  page: ["1"],
};

/** The addresses of a row, one for each name. */
function fill(path: string): readonly string[] {
  const [whole = "", name = ""] = /\{(\w+)(?:\.\.\.)?\}/.exec(path) ?? [];
  return whole === "" ? [path] : (FILLED[name] ?? []).flatMap((one) => fill(path.replace(whole, one)));
}

const PAGES = ["/registry/{id}/", "/claims/{claim}/", "/object/{key}/"];

/** Every address of every row, every page with what lies beside it, and lists in other orders. */
const PATHS = [
  ...ROUTES.filter(({ methods, path }) => methods.includes("GET") && !path.startsWith("/internal")).map(({ path }) => path),
  ...PAGES.flatMap((path) => ["", ...BESIDE].map((file) => path + file)),
  "/",
  "/registry/",
  "/registry/dashboard/",
  "/claims/",
  "/ask/",
  "/search/",
  "/rejected/",
  "/snapshots/object/{key}",
  "/snapshots/registry/{id}",
  "/snapshots/",
  "/api/cubs?facets=true",
  "/api/list?prefix=notes/",
  "/api/search?q=digest",
  "/api/changes?since=0",
  "/oai?verb=ListRecords&metadataPrefix=oai_dc",
].flatMap(fill);

/** Tools of agents, and what they may be asked of what is gone. */
const CALLS: readonly (readonly [tool: string, input: object])[] = [
  ["get_object", { key: "notes/gone.md" }],
  ["verify_object", { key: "notes/gone.md" }],
  ["get_cub", { id: "CUB-0001" }],
  ["get_claim", { id: "gone" }],
  ["list_cubs", { detail: "full" }],
  ["list_cubs", { facets: true }],
  ["list_claims", {}],
  ["list_objects", { prefix: "notes/" }],
  ["list_collections", {}],
  ["get_registry_meta", {}],
  ["get_capabilities", {}],
  ["search_library", { query: "digest" }],
  ["search_cubs", { query: "digest" }],
  ["ai_search", { query: "What is gone?" }],
  ["ask_library", { question: "What is CUB-0001?" }],
  ["lookup_digest", { sha256: sha256(textOf("o")) }],
];

/** Asks a server all that it answers besides a view, and says each thing that has a word of what is gone. */
async function wordsSaid(url: string): Promise<readonly string[]> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = async (path: string, body: object): Promise<string> =>
    (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })).text();
  const asks = ["What is CUB-0001?", "Which claim is gone?", "How many records are there?", "What changed last?", "notes/gone.md"];
  assert.deepEqual([...new Set(CALLS.map(([name]) => name))].toSorted(), TOOLS.map(({ name }) => name).toSorted());
  const uris = ["objects/notes/gone.md", "claims/gone", "cubs/CUB-0001"].map(
    (path) => ["resources/read", { uri: `proofshelf://${path}` }] as const,
  );
  const said = [
    ...(await Promise.all(
      ([["resources/list", {}], ...uris] as const).map(([method, params]) => post("/mcp", { jsonrpc: "2.0", id: 1, method, params })),
    )),
    ...(await Promise.all(
      CALLS.map(([name, input]) => post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } })),
    )),
    ...(await Promise.all(asks.map((question) => post("/api/ask", { question })))),
  ];
  assert.ok(
    said.every((one) => !/Unknown tool|unknown_argument|bad_argument/.test(one)),
    said.find((one) => /Unknown tool|unknown_argument|bad_argument/.test(one)),
  );
  return said.filter((one) => wordsIn(one).length > 0);
}

const CASES = [
  ["what is redacted is in no byte of the shelf, of an export or of an answer", true, false],
  ["what is redacted and counted by its registry, too", true, true],
  ["what is withdrawn is in no answer of now", false, false],
] as const;

for (const [what, redact, counted] of CASES)
  test(what, async (t) => {
    const room = await newRoom(t, counted);
    const first = await room.run();
    const before = new Set(wordsUnder(join(room.dir, "shelf")).flatMap((found) => found.match(/zq[a-z][0-9]{2}/g) ?? []));
    for (const text of [...Object.values(filesOf("o", "gone")), claimsOf([["gone", "c"]]), JSON.stringify(recordOf("CUB-0001", "r"))])
      for (const one of wordsIn(text)) assert.ok(before.has(one), `${one} is found while it is there`);
    const views = { public: await room.view("public"), internal: await room.view("internal") };
    const edited = redact ? first : (await room.edit(), await room.run());
    await room.withdraw(redact);
    const second = await room.run();
    assert.deepEqual(wordsIn(second.notes.join()), [], "what is told to who builds");
    const asked = redact ? [...PATHS, ...PATHS.map((path) => `/at/${first.snapshot}${path}`)] : [...PATHS];
    for (const [from, to] of [
      [first, second],
      [first, edited],
      [edited, second],
      [second, first],
    ] as const)
      asked.push(`/api/diff/${from.snapshot}/${to.snapshot}`, `/snapshots/${from.snapshot}..${to.snapshot}/`);
    let answered = 0;
    for (const view of [views.public, views.internal])
      for (const path of asked) {
        const { status, text } = await ask(view, path);
        if (status === 200) answered++;
        assert.deepEqual(wordsIn(text), [], `${path} ${status}`);
      }
    assert.ok(answered > 150, `${answered} of ${2 * asked.length} are answered`);
    if (redact && !counted) {
      const server = await startServing(["--config", join(room.dir, "proofshelf.yaml")]);
      t.after(server.stop);
      assert.deepEqual(await wordsSaid(server.url), []);
    }
    if (!redact) return;
    assert.deepEqual(wordsUnder(join(room.dir, "shelf")), []);
    const { dist } = await compileSite();
    await exportView({
      shelf: openShelves(await openConfig(join(room.dir, "proofshelf.yaml"))).public,
      dist,
      dir: join(room.dir, "out"),
      withHistory: true,
    });
    assert.deepEqual(wordsUnder(join(room.dir, "out")), []);
    assert.equal(countErrors(await verifyLibrary(await openConfig(join(room.dir, "proofshelf.yaml")), { snapshots: "all" })), 0);
    if (counted) return;
    assert.equal((await ask(views.public, `/at/${first.snapshot}/objects/notes/stays.md`)).status, 200);
    assert.equal((await ask(views.public, `/at/${first.snapshot}/api/cubs/CUB-0002`)).status, 200);
  });

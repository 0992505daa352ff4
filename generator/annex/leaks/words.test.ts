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
import { ask, openFixtureView } from "../../testing/view.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { useParts } from "../../publish/parts.ts";
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
  `---\nauthor: ${word(of, 1)}\ndescription: ${word(of, 2)}\n---\n# ${word(of, 3)}\n\n${word(of, 4)}\n\n## ${word(of, 5)}\n\n\`${word(of, 6)}\`\n`;

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
    "library/notes/gone.md": textOf("o"),
    "library/notes/stays.md": textOf("p"),
  });
  return {
    dir,
    write,
    withdraw: (redact: boolean) =>
      write({
        "withdrawals.yaml": `withdrawals:\n${["key: notes/gone.md", "record: CUB-0001", "claim: gone"]
          .map((name) => `  - { ${name}, reason: privacy, date: 2026-05-01, note: Asked., redact: ${redact} }\n`)
          .join("")}`,
      }),
    run: async () => build(await openConfig(file), { progress: SILENT }),
    view: async (name: "public" | "internal") => openFixtureView(await openConfig(file), name),
  };
}

const GONE = ["r", "c", "o"] as const;

/** Words of what is gone that stand in a text. */
const wordsIn = (text: string): readonly string[] => [...new Set(GONE.flatMap((of) => text.match(anyWord(of)) ?? []))];

function wordsUnder(folder: string): readonly string[] {
  return [...filesUnder(folder)].flatMap(({ path, bytes }) => {
    const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("latin1");
    const found = wordsIn(text);
    return found.length === 0
      ? []
      : [`${path}: ${found.join(" ")}: ${text.slice(Math.max(0, text.search(/zq[rco]\d/) - 60), text.search(/zq[rco]\d/) + 60)}`];
  });
}

/** Every address without a part of its own, every page of what stays, and lists in other orders. */
const PATHS = [
  ...ROUTES.filter(({ methods, path }) => methods.includes("GET") && !/[{]|^\/internal/.test(path)).map(({ path }) => path),
  "/",
  "/registry/",
  "/registry/dashboard/",
  "/claims/",
  "/ask/",
  "/search/",
  "/rejected/",
  "/browse/notes/",
  "/registry/CUB-0002/",
  "/claims/stays/",
  "/object/notes/stays.md/",
  "/registry/CUB-0001/",
  "/claims/gone/",
  "/object/notes/gone.md/",
  "/api/cubs?facets=true",
  "/api/cubs/CUB-0001",
  "/api/cubs/CUB-0001/code",
  "/objects/notes/gone.md",
  "/api/list?prefix=notes/",
  "/api/search?q=digest",
  "/feed.xml",
  "/registry/feed.xml",
  "/api/changes?since=0",
  "/sitemap.xml",
  "/llms-full.txt",
];

const CASES = [
  ["what is redacted is in no byte of the shelf, of an export or of an answer", true, false],
  ["what is redacted and counted by its registry, too", true, true],
  ["what is withdrawn is in no answer of now", false, false],
] as const;

for (const [what, redact, counted] of CASES)
  test(what, async (t) => {
    const room = await newRoom(t, counted);
    const first = await room.run();
    assert.equal(new Set(wordsUnder(join(room.dir, "shelf")).map((found) => found.slice(-5))).size > 0, true);
    const views = { public: await room.view("public"), internal: await room.view("internal") };
    await room.withdraw(redact);
    const second = await room.run();
    const history = [`/api/diff/${first.snapshot}/${second.snapshot}`, `/snapshots/${first.snapshot}..${second.snapshot}/`];
    const asked = redact ? [...PATHS, ...PATHS.map((path) => `/at/${first.snapshot}${path}`), ...history, "/snapshots/"] : PATHS;
    let answered = 0;
    for (const view of [views.public, views.internal])
      for (const path of asked) {
        const { status, text } = await ask(view, path);
        if (status === 200) answered++;
        assert.deepEqual(wordsIn(text), [], `${path} ${status}`);
      }
    assert.ok(answered > 60, `${answered} of ${2 * asked.length} are answered`);
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

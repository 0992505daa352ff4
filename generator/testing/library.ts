/** A small library with every kind of trouble in it, and a shelf with three snapshots of it, for tests. */
import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { answer } from "../../snapshots/http/answer.ts";
import { sha256 } from "../../snapshots/digest.ts";
import type { Fixture, FixtureView } from "../../snapshots/contract/fixture.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import { openView } from "../../snapshots/http/view.ts";

import { VERSION } from "../files/version.ts";
import { compileSite } from "../pages/compile-site.ts";
import { openConfig } from "../config/config.ts";
import { SILENT } from "../files/progress.ts";
import { build, openShelves } from "./whole.ts";
import { SERVICE } from "../../snapshots/service/service.ts";

export { SILENT };

/** Files stand for a day in the past: a file changed just now is read twice, and times show on pages. */
const FIXTURE_TIME = new Date("2026-03-04T05:06:07.000Z");
const DAYS = ["2026-04-01T00:00:00Z", "2026-04-02T00:00:00Z", "2026-04-03T00:00:00Z"] as const;

const paragraph = "A digest names bytes. The same bytes have the same name everywhere, and nobody has to be trusted for it. ";
const PROOF = "Theorem insert_keeps_sorted : forall l x, sorted l -> sorted (insert x l).\nProof. induction l; auto. Qed.\n";
const RUST = "pub fn insert_sorted(list: &mut Vec<u32>, x: u32) { list.push(x); list.sort(); }\n";
const FIXTURE_HEAD = "0123456789abcdef0123456789abcdef01234567";
/** Objects under many/ in the first snapshot: more than one page of /api/list. */
const MANY = 1005;

/** HOSTILE_NAMES are keys of public objects whose names or bytes break careless programs. */
export const HOSTILE_NAMES = [
  "names/what?.md",
  "names/100%.md",
  "names/100%25.md",
  "names/two words.md",
  "names/hash#tag.md",
  "names/a+b.md",
  "names/a=3Db.md",
  "names/étude.md",
  "names/e\u0301tude.md",
  "names/back\\slash.md",
  "names/line\nbreak.md",
  "names/quote\"and'single.md",
  "names/<img src=x onerror=alert(1)>.md",
  "names/..two-dots.md",
  "names/index.html",
  "names/__proto__",
  "names/👩‍🔬.md",
  "names/\u202emd.fdp",
  "names/tab\tbed.txt",
  "names/colon:semi;comma,.txt",
] as const;

function publicFiles(): Map<string, string | Uint8Array> {
  return new Map<string, string | Uint8Array>([
    ["notes/digests.md", `# On digests\n\n${paragraph.repeat(20)}\n\n## Second part\n\nThe quick merkle proof jumps over the lazy log.\n`],
    ["notes/short.md", "# Short\n\nA zebra.\n"],
    ["notes/deep/er/leaf.txt", "A leaf far down.\n"],
    ["data/table.csv", "name,value\na,1\nb,2\n"],
    ["data/empty.txt", ""],
    ["data/long.txt", "One line of a text that is long enough to be compressed.\n".repeat(40)],
    ["data/latin-1.txt", Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a)],
    ["data/page.html", "<!doctype html><title>A page</title><script>alert(1)</script><p>Kept as found.</p>\n"],
    ["data/drawing.svg", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><circle r="1"/></svg>\n'],
    ["data/not-a.pdf", "This is no PDF.\n"],
    ["data/facts.json", '{"b":1,"a":[true,null]}\n'],
    ["data/bytes.bin", Uint8Array.from({ length: 4096 }, (_, at) => (at * 31) % 256)],
    ["data/feed.xml", '<?xml version="1.0"?><feed/>\n'],
    ["proofs/Sort.v", PROOF],
    ["proofs/sort.rs", RUST],
    ...HOSTILE_NAMES.map((key): [string, string] => [key, `# ${key.slice(6).replaceAll(/[\n\t]/g, " ")}\n\nAn awkward name.\n`]),
  ]);
}

function gatedFiles(): Map<string, string | Uint8Array> {
  return new Map([
    [
      "drafts/secret-plan.md",
      "# Secret plan of the drafts\n\nCANARY-GATED-FIXTURE: nobody outside may read this sentence about heliotrope gardens.\n",
    ],
    ["drafts/other.txt", "CANARY-GATED-OTHER\n"],
  ]);
}

type Cub = Record<string, unknown>;

/** fixtureRegistry has sixty good records, and some that are not. */
export function fixtureRegistry(): { meta: Record<string, unknown>; cubs: Cub[] } {
  const files = { "coq/Sort.v": sha256(PROOF), "src/sort.rs": sha256(RUST) };
  const cubs = Array.from({ length: 60 }, (_, at): Cub => {
    const id = `CUB-${String(at + 1).padStart(4, "0")}`;
    return {
      id,
      repo: at % 3 === 0 ? "sorting" : "logs",
      theorem_name: at === 6 ? "insert_keeps_sorted" : `lemma_${at + 1}`,
      module: "Example.Sort",
      kind: at % 2 === 0 ? "Lemma" : "Theorem",
      statement: `forall l x, sorted l -> step_${at + 1} x l`,
      status: "VERIFIED_EXACT",
      verification_state: at % 5 === 0 ? "NOT_VERIFIED" : "VERIFIED",
      source_class: "active",
      active: true,
      crate: at % 4 === 0 ? "sorting" : "",
      wiring: "FUNCTION-IMPL",
      invocation: at === 8 ? "sometimes" : "runtime",
      invocation_role: "",
      production_consumption: "EXECUTABLE-RUNTIME",
      deployable: at % 2 === 0,
      no_holes: true,
      formal_systems: "Coq",
      kernels: "none",
      use_cases: at % 10 === 0 ? ["crypto", "topology"] : ["crypto"],
      lane: at < 10 ? "model" : "",
      tier: "1",
      proof_scope: "function",
      files: { coq_file: "coq/Sort.v", lean_file: "" },
      file_shas: files,
      exec_file: "src/sort.rs",
      exec_fn: "insert_sorted",
      rust_anchor: "src/sort.rs:1",
      note: at === 6 ? "The one about zebras." : "",
      claims: at === 6 ? ["sorting-works"] : [],
      reproduce: { proof_files: ["coq/Sort.v"], recheck: "coqc coq/Sort.v" },
      internal_owner: "CANARY-PRIVATE-FIXTURE-OWNER",
    };
  });
  return {
    meta: {
      service: "Fixture registry",
      updated_iso: "2026-03-04T05:06:07Z",
      sources: { sorting: { head: FIXTURE_HEAD, ref: "main", csv_rows: 20 }, logs: { head: FIXTURE_HEAD } },
      // Wrong on purpose: 48 are VERIFIED.
      verification_counts: { VERIFIED: 999, NOT_VERIFIED: 12 },
    },
    cubs: [
      ...cubs,
      { id: "CUB-1", repo: "x", theorem_name: "x", statement: "x" },
      { ...cubs[0], statement: "a second CUB-0001" },
      { id: "CUB-0900", repo: "x" },
    ],
  };
}

const CLAIMS = `
meta: { title: Claims of the fixture, note: For tests. , pins: { sorting: "${FIXTURE_HEAD}" } }
claims:
  - id: sorting-works
    title: Insertion keeps a list sorted
    status: verified
    scope: Lists of natural numbers
    statement: For every sorted list, the list after an insertion is sorted.
    evidence:
      - { artifact: The proof, kind: coq, access: public, path: proofs/Sort.v, sha256: ${sha256(PROOF)} }
      - { artifact: The review, kind: review, access: email-gated, path: drafts/secret-plan.md }
      - { artifact: The runbook, kind: runbook, access: private, path: runbooks/CANARY-PRIVATE-FIXTURE-RUNBOOK.md }
    reproduce: ["coqc proofs/Sort.v"]
    gaps: ["Only numbers."]
  - { id: "id with / slash", title: A claim with an awkward id, status: partial, scope: None, statement: Ids are names. }
  - { id: broken, title: No status }
`;

const CONFIG = `title: Fixture library
baseUrl: http://library.example
registryUrl: http://registry.example
store: { kind: directory, root: ./library, include: ["names/**"] }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public, summary: Working notes }
  - { id: data, prefix: data/, title: Data, visibility: public }
  - { id: proofs, prefix: proofs/, title: Proofs, visibility: public }
  - { id: names, prefix: names/, title: Names, visibility: public }
  - { id: many, prefix: many/, title: Many, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
claims: { path: ./claims.yaml }
registry: { path: ./registry.json }
code: { kind: directory, root: ./code }
embeddings: { kind: none }
`;

/** describeLibrary begins the configuration of a library in `library/` with a public collection and a gated one, and a shelf beside it; a test
 *  adds the
 *  lines that are its subject. */
export const describeLibrary = (title: string): string => `title: ${title}
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
`;

/** writeFiles writes files under a folder, all of the fixture's time. Names may hold what only a byte string can. */
export async function writeFiles(
  root: string,
  files: Iterable<readonly [name: string | Buffer, bytes: string | Uint8Array]>,
  time = FIXTURE_TIME,
): Promise<void> {
  for (const [name, bytes] of files) {
    const path = typeof name === "string" ? join(root, name) : Buffer.concat([Buffer.from(`${root}/`), name]);
    if (typeof path === "string") await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    await utimes(path, time, time);
  }
}

/** writeFixture writes configuration, claims, registry, code store and objects, without a build.
 *  @param many objects under many/
 *  @returns path of the configuration */
export async function writeFixture(dir: string, many = 3): Promise<string> {
  await writeFiles(join(dir, "library"), publicFiles());
  await writeFiles(join(dir, "library"), gatedFiles());
  await writeFiles(join(dir, "library"), [["stray.md", "Under no collection.\n"]]);
  await writeFiles(
    join(dir, "library"),
    Array.from({ length: many }, (_, at) => [`many/${String(at).padStart(5, "0")}.txt`, `Number ${at}.\n`] as const),
  );
  await writeFiles(join(dir, "code"), [
    [`sorting/${FIXTURE_HEAD}/coq/Sort.v`, PROOF],
    [`sorting/${FIXTURE_HEAD}/src/sort.rs`, "changed since\n"],
  ]);
  await writeFiles(dir, [
    ["claims.yaml", CLAIMS],
    ["registry.json", JSON.stringify(fixtureRegistry())],
    ["proofshelf.yaml", CONFIG],
  ]);
  return join(dir, "proofshelf.yaml");
}

/** writeSmallFixture writes the same with few files and records, for tests that build often and ask nothing of any of them. In place of
 *  `writeFixture`.
 *  @returns path of the configuration */
export async function writeSmallFixture(dir: string): Promise<string> {
  const file = await writeFixture(dir);
  const library = join(dir, "library");
  await rm(join(library, "names"), { recursive: true });
  for (const key of publicFiles().keys()) if (/^data\/(?!table|long|drawing)/.test(key)) await rm(join(library, key));
  const { meta, cubs } = fixtureRegistry();
  await writeFiles(dir, [["registry.json", JSON.stringify({ meta, cubs: cubs.slice(0, 8) })]]);
  return file;
}

/** publishFixture writes the library and three snapshots of it, the first of which is pruned again, so that expired cursors can be tried. */
export async function publishFixture(dir: string): Promise<Fixture> {
  const file = await writeFixture(dir, MANY);
  const config = await openConfig(file);
  const shelves = openShelves(config);
  const { dist } = await compileSite();
  const library = join(dir, "library");
  const run = async (day: string): Promise<Record<"public" | "internal", readonly [id: string, cursor: string]>> => {
    const summary = await build(config, { now: () => new Date(day), progress: SILENT });
    const cursor = (view: "public" | "internal") => firstCursor(view, shelves[view]);
    return { public: [summary.snapshot, await cursor("public")], internal: [summary.internal.snapshot, await cursor("internal")] };
  };

  const first = await run(DAYS[0]);
  await writeFiles(library, [["notes/second.md", "# Second\n\nNew in the second snapshot.\n"]]);
  const second = await run(DAYS[1]);
  // In front of everything that the cursor has passed: pages that shifted would show it.
  await writeFiles(library, [
    ["many/00000-first.txt", "New in front.\n"],
    ["notes/short.md", "# Short\n\nA zebra, changed.\n"],
  ]);
  const third = await run(DAYS[2]);
  const facts = async (view: "public" | "internal"): Promise<FixtureView> => {
    await shelves[view].history.deleteRecord(1);
    return {
      pruned: first[view][0],
      previous: second[view][0],
      current: third[view][0],
      prunedCursor: first[view][1],
      previousCursor: second[view][1],
    };
  };
  return {
    config: file,
    publicDir: shelves.publicDir,
    internalDir: shelves.internalDir,
    dist,
    version: VERSION,
    public: await facts("public"),
    internal: await facts("internal"),
  };
}

async function firstCursor(name: "public" | "internal", shelf: Shelf): Promise<string> {
  const view = openView({
    service: SERVICE,
    view: name,
    shelf,
    renderer: null,
    index: null,
    now: () => 0,
    listing: null,
    runtime: { version: VERSION, components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } },
  });
  const { body } = await answer(view, { method: "GET", target: "/api/list?prefix=many/", header: () => null });
  return (JSON.parse(Buffer.from(body as Uint8Array).toString()) as { next: string }).next;
}

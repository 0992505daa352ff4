/** Page inputs for tests and screenshots: one of each page as it usually looks, one with hostile texts, and the empty ones. */
import { checkSentence, shownState } from "../snapshots/format/check-sentence.ts";
import { RecordCheck } from "../snapshots/schema/index.ts";
import { CHECK_STATES } from "../snapshots/schema/scalar.ts";
import { formatStanding, recordStanding } from "../snapshots/format/standing.ts";
import type { EvidenceState } from "../snapshots/schema/scalar.ts";
import { highlightLines, loadLanguage } from "../snapshots/highlight/highlight.ts";
import { PROBLEMS } from "../snapshots/errors.ts";
import { objectPath, pagePath } from "../snapshots/format/layout.ts";
import { openParts } from "../snapshots/page/object-parts.ts";
import type {
  AskedCitation, AskPage, ClaimCard, ClaimsPage, CollectionCard, EvidenceRow, ObjectCard, ObjectPage, PageInput, PageModel, MarkedPiece, ProblemRow, QuotedLines, RecordCard, RecordPage, RegistryPage, TheoremShelf,
} from "../snapshots/page/model.ts";
import { CubRecord, RegistryMeta } from "../snapshots/schema/cubs.ts";

export type Fixture = { readonly name: string; readonly input: PageInput };

const BASE_URL = "https://library.example.org";
const hex = (seed: number, length = 64): string =>
  Array.from({ length }, (_, index) => ((seed * 7919 + index * 104729 + (index * index * seed) % 31) % 16).toString(16)).join("");

/** Texts that strangers would try. */
const HOSTILE = {
  script: `<script>alert(1)</script><img src=x onerror=alert(2)>`,
  attribute: `" onmouseover="alert(3)" x='`,
  rtl: "שלום \u202egnp.exe\u202c مرحبا",
  control: "bell\u0007 null\u0000 escape\u001b[31m zero\u200bwidth",
  long: "A title that does not end ".repeat(40),
  word: "Donaudampfschifffahrtsgesellschaft".repeat(30),
  stamp: "<!--stamp:first--><!--stamp:changes--><!--stamp:states--><!--stamp:leaks-->",
  url: "javascript:alert(4)",
  key: `notes/<b>"quoted" & 'single'/#?%25 \u202ecod.v`,
} as const;

const input = (path: string, model: PageModel, view: "public" | "internal" = "public"): PageInput => ({
  chrome: { library: "Example library", view, path, has: { records: true, claims: true }, report: "https://forge.example.org/library/issues/new", canonical: view === "public" ? BASE_URL + path : null },
  model,
});

const collections: readonly CollectionCard[] = [
  { id: "notes", title: "Notes", summary: "Working notes on sorting, trees and hashing", visibility: "public", prefix: "notes/", count: 41, bytes: 183_220, updated: "2026-01-02T10:00:00Z" },
  { id: "papers", title: "Papers", summary: "Drafts and finished papers, as PDF and LaTeX", visibility: "public", prefix: "papers/", count: 6, bytes: 4_812_004, updated: "2025-12-20T08:30:00Z" },
  { id: "proofs", title: "Proofs", summary: "Coq and Lean developments", visibility: "public", prefix: "proofs/", count: 60, bytes: 402_113, updated: "2026-01-04T17:12:00Z" },
  { id: "code", title: "Code", summary: "The Rust functions that the proofs speak about", visibility: "public", prefix: "code/", count: 12, bytes: 61_402, updated: "2025-11-11T00:00:00Z" },
  { id: "data", title: "Measurements", summary: "Tables behind the claims", visibility: "public", prefix: "data/", count: 1204, bytes: 18_400_221, updated: null },
];

const claims: readonly ClaimCard[] = [
  { id: "sorted-insert", title: "Insertion keeps a list sorted", standing: formatStanding("verified", "holds", [], false), scope: "Lists of natural numbers, any length" },
  { id: "hash-stability", title: "Equal snapshots have equal ids", standing: formatStanding("scoped", "differs", ["what it pins has changed", "it rests on CUB-0008, which was verified once; its files have changed"], true), scope: "Builds on Linux, Node 24, with the same configuration" },
  { id: "faster-rebuild", title: "A rebuild costs what changed", standing: formatStanding("partial", "holds", [], false), scope: "Directories of up to 100,000 text objects" },
];

const record = (number: number, name: string, state: string, invocation: string, statement: string, evidence: EvidenceState = "holds"): RecordCard => ({
  id: `CUB-${String(number).padStart(4, "0")}`, theorem_name: name, kind: "Lemma", statement, standing: recordStanding({ verification_state: state, evidence_state: evidence }),
  repo: "example-proofs", module: "Sorting.Insertion", invocation, uses: number % 3, reviewed: number === 2 ? ["statement read by Ada", "doubted by Bob (unsigned)"] : [],
});

const records: readonly RecordCard[] = [
  record(7, "insert_keeps_sorted", "VERIFIED", "runtime", "forall (x : nat) (l : list nat), sorted l -> sorted (insert x l)"),
  record(8, "sort_is_permutation", "VERIFIED", "test-only", "forall l, Permutation l (sort l)", "differs"),
  record(9, "merge_associative", "NOT_VERIFIED", "unwired", "forall a b c, merge a (merge b c) = merge (merge a b) c"),
  record(10, "hash_collision_free_on_small_inputs", "UNSPECIFIED", "dead", "forall a b, length a < 4 -> length b < 4 -> digest a = digest b -> a = b"),
];

const hostileRecord: RecordCard = { ...record(666, HOSTILE.script, HOSTILE.attribute, HOSTILE.rtl, HOSTILE.long), kind: HOSTILE.control, module: HOSTILE.word, repo: HOSTILE.stamp };
const hostileClaim: ClaimCard = { id: HOSTILE.attribute + HOSTILE.script, title: HOSTILE.long, standing: formatStanding("verified", "gone", [HOSTILE.script, HOSTILE.rtl + HOSTILE.word], true), scope: HOSTILE.rtl + HOSTILE.control + HOSTILE.word };

const byStanding = [{ value: "verified", count: 20 }, { value: "verified_said", count: 1 }, { value: "verified_lost", count: 1 }, { value: "not_verified", count: 6 }, { value: "unspecified", count: 2 }];
const byProduction = [{ value: "NOT-RUNTIME-CONSUMED", count: 21 }, { value: "EXECUTABLE-RUNTIME", count: 6 }, { value: "PROOF-ARTIFACT-RUNTIME", count: 1 }, { value: "EXECUTABLE-AND-PROOF-ARTIFACT", count: 2 }];
const byInvocation = [{ value: "unwired", count: 14 }, { value: "runtime", count: 9 }, { value: "test-only", count: 4 }, { value: "dead", count: 3 }];
const kinds = [{ kind: "markdown" as const, bytes: 4100 }, { kind: "pdf" as const, bytes: 600 }];

const objects: readonly ObjectCard[] = [
  ["proofs/Sort.v", "Insertion sort", "Definitions and lemmas about insertion sort on lists of natural numbers.", "code", 8122],
  ["proofs/Tree.v", "Balanced trees", "A tree whose two sides never differ by more than one level.", "code", 24_110],
  ["proofs/README.md", "How these proofs are laid out", "Every development has a Coq and a Lean form with the same names.", "markdown", 1933],
  ["proofs/figures/tree.png", "tree.png", "", "image", 48_112],
  ["proofs/a-very-long-name-of-a-file-that-somebody-exported-from-a-tool-without-thinking-about-readers.v", "Exported", "", "code", 912_331],
].map(([key, title, summary, kind, size], index) => ({ key, title, summary, kind, size, sha256: hex(index + 3), uploaded: `2026-01-0${index + 1}T10:00:00Z` }) as ObjectCard);

const codeHtml = `<pre class="code" tabindex="0"><code>${[
  `<span class="c">(* Insertion sort. *)</span>`,
  `<span class="k">Fixpoint</span> <span class="f">insert</span> (x : <span class="t">nat</span>) (l : <span class="t">list</span> nat) :=`,
  `  <span class="k">match</span> l <span class="k">with</span>`,
  `  | [] =&gt; [x]`,
  `  | y :: rest =&gt; <span class="k">if</span> x &lt;=? y <span class="k">then</span> x :: y :: rest <span class="k">else</span> y :: insert x rest`,
  `  <span class="k">end</span>.`, ``,
  `<span class="k">Lemma</span> <span class="f">insert_keeps_sorted</span> : <span class="k">forall</span> x l, sorted l -&gt; sorted (insert x l).`,
  `<span class="k">Proof</span>. induction <span class="n">1</span>; simpl; <span class="b">auto</span>. <span class="k">Qed</span>. <span class="c">(* a long comment that goes on and on so that the line has to be scrolled on a narrow screen, without moving the page *)</span>`,
  `<span class="s">"a string"</span>`,
].map((line, index) => `<span class="line" id="L${index + 1}">${line}</span>`).join("\n")}\n</code></pre>`;

const markdownHtml = `<h1 id="user-content-why-insertion-keeps-order">Why insertion keeps order</h1>
<p>A list is <em>sorted</em> when each element is at most the next. Inserting walks along the list, and stops at the first element that is not smaller; see <a href="../../proofs/Sort.v/">the proof</a>.</p>
<h2 id="user-content-the-argument">The argument</h2>
<p>By induction on the derivation that <code>l</code> is sorted:</p>
<ol><li>The empty list becomes <code>[x]</code>, which is sorted.</li><li>Otherwise compare <code>x</code> with the head.</li></ol>
<blockquote><p>An invariant that is checked is worth two that are believed.</p></blockquote>
<pre><code class="language-coq"><span class="k">Lemma</span> insert_keeps_sorted : <span class="k">forall</span> x l, sorted l -&gt; sorted (insert x l).</code></pre>
<table><thead><tr><th>Step</th><th>Cost</th></tr></thead><tbody><tr><td>Compare</td><td>1</td></tr><tr><td>Move on</td><td>n</td></tr></tbody></table>
<h3 id="user-content-cost">Cost</h3>
<p>Linear in the length of the list: <math><mi>T</mi><mo>(</mo><mi>n</mi><mo>)</mo><mo>=</mo><mi>O</mi><mo>(</mo><mi>n</mi><mo>)</mo></math>.</p>
<math id="formula" display="block">${"<mi>insert</mi><mo>(</mo><mi>x</mi><mo>,</mo><mi>l</mi><mo>)</mo><mo>=</mo>".repeat(12)}<mi>l</mi></math>
<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" checked disabled> proved</li><li class="task-list-item"><input type="checkbox" disabled> measured</li></ul>`;

const askForm: AskPage = { page: "ask", examples: ["How many records have holes?", HOSTILE.script], question: "", prefix: "", collections, api: "/api/ask", asked: null, problem: null, elsewhere: null };

const citation = (n: number, key: string, title: string, start_line: number, end_line: number, quote: string): AskedCitation => ({
  n, key, title, start_line, end_line, quote, sha256: hex(n), path: pagePath.at(hex(11), pagePath.quote({ key, start_line, end_line, quote })),
});

/** Text between stars is marked. */
const pieces = (text: string): readonly MarkedPiece[] => text.split("*").map((part, at) => ({ text: part, marked: at % 2 === 1 })).filter((piece) => piece.text !== "");

const pdfHtml = `<h2 id="page-1" class="quiet">Page 1</h2>
<p><span id="P1L1">On sorting</span></p>
<p><span id="P1L2">Abstract. We show that insertion keeps order, for every list of natural</span>
<span id="P1L3">numbers, and that it loses none of them.</span></p>
<h2 id="page-2" class="quiet">Page 2</h2>
<p><span id="P2L1">1 Introduction</span></p>
<p><span id="P2L2">Lists are sorted by inserting each element before the first one</span>
<span id="P2L3">that is not smaller. The proof goes by induction over the list.</span></p>
`;

const quoted = (changes: Partial<QuotedLines> = {}): QuotedLines => ({
  page: null, start: 8, end: 9, snapshot: hex(11), problem: null, more: 0,
  lines: [
    { number: 6, cited: false, pieces: pieces("  end.") }, { number: 7, cited: false, pieces: [] },
    { number: 8, cited: true, pieces: pieces("*Lemma insert_keeps_sorted : forall x l, sorted l -> sorted (insert x l).*") },
    { number: 9, cited: true, pieces: pieces("*Proof.* induction 1; simpl; auto. Qed.") },
    { number: 10, cited: false, pieces: pieces('"a string"') },
  ],
  ...changes,
});

const object = (key: string, changes: Partial<ObjectPage>): PageInput =>
  input(pagePath.object(key), {
    page: "object", key,
    crumbs: [{ title: "All", path: pagePath.browse("") }, { title: "Proofs", path: pagePath.browse("proofs/") }],
    collection: { id: "proofs", title: "Proofs", visibility: "public" },
    title: "Insertion sort", summary: "Definitions and lemmas about insertion sort on lists of natural numbers.",
    kind: "code", media_type: "text/x-coq", language: "coq", size: 8122, sha256: hex(3), etag: `"${hex(3)}"`, uploaded: "2026-01-04T17:12:00Z",
    lines: 214, html: codeHtml, notes: [], facts: [], pages: 0, drawn: 0, part: 1, parts: 1, first: 1, linesFrom: null, firstLines: [1],
    outline: [{ title: "insert", line: 2, depth: 1, place: { id: "L2", part: 1 } }, { title: "insert_keeps_sorted", line: 8, depth: 1, place: { id: "L8", part: 1 } }, { title: "sort", line: 9, depth: 1, place: { id: "L9", part: 1 } }],
    cited_by: { claims: claims.slice(0, 1), records: records.slice(0, 2) },
    previous: { key: "proofs/README.md", title: "How these proofs are laid out" }, next: { key: "proofs/Tree.v", title: "Balanced trees" }, quoted: null,
    ...changes,
  });

/** A page for each part of a development that is as long as pages show. */
const LONG = { key: "proofs/Long.v", kind: "code", size: 400_000, lines: 5000 } as const;
const longHtml = `<pre class="code"><code>${[
  ...highlightLines(Array.from({ length: 2500 }, (_, at) => `Lemma insert_${at} : forall x l, sorted l -> In x (insert x l).\nProof. auto. Qed.`).join("\n"), "coq"),
].map((line, at) => `<span class="line" id="L${at + 1}">${line}</span>\n`).join("")}</code></pre>`;
const showLong = openParts(LONG, longHtml);
const longParts: readonly Fixture[] = Array.from({ length: 10 }, (_, at) => {
  const path = pagePath.objectPart(LONG.key, at + 1);
  const { placeOf, ...shown } = showLong(at + 1, path);
  const outline = [1, 4801].map((line) => ({ title: `insert_${(line - 1) / 2}`, line, depth: 1, place: placeOf(line) }));
  return { name: `object-long${at === 0 ? "" : `-${at + 1}`}`, input: input(path, { ...object(LONG.key, {}).model, ...LONG, title: "A long development", ...shown, outline } as ObjectPage) };
});

const evidence: readonly EvidenceRow[] = [
  { artifact: "The Coq development", kind: "proof", access: "public", repo: "example-proofs", path: "proofs/Sort.v", ref: hex(5, 40), sha256: hex(3), object: "proofs/Sort.v", record: "CUB-0007", evidence_state: "holds" },
  { artifact: "Log of the checker", kind: "log", access: "email-gated", url: "https://ci.example.org/runs/12", sha256: hex(8), object: null, record: null, evidence_state: "unreachable" },
  { artifact: "Timings on the reference machine", kind: "measurement", access: "private", sha256: hex(9), object: "data/timings.csv", record: null, evidence_state: "differs" },
];

const claimPage = (changes: object = {}): PageInput =>
  input(pagePath.claim("sorted-insert"), {
    page: "claim", shelf: null, standing: { ...formatStanding("scoped", "differs", ["what it pins has changed", "it rests on CUB-0008, which was verified once; its files have changed"], true), rests_on: [{ id: "CUB-0008", says: "was verified once; its files have changed" }] },
    claim: {
      id: "sorted-insert", title: "Insertion keeps a list sorted", status: "scoped", scope: "Lists of natural numbers, any length; not lists of floating-point numbers.",
      statement: "For every sorted list and every number, inserting the number with our insert function gives a sorted list that has the same elements and the number.",
      evidence: [], reproduce: ["git clone https://git.example.org/example-proofs && cd example-proofs", "coqc -R proofs Example proofs/Sort.v"], verify: [`echo '${hex(3)}  proofs/Sort.v' | sha256sum -c`],
      gaps: ["The Rust function is tied to the Coq function by reading, not by extraction.", "Memory use is not covered."],
      runContract: { execution: { command: "cargo bench insert", repetitions: 30, warm: true }, provenance: "reference machine A", estimand: ["median time per insertion"], boundary: null },
      ...changes,
    },
    evidence, pins: { "example-proofs": hex(5, 40), checker: "coq 8.18.0" }, records: records.slice(0, 2),
  });

const cubRecord = CubRecord.parse({
  id: "CUB-0007", repo: "example-proofs", theorem_name: "insert_keeps_sorted", module: "Sorting.Insertion", kind: "Lemma",
  statement: "forall (x : nat) (l : list nat),\n  sorted l -> sorted (insert x l)", status: "VERIFIED_EXACT", verification_state: "VERIFIED", source_class: "active", active: true,
  crate: "sorting", wiring: "FUNCTION-IMPL", invocation: "runtime", invocation_role: "called by the index builder", production_consumption: "EXECUTABLE-RUNTIME", deployable: true, no_holes: true,
  formal_systems: "Coq+Lean", kernels: "none", use_cases: ["crypto", "topology"], lineage: "written by hand", files: { coq_file: "proofs/Sort.v", lean_file: "lean/Sort.lean" },
  file_shas: { "proofs/Sort.v": hex(3), "lean/Sort.lean": hex(4) }, exec_file: "src/sort.rs", exec_fn: "sorting::insert", rust_anchor: "src/sort.rs:12", note: "The Rust function is generic; the proof speaks about natural numbers.",
  reproduce: { proof_files: ["proofs/Sort.v", "lean/Sort.lean"], verify_hash: "sha256sum proofs/Sort.v   # compare with file_shas", recheck: "coqc -R proofs Example proofs/Sort.v && lake build Sort", get_code: "GET /api/cubs/CUB-0007/code" },
  links: { api: "/api/cubs/CUB-0007", code: "/api/cubs/CUB-0007/code", registry: "https://registry.example.org/CUB-0007" },
});

await loadLanguage("coq");
const states = [
  { sequence: 9, created: "2026-02-27T05:06:07.000Z", states: null },
  { sequence: 10, created: "2026-02-28T05:06:07.000Z", states: [{ value: "VERIFIED", count: 12 }, { value: "NOT_VERIFIED", count: 9 }] },
  { sequence: 11, created: "2026-03-03T05:06:07.000Z", states: [] },
  { sequence: 12, created: "2026-03-04T05:06:07.000Z", states: [...byStanding, { value: HOSTILE.script, count: 1 }, { value: HOSTILE.stamp, count: 1 }] },
];

/** One record of every state. */
const checksOf = (record: RecordPage["record"]): RecordPage["checks"] =>
  CHECK_STATES.map((state, at) => {
    const ran = state !== "not_run";
    const check = RecordCheck.parse({ state, prover: at % 2 === 0 ? "coq" : HOSTILE.script, version: "8.16.1", revision: hex(at, 40), finished: "2026-05-12T05:06:07.000Z", attestation: ran ? hex(at, 64) : "", signers: at === 1 ? [HOSTILE.rtl + HOSTILE.word] : [], counted: at !== 5, tool: at === 4 ? "coqchk" : "", isolation: at === 2 ? "none" : "bubblewrap", exact: at === 0, reason: at > 2 ? HOSTILE.script : "" });
    return { state: shownState(check), says: checkSentence(check, record), counted: check.counted, signers: check.signers, reason: check.reason, attestation: check.attestation, object: at === 0 ? "checks/a.json" : null };
  });

/** A star with two rings, and names that strangers would try. */
const stands = (state: string) => ({ state, evidence: "holds", says: state }) as const;
const graphOf = ({ id, theorem_name: name }: RecordPage["record"]): RecordPage["graph"] => {
  const near = Array.from({ length: 12 }, (_, at) => ({ id: `CUB-01${String(at).padStart(2, "0")}`, name: at === 3 ? HOSTILE.script : `lemma_number_${at}`, step: [1, 1, 2, -1, -2, 1][at % 6] ?? 1, standing: stands(at % 2 === 0 ? "verified" : "not_verified") }));
  return {
    id, nodes: [{ id, name, step: 0, standing: stands("verified") }, ...near],
    edges: near.filter(({ step }) => Math.abs(step) === 1).map(({ id: other, step }, at) => ({ from: step > 0 ? id : other, to: step > 0 ? other : id, part: at % 2 === 0 ? "statement" : "proof", basis: "source" })),
    left_out: 3, without_record: 2,
  };
};

const recordPage = (changes: Partial<Omit<RecordPage, "standing">> = {}): PageInput =>
  input(pagePath.record(changes.record?.id ?? "CUB-0007"), {
    page: "record", record: cubRecord, standing: recordStanding({ ...(changes.record ?? cubRecord), evidence_state: "gone" }), head: hex(5, 40),
    checks: checksOf(changes.record ?? cubRecord),
    words: [],
    meaning: [
      { name: "Sorting.Insertion.sorted", place: "proofs/Sort.v:3–5", link: "/registry/CUB-0002/", lines: null, html: ["Definition sorted (l : list nat) : Prop :=", "  True."] },
      { name: HOSTILE.script, place: HOSTILE.long, link: null, lines: null, html: [] },
    ],
    graph: graphOf(changes.record ?? cubRecord), names: [],
    statement: highlightLines((changes.record ?? cubRecord).statement, "coq").join("\n").replaceAll(/\bsorted\b/g, '<a href="../CUB-0001/" data-type="list nat -&gt; Prop">sorted</a>'),
    summary: "What is inserted takes the place that keeps the order.",
    found: { file: "proofs/Sort.v", lines: [] },
    sides: [
      { name: "insert_keeps_sorted", file: { path: "proofs/Sort.v", role: "proof", system: "coq", size: 8122, sha256: hex(3), available: true, state: "holds", href: `/api/code/example-proofs/${hex(5, 40)}/proofs/Sort.v`, object: "proofs/Sort.v" }, lines: { start: 8, end: 10, declared: 8, proof: 1, html: ['<span class="k">Lemma</span> insert_keeps_sorted : <span class="k">forall</span> x l, sorted l -> sorted (insert x l).', '<span class="k">Proof</span>. <span class="b">induction</span> 1; simpl; auto.', '<span class="k">Qed</span>.'] } },
      { name: "insert_keeps_sorted", file: { path: "lean/Sort.lean", role: "proof", system: "lean", size: 6011, sha256: hex(4), available: true, state: "holds", href: `/api/code/example-proofs/${hex(5, 40)}/lean/Sort.lean`, object: null }, lines: null },
      { name: "sorting::insert", file: { path: "src/sort.rs", role: "runtime", system: "rust", size: null, sha256: hex(12), available: false, state: "gone", href: "/api/code/x/y/src/sort.rs", object: null }, lines: null },
    ],
    files: [],
    claims: claims.slice(0, 1), previous: "CUB-0006", next: "CUB-0008", ...changes,
  });

const meta = RegistryMeta.parse({
  service: "Example registry", centralized: true, authoritative_ui: "https://registry.example.org", updated_iso: "2026-01-04T17:12:00Z", registry_sha256: hex(11), bytes: 181_220, generator: "registry-export 2.1",
  sources: { "example-proofs": { head: hex(5, 40), ref: "main", csv_rows: 30 } }, readiness_counts: { verified_runtime_deployable: 9, verified_not_runtime: 13, runtime_deployable_not_verified: 1 },
  in_crate_verus: { files: 3, blocks: 12, wired_files_in_ci: 2, gated_by_ci: true, note: "Blocks inside crates." }, boundary: "The public projection has reproduction paths, file hashes, execution anchors and proof-status notes; internal operational fields stay private.",
});

const registrySorts: RegistryPage["sorts"] = [null, "name", "state", "newest"].map((sort) => ({ sort: sort as "name" | null, path: sort === null ? pagePath.registry : `/registry/?sort=${sort}` }));
const facets: RegistryPage["facets"] = [
  ["verification_state", [["VERIFIED", 22, true], ["NOT_VERIFIED", 6, false], ["UNSPECIFIED", 2, false]]],
  ["invocation", [["unwired", 14, false], ["runtime", 9, false], ["test-only", 4, false], ["dead", 3, false]]],
  ["production_consumption", [["NOT-RUNTIME-CONSUMED", 21, false], ["EXECUTABLE-RUNTIME", 6, false]]],
  ["repo", [["example-proofs", 24, false], ["another-repository-with-a-long-name", 6, false]]],
  ["use_case", [["crypto", 9, false], ["topology", 4, false], ["TDX", 3, false], ["", 14, false]]],
  ["crate", Array.from({ length: 14 }, (_, index) => [`crate-${index}`, 14 - index, false])],
].map(([name, values]) => ({ name: String(name), more: name === "crate" ? 7 : 0, values: (values as [string, number, boolean][]).map(([value, count, selected]) => ({ value, count, selected, href: `/registry/?${String(name)}=${encodeURIComponent(value)}` })) }));

const snapshots = [6, 5, 4, 3, 2, 1].map((sequence) => ({
  sequence, id: hex(sequence + 20), created: `2026-01-0${sequence}T12:00:00Z`, previous: sequence === 1 ? null : hex(sequence + 19), current: sequence === 6, kept: sequence !== 2, comparable: sequence > 3,
  added: sequence === 1 ? 119 : sequence * 2 - 3, changed: sequence === 1 ? 0 : (sequence * 5) % 7, removed: sequence % 3 === 0 ? 2 : 0,
  ...(sequence === 5 ? { restores: 3 } : {}),
}));
const [newest, older] = snapshots as [typeof snapshots[number], typeof snapshots[number]];

const problems: readonly ProblemRow[] = Object.entries(PROBLEMS).map(([code, [status, title]]) => ({ code, status, title, meaning: `${title}: the service could not do what was asked.`, fix: "Correct the request and send it again." }) as ProblemRow);

const claimsModel: ClaimsPage = {
  page: "claims",
  meta: { title: "What we claim", subtitle: "Every claim with its scope, its evidence and its gaps", generated: "2026-01-04", fact_checked: "2026-01-05", note: "Claims are written by people and checked by people.", pins: { "example-proofs": hex(5, 40), registry: hex(11) } },
  claims: claims.map((claim, index) => ({ ...claim, evidence: index + 1, gaps: index })),
  byStanding: [{ value: "verified", count: 4 }, { value: "scoped", count: 1 }, { value: "partial", count: 1 }],
};

const emptyClaimsMeta = { title: "", subtitle: "", generated: "", fact_checked: "", note: "", pins: {} };

const referenceGroups = [
  { id: "library", title: "Library", operations: [{ method: "GET", path: "/api/list", summary: "Objects and child prefixes directly under a prefix." }, { method: "POST", path: "/api/reindex", summary: "Builds a new snapshot." }] },
  { id: "registry", title: "Registry", operations: [{ method: "GET", path: "/api/cubs/{id}", summary: "One record." }] },
];

const shelf: TheoremShelf = {
  byStanding, more: 0,
  rows: ["Sorting.Insertion", "Sorting.Merge"].map((file) => ({ repo: "example-proofs", file, path: `/registry/?module=${file}`, count: 3, byStanding: [{ value: "verified", count: 2 }, { value: "proved_outside", count: 1 }], runs: [{ state: "verified", count: 2 }, { state: "proved_outside", count: 1 }], marks: ["verified", "verified", "proved_outside"].map((state, at) => ({ id: `CUB-000${at + 1}`, name: `lemma_${at}`, state })) })),
};
const hostileShelf: TheoremShelf = {
  byStanding: [{ value: HOSTILE.script, count: 1 }], more: 3,
  rows: [{ repo: HOSTILE.rtl, file: HOSTILE.word, path: "/registry/?module=x", count: 40, byStanding: [{ value: HOSTILE.attribute, count: 40 }], runs: [{ state: HOSTILE.attribute, count: 40 }], marks: Array.from({ length: 40 }, () => ({ id: "CUB-0001", name: HOSTILE.script, state: HOSTILE.attribute })) }, { repo: "other", file: "", path: "/registry/?module=y", count: 4000, byStanding, runs: [], marks: [] }],
};
const frontRegistry = { total: 30, byStanding, updated: "2026-01-04T17:12:00Z", shelf, main: records.slice(0, 2), chosen: false, said: [], axioms: [{ name: "Coq.Logic.Classical_Prop.classic", count: 12, basis: "allowed" as const, would: 0 }] };

export const fixtures: readonly Fixture[] = [
  { name: "front", input: input("/", { page: "front", front: { key: "notes/front.md", html: `<h1>Front</h1><p>Read <a href="object/notes/insertion.md/">this</a> first.</p>` }, summary: "Notes, papers and proofs about sorting, with what is claimed about them and how to check it.", objects: 119, bytes: 23_858_960, collections, claims: { total: 6, byStanding: claimsModel.byStanding, newest: [...claims] }, registry: frontRegistry, rejected: 3 }) },
  { name: "front-internal", input: input("/", { page: "front", front: null, summary: "", objects: 131, bytes: 24_000_000, collections: [...collections.slice(0, 2), { ...(collections[0] as CollectionCard), id: "drafts", title: "Drafts", prefix: "drafts/", visibility: "email-gated" }], claims: { total: 0, byStanding: [], newest: [] }, registry: null, rejected: 0 }, "internal") },
  { name: "front-empty", input: input("/", { page: "front", front: null, summary: "", objects: 0, bytes: 0, collections: [], claims: { total: 0, byStanding: [], newest: [] }, registry: null, rejected: 0 }) },
  { name: "front-hostile", input: { ...input("/", { page: "front", front: { key: HOSTILE.key, html: null }, summary: HOSTILE.script, objects: 1, bytes: 1, collections: [{ id: "x", title: HOSTILE.long, summary: HOSTILE.word, visibility: "public", prefix: HOSTILE.key, count: 1, bytes: 1, updated: HOSTILE.script }], claims: { total: 1, byStanding: [{ value: HOSTILE.attribute, count: 1 }], newest: [hostileClaim] }, registry: { total: 1, byStanding: [{ value: HOSTILE.script, count: 1 }], updated: HOSTILE.script, shelf: hostileShelf, main: [hostileRecord], chosen: true, said: [HOSTILE.script + HOSTILE.rtl], axioms: [{ name: HOSTILE.attribute, count: 3, basis: "outside", would: 1 }] }, rejected: 1 }), chrome: { library: HOSTILE.script + HOSTILE.rtl, view: "public", path: "/", has: { records: true, claims: true }, report: HOSTILE.attribute, canonical: null } } },
  { name: "browse-root", input: input(pagePath.browse(""), { page: "browse", shelf: null, readme: null, licences: { name: "license", values: [], more: 0 }, collections: 3, prefix: "", crumbs: [], collection: null, prefixes: collections.map(({ prefix, title, count, bytes }) => ({ prefix, title, count, bytes, kinds })), objects: [], sort: "name", part: 1, parts: 1, jumps: [], folders: 0, total: 0 }) },
  { name: "browse", input: input(pagePath.browse("proofs/"), { page: "browse", shelf: null, readme: { key: "proofs/README.md", html: '<h1 id="doc-how">How these proofs are laid out</h1><p>Every development has a Coq and a Lean form with the same names.</p>' }, licences: { name: "license", values: [], more: 0 }, collections: null, prefix: "proofs/", crumbs: [{ title: "All", path: pagePath.browse("") }], collection: collections[2] as CollectionCard, prefixes: [{ prefix: "proofs/figures/", title: null, count: 4, bytes: 91_222, kinds }, { prefix: "proofs/lean/", title: null, count: 21, bytes: 40_112, kinds }], objects, sort: "-size", part: 2, parts: 3, jumps: [{ path: "/browse/proofs/?sort=-size", first: "1", last: "200", here: false }, { path: "/browse/proofs/=p2/?sort=-size", first: "201", last: "400", here: true }], folders: 0, total: 1204 }) },
  { name: "browse-hostile", input: input(pagePath.browse("notes/<b>/"), { page: "browse", shelf: null, readme: null, licences: { name: "license", values: [], more: 0 }, collections: null, prefix: "notes/<b>/", crumbs: [{ title: HOSTILE.script, path: pagePath.browse("notes/") }], collection: null, prefixes: [{ prefix: `notes/<b>/${HOSTILE.word}/`, title: null, count: 1, bytes: 1, kinds }], objects: [{ key: `notes/<b>/${HOSTILE.key}`, title: HOSTILE.script, summary: HOSTILE.attribute + HOSTILE.stamp, kind: "text", size: 12, sha256: hex(1), uploaded: null }, { key: `notes/<b>/${HOSTILE.word}`, title: HOSTILE.word, summary: HOSTILE.word, kind: "text", size: 12, sha256: hex(1), uploaded: null }, { key: `notes/<b>/${HOSTILE.rtl}${HOSTILE.control}`, title: HOSTILE.rtl + HOSTILE.control, summary: HOSTILE.rtl, kind: "binary", size: 0, sha256: hex(1), uploaded: null }], sort: "name", part: 1, parts: 1, jumps: [{ path: "/browse/notes/<b>/", first: HOSTILE.script, last: HOSTILE.rtl, here: true }], folders: 0, total: 3 }) },
  { name: "browse-empty", input: input(pagePath.browse("nothing/here/"), { page: "browse", shelf: null, readme: null, licences: { name: "license", values: [], more: 0 }, collections: null, prefix: "nothing/here/", crumbs: [{ title: "All", path: pagePath.browse("") }], collection: null, prefixes: [], objects: [], sort: "name", part: 1, parts: 1, jumps: [], folders: 0, total: 0 }) },
  { name: "object-code", input: object("proofs/Sort.v", {}) },
  ...longParts,
  { name: "object-rtl", input: object("notes/arabic.md", { title: "مقدمة", kind: "markdown", media_type: "text/markdown", language: null, html: `<p id="arabic">يبقى الترتيب كما هو.</p><p id="english">The order stays.</p><blockquote><p id="quote">اقتباس قصير.</p></blockquote><ul id="list"><li>بند</li></ul><ul id="items"><li>An item.</li></ul><pre id="code"><code>// ترتيب
let x = 1; // ${"wide ".repeat(60)}</code></pre><p>So <span class="katex"><math><mrow>${"<mi>x</mi><mo>+</mo>".repeat(60)}<mi>x</mi></mrow></math></span></p><table id="table"><thead><tr><th>قيمة</th>${"<th>column</th>".repeat(30)}</tr></thead><tbody><tr><td>1</td>${"<td>1234567890</td>".repeat(30)}</tr></tbody></table>`, outline: [], notes: [] }) },
  { name: "object-markdown", input: object("notes/insertion.md", { title: "Why insertion keeps order", kind: "markdown", media_type: "text/markdown", language: null, html: markdownHtml, outline: [{ title: "The argument", line: 4, depth: 1, place: { id: "L4", part: 1 } }, { title: "Cost", line: 16, depth: 2, place: { id: "L16", part: 1 } }], notes: ["one link left the library and was removed"] }) },
  { name: "object-quoted", input: object("proofs/Sort.v", { quoted: quoted() }) },
  { name: "object-quoted-markdown", input: object("notes/insertion.md", { title: "Why insertion keeps order", kind: "markdown", media_type: "text/markdown", language: null, html: markdownHtml.replaceAll("<p>By", '<p id="L9">By').replace("<li>Otherwise", '<li id="L12">Otherwise'), outline: [], quoted: quoted({ start: 12, end: 12, lines: [{ number: 11, cited: false, pieces: pieces("1. The empty list becomes `[x]`, which is sorted.") }, { number: 12, cited: true, pieces: pieces("2. *Otherwise compare `x` with the head*.") }] }) }) },
  { name: "object-quoted-wrongly", input: object("proofs/Sort.v", { quoted: quoted({ problem: "no_quote", lines: [{ number: 8, cited: true, pieces: pieces("Lemma insert_keeps_sorted : forall x l, sorted l -> sorted (insert x l).") }] }) }) },
  { name: "object-quoted-nowhere", input: object("papers/sorting.pdf", { kind: "pdf", title: "On sorting", html: null, outline: [], quoted: quoted({ problem: "no_lines", lines: [] }) }) },
  { name: "object-quoted-hostile", input: object(HOSTILE.key, { title: HOSTILE.script, html: '<pre class="code"><code><span class="line" id="L1">&lt;p id="L1"&gt;</span>\n</code></pre>', kind: "text", outline: [], quoted: quoted({ start: 1, end: 4, more: 3, lines: [{ number: 1, cited: true, pieces: [{ text: HOSTILE.script + HOSTILE.control, marked: false }, { text: HOSTILE.word + HOSTILE.rtl, marked: true }, { text: HOSTILE.stamp, marked: false }] }] }) }) },
  { name: "object-image", input: object("proofs/figures/tree.png", { title: "tree.png", summary: "", kind: "image", media_type: "image/png", language: null, html: null, lines: null, outline: [], cited_by: { claims: [], records: [] }, previous: null }) },
  { name: "object-pdf", input: object("papers/sorting.pdf", { title: "On sorting", kind: "pdf", pages: 2, media_type: "application/pdf", language: null, html: pdfHtml, lines: null, outline: [] }) },
  { name: "object-pdf-quoted", input: object("papers/sorting.pdf", { title: "On sorting", kind: "pdf", pages: 2, media_type: "application/pdf", language: null, html: pdfHtml, lines: null, outline: [], quoted: quoted({ page: 2, start: 2, end: 3, lines: [{ number: 1, cited: false, pieces: pieces("1 Introduction") }, { number: 2, cited: true, pieces: pieces("*Lists are sorted by inserting* each element before the first one") }, { number: 3, cited: true, pieces: pieces("that is not smaller.") }] }) }) },
  { name: "object-wide", input: object("data/wide.csv", { title: "A wide table", summary: "", kind: "csv", media_type: "text/csv", language: null, html: `<table class="data"><caption>2 rows</caption><thead><tr>${Array.from({ length: 24 }, (_, n) => `<th scope="col" class="right">column ${n}</th>`).join("")}<th>day</th></tr></thead><tbody>${[1, 2].map((row) => `<tr>${Array.from({ length: 24 }, (_, n) => `<td class="right number">${row * 12_345_678.25 * (n + 1)}</td>`).join("")}<td class="number">2026-11-22 08:00:00</td></tr>`).join("")}</tbody></table>`, outline: [] }) },
  { name: "object-csv", input: object("data/timings.csv", { title: "timings.csv", summary: "", kind: "csv", media_type: "text/csv", language: null, html: `<table class="data"><caption>2 rows, 3 columns</caption><thead><tr><th class="right">n</th><th class="right">median ns</th><th>note</th></tr></thead><tbody><tr><td class="right">10</td><td class="right">41</td><td>warm</td></tr><tr><td class="right">1000</td><td class="right">4120</td><td>${"cold ".repeat(30)}</td></tr></tbody></table>`, outline: [] }) },
  { name: "object-binary", input: object("data/archive.bin", { title: "archive.bin", summary: "", kind: "binary", media_type: "application/octet-stream", language: null, html: null, lines: null, outline: [], cited_by: { claims: [], records: [] }, notes: ["this type of file is listed, not searched"] }) },
  { name: "object-hostile", input: object(HOSTILE.key, { title: HOSTILE.script + HOSTILE.long, summary: HOSTILE.attribute, kind: "text", media_type: HOSTILE.script, language: HOSTILE.attribute, crumbs: [{ title: HOSTILE.rtl, path: pagePath.browse("notes/") }], notes: [HOSTILE.script], html: `<p>${"x".repeat(3000)}</p><h1>Another heading</h1>`, outline: [{ title: HOSTILE.script, line: 1, depth: 0, place: null }, { title: HOSTILE.word, line: 2, depth: 0, place: { id: "L2", part: 1 } }], cited_by: { claims: [hostileClaim], records: [hostileRecord] }, previous: { key: HOSTILE.key, title: HOSTILE.word }, next: { key: `a/${HOSTILE.rtl}`, title: HOSTILE.rtl }, collection: { id: "x", title: HOSTILE.word, visibility: "email-gated" } }) },
  { name: "claims", input: input(pagePath.claims, claimsModel) },
  { name: "claims-empty", input: input(pagePath.claims, { page: "claims", meta: emptyClaimsMeta, claims: [], byStanding: [] }) },
  { name: "claim", input: claimPage() },
  { name: "claim-hostile", input: input(pagePath.claim(hostileClaim.id), { page: "claim", shelf: null, standing: { ...hostileClaim.standing, rests_on: [{ id: HOSTILE.word, says: HOSTILE.script }] }, claim: { ...hostileClaim, status: "verified", statement: HOSTILE.script + HOSTILE.stamp, evidence: [], reproduce: [HOSTILE.script, HOSTILE.word], verify: [HOSTILE.control], gaps: [HOSTILE.long, HOSTILE.attribute], runContract: { [HOSTILE.script]: { a: { b: { c: { d: [HOSTILE.word] } } } }, [HOSTILE.word]: HOSTILE.word } }, evidence: [{ artifact: HOSTILE.script, kind: HOSTILE.attribute, access: "public", repo: HOSTILE.word, path: HOSTILE.key, ref: HOSTILE.attribute, url: HOSTILE.url, sha256: hex(1), object: HOSTILE.key, record: "CUB-0666", evidence_state: "differs" }], pins: { [HOSTILE.script]: HOSTILE.word }, records: [hostileRecord] }) },
  { name: "registry", input: input(pagePath.registry, { page: "registry", sort: null, sorts: registrySorts, shelf, total: 30, matching: 22, records, facets, query: "sorted", selected: [{ name: "verification_state", value: "VERIFIED", remove: "/registry/?q=sorted" }], part: 1, parts: 2, jumps: [{ path: "/registry/?q=sorted", first: "1", last: "50", here: true }, { path: "/registry/?q=sorted&part=2", first: "51", last: "61", here: false }], next: "/registry/?q=sorted&part=2", previous: null, unavailable: null }) },
  { name: "registry-down", input: input(pagePath.registry, { page: "registry", sort: null, sorts: registrySorts, shelf: null, total: 0, matching: 0, records: [], facets: [], query: "", selected: [], part: 1, parts: 1, jumps: [], next: null, previous: null, unavailable: "The registry did not answer when this snapshot was built, and no earlier copy is kept." }) },
  { name: "registry-hostile", input: input(pagePath.registry, { page: "registry", sort: null, sorts: registrySorts, shelf: hostileShelf, total: 1, matching: 1, records: [hostileRecord], facets: [{ name: HOSTILE.script, more: 0, values: [{ value: HOSTILE.word, count: 1, selected: true, href: `/registry/?x=${encodeURIComponent(HOSTILE.script)}` }] }], query: HOSTILE.script, selected: [{ name: HOSTILE.attribute as "kind", value: HOSTILE.rtl, remove: "/registry/" }], part: 1, parts: 1, jumps: [], next: null, previous: null, unavailable: HOSTILE.script }) },
  { name: "record", input: recordPage() },
  { name: "record-hostile", input: recordPage({ record: { ...cubRecord, id: "CUB-0666", theorem_name: HOSTILE.word, statement: HOSTILE.script + HOSTILE.rtl + HOSTILE.control, repo: HOSTILE.long, module: HOSTILE.word, verification_state: HOSTILE.script, invocation: HOSTILE.attribute, note: HOSTILE.stamp, kind: HOSTILE.control, reproduce: { ...cubRecord.reproduce, recheck: HOSTILE.word }, links: { api: HOSTILE.url, code: HOSTILE.url, registry: HOSTILE.url } }, sides: [
    { name: HOSTILE.attribute, file: { path: HOSTILE.key, role: "proof", system: HOSTILE.script, size: 1, sha256: hex(1), available: true, state: "holds", href: "/api/code/a/b/c", object: HOSTILE.key }, lines: { start: 7, end: 90, declared: 7, proof: null, html: ["x".repeat(400)] } },
    { name: HOSTILE.word, file: { path: HOSTILE.long.slice(0, 900), role: "proof", system: "lean", size: 1, sha256: hex(1), available: false, state: "differs", href: "/api/code/a/b/c", object: HOSTILE.word }, lines: null },
  ], files: [{ path: HOSTILE.key, role: "proof", system: HOSTILE.script, size: 1, sha256: hex(1), available: true, state: "holds", href: "/api/code/a/b/c", object: HOSTILE.key }], claims: [hostileClaim] }) },
  { name: "dashboard", input: input(pagePath.dashboard, { page: "dashboard", files: { nodes: [{ id: "a", file: "Lists", name: "Lists", path: "/registry/?module=Lists", verified: 5, of: 5, step: 0 }, { id: "b", file: HOSTILE.script, name: "Sorting", path: "/registry/?module=Sorting", verified: 6, of: 8, step: 1 }], edges: [{ from: "b", to: "a" }] }, byEvidence: [{ value: "holds", count: 28 }, { value: "differs", count: 2 }], unavailable: null, meta, total: 30, counts: [
    { group: "verification_counts", name: "VERIFIED", declared: 22, counted: 22, agrees: true }, { group: "verification_counts", name: "NOT_VERIFIED", declared: 7, counted: 6, agrees: false }, { group: "verification_counts", name: "UNSPECIFIED", declared: null, counted: 2, agrees: false },
    { group: "invocation_counts", name: "runtime", declared: 9, counted: 9, agrees: true }, { group: "readiness_counts", name: "verified_runtime_deployable", declared: 9, counted: null, agrees: true },
  ], byStanding, byProduction, byInvocation, byRepository: [{ value: "example-proofs", count: 30, byStanding }, { value: HOSTILE.script, count: 2, byStanding: [{ value: HOSTILE.word, count: 2 }] }], bySystem: [{ value: "Coq+Lean", count: 28, byStanding }, { value: "", count: 2, byStanding }], provers: [{ prover: "coq", states: [{ value: "accepted", count: 20 }, { value: "rejected", count: 2 }] }, { prover: HOSTILE.script, states: [{ value: "not_run", count: 3 }] }], axioms: [{ name: "Coq.Logic.Classical_Prop.classic", count: 12, basis: "allowed", would: 0 }, { name: HOSTILE.script, count: 1, basis: "outside", would: 1 }], holes: [{ id: "CUB-0002", name: HOSTILE.rtl, path: HOSTILE.key, line: 12, what: "Admitted" }], openHoles: 101, recalled: [{ id: "CUB-0002", name: HOSTILE.script, resting: "2 records and 1 claim rest on it" }], sources: [{ repo: "example-proofs", head: hex(5, 40), ref: "main", csv_rows: 30, records: 30 }], notes: ["CUB-0031 was left out: statement is empty", "verification_counts declares 7 NOT_VERIFIED, 6 were counted"] }) },
  { name: "dashboard-empty", input: input(pagePath.dashboard, { page: "dashboard", files: null, byEvidence: [], unavailable: "This library has no registry of proof records.", meta: null, total: 0, counts: [], byStanding: [], byProduction: [], byInvocation: [], byRepository: [], bySystem: [], provers: [], axioms: [], holes: [], openHoles: 0, recalled: [], sources: [], notes: [] }) },
  { name: "snapshots", input: input(pagePath.snapshots, { page: "snapshots", since: [{ words: "a week", path: pagePath.diff("1", "2") }], snapshots, states, part: 1, parts: 2 }) },
  { name: "snapshots-empty", input: input(pagePath.snapshots, { page: "snapshots", since: [], snapshots: [], states: [], part: 1, parts: 1 }) },
  { name: "diff", input: input(pagePath.diff(older.id, newest.id), { page: "diff", from: older, to: newest, counts: [{ value: "added", count: 2 }, { value: "changed", count: 3 }, { value: "removed", count: 1 }], more: 3, weaker: [{ title: HOSTILE.script, path: pagePath.record("CUB-0008"), why: [HOSTILE.word] }], moves: [
    { kind: "state", state: "verified", count: 1, rows: [{ id: "CUB-0007", name: "insert_keeps_sorted", path: pagePath.record("CUB-0007"), was: "not_verified", is: "verified", lines: [], below: [] }] },
    { kind: "statement", state: "", count: 400, rows: [{ id: "CUB-0008", name: HOSTILE.script, path: null, was: HOSTILE.attribute, is: HOSTILE.attribute, below: [], lines: [{ kind: "removed", number: 1, pieces: pieces("forall l, *sorted* l") }, { kind: "added", number: 1, pieces: pieces(HOSTILE.script) }] }] },
  ], others: [
    { what: "object", name: "notes/insertion.md", title: "notes/insertion.md", path: pagePath.object("notes/insertion.md"), change: "changed", before: hex(1), after: hex(2), fields: [], weaker: [] },
    { what: "object", name: "papers/sorting.pdf", title: "papers/sorting.pdf", path: pagePath.object("papers/sorting.pdf"), change: "added", before: null, after: hex(3), fields: [], weaker: [] },
    { what: "object", name: HOSTILE.key, title: HOSTILE.key, path: null, change: "removed", before: hex(4), after: null, fields: [], weaker: [] },
    { what: "claim", name: "sorted-insert", title: "sorted-insert", path: pagePath.claim("sorted-insert"), change: "changed", before: null, after: null, fields: [{ field: "status", before: `"partial"`, after: `"verified"` }, { field: "scope", before: `"${HOSTILE.script}"`, after: `"${HOSTILE.word}"` }], weaker: [] },
    { what: "claim", name: "other-claim", title: "other-claim", path: pagePath.claim("other-claim"), change: "changed", before: null, after: null, fields: [{ field: "use_case", before: `["sorting","search"]`, after: `["search","sorting"]` }, { field: "repos", before: `["a","b"]`, after: `["b","c"]` }], weaker: [] },
    { what: "other", name: "api/capabilities", title: "api/capabilities", path: "/api/capabilities", change: "changed", before: hex(6), after: hex(7), fields: [], weaker: [] },
  ] }) },
  { name: "search", input: input(pagePath.search, { page: "search", more: "/search/?q=sorted+list&shown=30", query: "sorted list", prefix: "", collections, found: 61, atLeast: false, problem: null, didYouMean: { query: HOSTILE.script, path: "/search/?q=sorted+lists" }, facets: [
    { name: "collection", more: 0, values: [{ value: "proofs", count: 41, selected: true, href: "/search/?q=sorted+list" }, { value: "notes", count: 20, selected: false, href: "/search/?q=sorted+list&collection=notes" }] },
    { name: "kind", more: 0, values: [{ value: "code", count: 40, selected: false, href: "/search/?q=sorted+list&collection=proofs&kind=code" }, { value: "markdown", count: 20, selected: false, href: "/search/?q=sorted+list&collection=proofs&kind=markdown" }, { value: HOSTILE.script, count: 1, selected: false, href: `/search/?kind=${encodeURIComponent(HOSTILE.script)}` }] },
  ], hits: [
    { title: "insert_keeps_sorted", kind: "record", key: "CUB-0007", path: pagePath.record("CUB-0007"), pieces: pieces("forall x l, *sorted* l -> *sorted* (insert x l)"), code: false, name: "", line: null, copies: [], exact: "name", collection: "", folder: "" },
    { title: "Insertion sort", kind: "code", key: "proofs/Sort.v", path: `${pagePath.object("proofs/Sort.v")}#L8`, pieces: pieces("Lemma insert_keeps_sorted : forall x l, *sorted* l -> *sorted* (insert x l). Proof. induction 1; simpl; auto. Qed."), code: true, name: "insert_keeps_sorted", line: 8, copies: ["papers/Sort.v", HOSTILE.key], exact: null, collection: "Proofs", folder: "proofs" },
    { title: HOSTILE.script, kind: HOSTILE.attribute, key: HOSTILE.key, path: pagePath.object(HOSTILE.key), pieces: [{ text: HOSTILE.control, marked: false }, { text: HOSTILE.script, marked: true }, { text: HOSTILE.word + HOSTILE.rtl, marked: false }], code: false, name: "", line: null, copies: [], exact: "title", collection: HOSTILE.word, folder: HOSTILE.attribute },
  ] }) },
  { name: "search-nothing", input: input(pagePath.search, { page: "search", more: null, query: HOSTILE.script, prefix: "notes/", collections, found: 0, atLeast: false, didYouMean: null, facets: [], problem: null, hits: [] }) },
  { name: "search-start", input: input(pagePath.search, { page: "search", more: null, query: "", prefix: "", collections, found: 0, atLeast: false, didYouMean: null, facets: [], problem: null, hits: null }) },
  { name: "search-problem", input: input(pagePath.search, { page: "search", more: null, query: "x".repeat(600), prefix: "elsewhere/", collections, found: 0, atLeast: false, didYouMean: null, facets: [], problem: "A query has at most 500 characters; this one has 600.", hits: null }) },
  { name: "ask-start", input: input(pagePath.ask, askForm) },
  { name: "ask", input: input(pagePath.ask, { ...askForm, question: "Does insertion keep a list sorted?", asked: {
    finding: null, mode: "ai", model: "a-model", notice: "One sentence was left out because no source bears it out.", snapshot: hex(11),
    answer: "Inserting a number into a sorted list gives a sorted list [1]. The proof goes by induction on the derivation that the list is sorted [1][2].\n\nThe cost is linear in the length of the list [2], see [7].",
    citations: [citation(1, "proofs/Sort.v", "Insertion sort", 8, 9, "Lemma insert_keeps_sorted : forall x l, sorted l -> sorted (insert x l).\nProof. induction 1"), citation(2, "notes/insertion.md", "Why insertion keeps order", 12, 12, "Linear in the length of the list")],
    sources: [{ title: "Insertion sort", kind: "code", key: "proofs/Sort.v", path: pagePath.object("proofs/Sort.v"), line: "Lemma insert_keeps_sorted : forall x l, sorted l -> sorted (insert x l)." }, { title: "insert_keeps_sorted", kind: "record", key: "CUB-0007", path: pagePath.record("CUB-0007"), line: "forall x l, sorted l -> sorted (insert x l)" }],
    counted: [], receipt: { text: `{"format":"proofshelf-receipt/1"}`, digest: hex(12) },
  } }) },
  { name: "ask-counted", input: input(pagePath.ask, { ...askForm, question: "How many records are verified?", asked: { finding: null, mode: "search", model: null, notice: "Counted from this snapshot.", snapshot: hex(11), answer: "42 of 51 records are verified.", citations: [], counted: [{ value: "42", start: 0, path: "/registry/?verification_state=VERIFIED" }, { value: "51", start: 6, path: pagePath.registry }], sources: [], receipt: null } }) },
  { name: "ask-nothing", input: input(pagePath.ask, { ...askForm, question: "What is the weather?", asked: { finding: null, mode: "search", model: null, notice: "No passage in this library matches the question.", snapshot: hex(11), answer: "Nothing in this library answers this question.", citations: [], counted: [], sources: [], receipt: null } }, "internal") },
  { name: "ask-problem", input: input(pagePath.ask, { ...askForm, question: HOSTILE.script, prefix: "notes/", problem: "This address serves files and search. It asks no model and gives no answers.", elsewhere: `${BASE_URL}/ask/?question=x` }) },
  { name: "ask-hostile", input: input(pagePath.ask, { ...askForm, question: HOSTILE.attribute + HOSTILE.rtl, asked: {
    finding: null, mode: "ai", model: HOSTILE.script, notice: HOSTILE.script + HOSTILE.control, snapshot: hex(11),
    answer: `${HOSTILE.script} [1] ![x](https://evil.example/x.png) [link](${HOSTILE.url}) ${HOSTILE.attribute}${HOSTILE.control}\n\n${HOSTILE.word}${HOSTILE.rtl}${HOSTILE.stamp} [2]`,
    citations: [citation(1, HOSTILE.key, HOSTILE.script, 1, 3, HOSTILE.script + HOSTILE.control + HOSTILE.rtl + HOSTILE.stamp)],
    sources: [{ title: HOSTILE.word, kind: HOSTILE.script, key: HOSTILE.key, path: pagePath.object(HOSTILE.key), line: HOSTILE.long + HOSTILE.rtl }],
    counted: [], receipt: { text: JSON.stringify({ question: HOSTILE.script + HOSTILE.attribute + HOSTILE.stamp }), digest: hex(12) },
  } }) },
  { name: "reference", input: input(pagePath.reference, { page: "reference", version: "2026-08-01", group: null, groups: referenceGroups, operations: [], common: [{ status: "429", description: "Too many requests" }] }) },
  { name: "reference-group", input: input(pagePath.referenceGroup("library"), { page: "reference", version: "2026-08-01", group: "library", groups: referenceGroups, common: [], operations: [
    { method: "GET", path: "/api/list", summary: "Objects and child prefixes directly under a prefix.", description: "Both lists are ascending.", access: "public", parameters: [{ name: "prefix", where: "query", required: false, description: "Empty, or a key that ends in a slash" }], responses: [{ status: "200", description: "ListResponse" }, { status: "400", description: "Unknown parameter" }], example: `curl -s '${BASE_URL}/api/list?prefix=notes/'` },
    { method: "POST", path: "/api/reindex", summary: "Builds a new snapshot.", description: "", access: "token", parameters: [], responses: [{ status: "200", description: "What was done" }, { status: "401", description: "No token" }], example: "" },
  ] }) },
  { name: "agents", input: input(pagePath.agents, { page: "agents", endpoint: `${BASE_URL}/mcp`, versions: ["2026-07-28", "2025-11-25"], resultBytes: 16384, gated: false, tools: [
    { name: "get_cub", title: "One record", description: "One proof record by its id.", twin: "/api/cubs/{id}", arguments: [{ name: "id", type: "string", required: true, description: "Exact CUB id" }], example: `{"id":"CUB-0007"}` },
  ], clients: [{ title: "No client at all", where: "in a shell", text: `curl -s ${BASE_URL}/mcp` }] }) },
  { name: "problems", input: input(pagePath.problems, { page: "problems", problems }) },
  { name: "problem", input: input(pagePath.problem("bad_path"), { page: "problem", problem: problems[1] as ProblemRow }) },
  { name: "rejected", input: input(pagePath.rejected, { page: "rejected", rejected: [{ source: "store", key: HOSTILE.key, reason: "it lies under no collection" }, { source: "registry", key: "CUB-0031", reason: HOSTILE.script }, { source: "store", key: HOSTILE.word, reason: "the key is longer than 1024 bytes" }], withheld: 0, withdrawn: [] }) },
  { name: "rejected-withheld", input: input(pagePath.rejected, { page: "rejected", rejected: [], withheld: 1, withdrawn: [] }) },
  { name: "rejected-withdrawn", input: input(pagePath.rejected, { page: "rejected", rejected: [], withheld: 0, withdrawn: [
    { what: "object", name: HOSTILE.key, reason: "superseded", date: "2026-05-01", note: HOSTILE.script, replacement: "notes/b.md", redacted: true, href: pagePath.object("notes/b.md") },
    { what: "claim", name: HOSTILE.word, reason: "legal", date: "2026-05-02", note: HOSTILE.word, replacement: "https://example.org/order", redacted: false, href: "https://example.org/order" },
    { what: "record", name: "CUB-0007", reason: "error", date: "2026-05-03", note: "Wrong.", replacement: null, redacted: false, href: null },
  ] }) },
  { name: "rejected-none", input: input(pagePath.rejected, { page: "rejected", rejected: [], withheld: 0, withdrawn: [] }) },
  { name: "not-found", input: input(pagePath.notFound, { page: "not-found", detail: null }) },
  { name: "not-found-withdrawn", input: input("/object/x/", { page: "not-found", detail: HOSTILE.script, withdrawn: { what: "object", name: HOSTILE.key, reason: "superseded", date: "2026-05-01", note: HOSTILE.script, replacement: "notes/b.md", redacted: false, href: pagePath.object("notes/b.md") } }) },
  { name: "revisions", input: input(pagePath.revisions(pagePath.object("notes/insertion.md")), { page: "revisions", below: [], what: "object", name: "notes/insertion.md", path: pagePath.object("notes/insertion.md"), more: 3, revisions: [
    { sequence: 12, created: "2026-03-04T05:06:07.000Z", snapshot: hex(11), path: pagePath.at(hex(11), pagePath.object("notes/insertion.md")), sha256: hex(1), size: 4011 },
    { sequence: 9, created: "2026-02-04T05:06:07.000Z", snapshot: hex(12), path: pagePath.at(hex(12), pagePath.object("notes/insertion.md")), sha256: hex(2), size: 3999 },
    { sequence: 4, created: "2026-01-05T05:06:07.000Z", snapshot: hex(13), path: pagePath.at(hex(13), pagePath.object("notes/insertion.md")), sha256: hex(3), size: 3000 },
    { sequence: 1, created: "2026-01-04T05:06:07.000Z", snapshot: hex(14), path: null, sha256: null, size: null },
  ], compared: { from: 9, to: 12, difference: { more: 2, lines: [
    { kind: "left-out", number: 40, pieces: [] },
    { kind: "same", number: 41, pieces: [{ text: "Insertion sort is stable.", marked: false }] },
    { kind: "removed", number: 42, pieces: [{ text: "It is ", marked: false }, { text: "quadratic", marked: true }, { text: ".", marked: false }] },
    { kind: "added", number: 42, pieces: [{ text: "It is ", marked: false }, { text: HOSTILE.script, marked: true }, { text: HOSTILE.word + HOSTILE.control + HOSTILE.rtl, marked: false }] },
  ] } } }) },
  { name: "revisions-hostile", input: input(pagePath.revisions(pagePath.object(HOSTILE.key)), { page: "revisions", below: [{ name: HOSTILE.script, lines: [{ kind: "added", number: 1, pieces: [{ text: HOSTILE.attribute, marked: true }] }] }], what: "object", name: HOSTILE.key, path: pagePath.object(HOSTILE.key), more: 0, revisions: [{ sequence: 1, created: "2026-01-04T05:06:07.000Z", snapshot: hex(14), path: null, sha256: null, size: null }], compared: { from: 1, to: 2, difference: null } }) },
  { name: "gated", input: input("/x/x/", { page: "gated", status: 401, detail: "This route needs a token.", signIn: "https://gateway.example.org/", contact: "library@example.org" }) },
  { name: "gated-refused", input: input("/x/x/", { page: "gated", status: 403, detail: "No.", signIn: null, contact: "https://example.org/ask" }) },
  { name: "gated-hostile", input: input("/x/x/", { page: "gated", status: 503, detail: HOSTILE.script, signIn: HOSTILE.url, contact: HOSTILE.attribute }) },
  { name: "not-found-object", input: input("/object/x/", { page: "not-found", detail: `No object has the key ${HOSTILE.script}.` }) },
];

/** IMAGE_FIXTURE_PATH is the bytes path that the image fixture shows. */
export const IMAGE_FIXTURE_PATH = objectPath("proofs/figures/tree.png");

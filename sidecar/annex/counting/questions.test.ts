/** Over a hundred questions about the demo's registry, claims and catalog, in many wordings, fifty of them traps. What is right is counted here
 *  from the demo's own files. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { z } from "zod";
import { sha256 } from "../../../snapshots/digest.ts";
import type { ViewData } from "../../../snapshots/format/view-data.ts";
import { claimStandings } from "../../../snapshots/format/claim-standing.ts";
import { claimsPage } from "../../../snapshots/page/library-pages.ts";
import { registryPage } from "../../../snapshots/page/registry-pages.ts";
import { parseCubQuery } from "../../../snapshots/query/cubs.ts";
import { ClaimsRegistry } from "../../../snapshots/schema/claims.ts";
import { CUB_FACETS } from "../../../snapshots/schema/cub-facets.ts";
import { CubRecord, RegistryMeta } from "../../../snapshots/schema/cubs.ts";
import type { ObjectKind } from "../../../snapshots/schema/kinds.ts";
import { openDirectoryShelf } from "../../../snapshots/shelf/shelf-directory.ts";
import type { Counted } from "../../ask/counted.ts";
import { answerCounted } from "./answer-counted.ts";

const demo = fileURLToPath(new URL("../../../generator/demo/", import.meta.url));
const registry = z
  .object({ cubs: z.array(CubRecord), meta: RegistryMeta })
  .parse(JSON.parse(readFileSync(join(demo, "registry.json"), "utf8")));
const { cubs } = registry;
const claims = ClaimsRegistry.parse(load(readFileSync(join(demo, "claims.yaml"), "utf8")));
const { collections } = z
  .object({
    collections: z.array(
      z.object({ id: z.string(), title: z.string(), prefix: z.string(), visibility: z.enum(["public", "email-gated"]) }),
    ),
  })
  .parse(load(readFileSync(join(demo, "proofshelf.yaml"), "utf8")));
const shown = collections.filter(({ visibility }) => visibility === "public");
const KINDS: Readonly<Record<string, ObjectKind>> = {
  ".md": "markdown",
  ".pdf": "pdf",
  ".csv": "csv",
  ".v": "code",
  ".lean": "code",
  ".rs": "code",
};
const objects = readdirSync(join(demo, "library"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(join(demo, "library"), join(entry.parentPath, entry.name)))
  .filter((key) => shown.some(({ prefix }) => key.startsWith(prefix)))
  .sort((a, b) => (a < b ? -1 : 1))
  .map((key) => {
    const bytes = readFileSync(join(demo, "library", key));
    const kind = KINDS[extname(key)] ?? "text";
    return { key, title: key, summary: "", kind, media_type: "", size: bytes.length, sha256: sha256(bytes), uploaded: null };
  });
/** A file as it is pinned. */
const HELD = { role: "proof", system: "", size: 1, media_type: "", gated: true, available: true, state: "holds", href: "" } as const;
const data: ViewData = {
  library: {
    title: "Demo",
    summary: "",
    view: "public",
    base_url: "",
    registry_url: "",
    registry: "read",
    claims: "read",
    generator: "",
    collections: shown.map((collection) => ({ ...collection, summary: "" })),
    collection_counts: { public: shown.length, email_gated: collections.length - shown.length },
    notes: [],
  },
  objects,
  claims,
  cubs: cubs.map((one) => ({ ...one, evidence_state: "holds" as const })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  meta: registry.meta,
  code: new Map(
    cubs.map(({ id, repo, file_shas: digests }) => {
      const files = Object.entries(digests).map(([path, digest]) => ({ ...HELD, path, sha256: digest }));
      return [id, { id, repo, head: registry.meta.sources[repo]?.head ?? "", files }];
    }),
  ),
  rejected: [{ source: "store", key: "unshelved.md", reason: "no collection" }],
  withheld: 0,
};
const record = { sequence: 7, snapshot: "0".repeat(64), created: "2026-08-01T00:00:00.000Z", previous: null, inputs: {} };
const snapshot = { data: () => Promise.resolve(data), record, shelf: openDirectoryShelf(join(tmpdir(), "no-such-shelf")) };

const n = (holds: (record: CubRecord) => boolean): number => cubs.filter(holds).length;
const all = cubs.length;
const inRepo = (repo: string) => (record: CubRecord) => record.repo === repo;
const verified = (record: CubRecord): boolean => record.verification_state === "VERIFIED";
const runtime = (record: CubRecord): boolean => record.invocation === "runtime";
const used = (record: CubRecord): boolean => record.production_consumption !== "NOT-RUNTIME-CONSUMED";
const theorem = (record: CubRecord): boolean => record.kind === "Theorem";
const c = (state: string): number =>
  claims.claims.filter((claim) => claimStandings(data)(claim).state.replace(/_\w+$/, "") === state).length;
const o = (holds: (key: string) => boolean): number => objects.filter(({ key }) => holds(key)).length;
const under = (prefix: string): number => o((key) => key.startsWith(prefix));

/** The numbers that an answer says first, in order; more may follow. */
const RIGHT: readonly (readonly [question: string, numbers: readonly number[], words?: RegExp])[] = [
  ["How many records are there?", [all]],
  ["How many CUBs does the registry have?", [all]],
  ["number of records", [all]],
  ["Count the records", [all]],
  ["What is the total number of records in the registry?", [all]],
  ["How many records are verified?", [n(verified), all]],
  ["how many of the records have been verified", [n(verified), all]],
  ["How many records are proved?", [n(verified), all]],
  ["Tell me how many verified records there are.", [n(verified), all]],
  ["How many records are not verified?", [n((r) => !verified(r)), all]],
  ["How many unverified records are there?", [n((r) => !verified(r)), all]],
  ["How many records are NOT_VERIFIED?", [n((r) => r.verification_state === "NOT_VERIFIED"), all]],
  ["How many records aren't verified?", [n((r) => !verified(r)), all]],
  ["How many records are unspecified?", [n((r) => r.verification_state === "UNSPECIFIED"), all]],
  ["Which records are not verified?", [n((r) => !verified(r)), all], /sum_of_cubes \(CUB-0048\)/],
  ["Which records run in production?", [n(used), all], /insert_keeps_sorted/],
  ["List the records used in production", [n(used), all]],
  ["How many records are not used in production?", [n((r) => !used(r)), all]],
  ["How many records are called at run time?", [n(runtime), all]],
  ["How many records are called at runtime?", [n(runtime), all]],
  ["how many runtime records?", [n(runtime), all]],
  ["How many records are never called at run time?", [n((r) => !runtime(r)), all]],
  ["How many verified records are called at run time?", [n((r) => verified(r) && runtime(r)), all]],
  ["How many records are verified but not called at run time?", [n((r) => verified(r) && !runtime(r)), all]],
  ["How many records are verified, and how many are called at run time?", [n(verified), all, n(runtime), all]],
  ["How many records are dead?", [n((r) => r.invocation === "dead"), all]],
  ["Show me the dead records", [n((r) => r.invocation === "dead"), all], /distance_sym/],
  ["Are there any dead records?", [n((r) => r.invocation === "dead"), all], /^Yes/],
  ["How many records are unwired?", [n((r) => r.invocation === "unwired"), all]],
  ["How many records are dead or unwired?", [n((r) => ["dead", "unwired"].includes(r.invocation)), all]],
  ["How many test-only records are there?", [n((r) => r.invocation === "test-only"), all]],
  ["How many records are deployable?", [n((r) => r.deployable), all]],
  ["How many records are not deployable?", [n((r) => !r.deployable), all]],
  ["Which records are neither verified nor deployable?", [n((r) => !verified(r) && !r.deployable), all]],
  ["How many theorems are there?", [n(theorem), all]],
  ["How many lemmas?", [n((r) => r.kind === "Lemma"), all]],
  ["How many corollaries are in the registry?", [n((r) => r.kind === "Corollary"), all]],
  ["How many definitions are there?", [n((r) => r.kind === "Definition"), all]],
  ["How many theorems are verified?", [n((r) => theorem(r) && verified(r)), all]],
  ["Which theorems are not verified?", [n((r) => theorem(r) && !verified(r)), all]],
  ["How many records are in sorted-lists?", [n(inRepo("sorted-lists")), all]],
  ["How many records come from the repository digest-trees?", []],
  ["How many verified records are in the repository digest-trees?", [n((r) => inRepo("digest-trees")(r) && verified(r)), all]],
  ["How many records are in sorted-lists or digest-trees?", [n((r) => ["sorted-lists", "digest-trees"].includes(r.repo)), all]],
  ["How many records are not in sorted-lists?", [n((r) => !inRepo("sorted-lists")(r)), all]],
  ["How many records are there except those in sorted-lists?", [n((r) => !inRepo("sorted-lists")(r)), all]],
  ["List all records except those in sorted-lists and digest-trees", [n(inRepo("small-numbers")), all]],
  ["How many theorems in small-numbers are not verified?", [n((r) => inRepo("small-numbers")(r) && theorem(r) && !verified(r)), all]],
  ["How many records are in the crate sorted-lists?", [n((r) => r.crate === "sorted-lists"), all]],
  ["How many records have tier 2?", [n((r) => r.tier === "2"), all]],
  ["How many records of the lane model are deployable?", [n((r) => r.lane === "model" && r.deployable), all]],
  ["How many records have the use case crypto?", [n((r) => r.use_cases.includes("crypto")), all]],
  ["How many records are used for sorting?", [n((r) => r.use_cases.includes("sorting")), all]],
  ["How many records are written in Coq and Lean?", [n((r) => r.formal_systems === "Coq+Lean"), all]],
  ["How many records are FUNCTION-IMPL?", [n((r) => r.wiring === "FUNCTION-IMPL"), all]],
  ["How many records have holes?", [n((r) => !r.no_holes), all]],
  ["How many records are free of holes?", [n((r) => r.no_holes), all]],
  ["What percentage of the records is verified?", [n(verified), all], /82\.4 %/],
  ["What share of verified records are deployable?", [n((r) => verified(r) && r.deployable), n(verified)]],
  ["Are all records verified?", [n(verified), all], /^No/],
  [
    "Are all theorems in sorted-lists verified?",
    [n((r) => inRepo("sorted-lists")(r) && theorem(r) && verified(r)), n((r) => inRepo("sorted-lists")(r) && theorem(r))],
  ],
  ["Are there more runtime records than unwired records?", [n(runtime), n((r) => r.invocation === "unwired")]],
  ["Which repository has the most records?", [n(inRepo("sorted-lists"))], /sorted-lists/],
  ["Which repo has the most verified records?", [16], /sorted-lists/],
  ["How many records per repository?", [3, all, 18, 17, 16]],
  ["Which repositories are there?", [3, all]],
  ["How many crates are there?", [3, all]],
  ["Is CUB-0004 verified?", [], /^Yes: CUB-0004 is verified/],
  ["Is CUB-0048 verified?", [], /^No: CUB-0048 is not verified/],
  ["What is the crate of CUB-0004?", [], /crate of CUB-0004 is sorted-lists/],
  ["How many claims are there?", [claims.claims.length]],
  ["How many claims are verified?", [c("verified"), claims.claims.length]],
  ["Which claims are partial?", [c("partial"), claims.claims.length], /rechecking-is-quick/],
  ["How many claims are not verified?", [c("scoped") + c("partial"), claims.claims.length]],
  ["Which claims are neither partial nor scoped?", [c("verified"), claims.claims.length]],
  ["How many objects are in the library?", [objects.length]],
  ["How many PDF files are there?", [o((key) => key.endsWith(".pdf")), objects.length]],
  ["How many files are in the collection Notes?", [under("notes/"), objects.length]],
  ["How many objects does each collection hold?", [shown.length, objects.length]],
  ["Which collection holds the most objects?", [under("proofs/")], /proofs/],
  ["How many collections are email-gated?", [collections.length - shown.length, collections.length]],

  // How far an exception reaches.
  ["How many records excluding small-numbers are deployable?", [n((r) => !inRepo("small-numbers")(r) && r.deployable), all]],
  ["How many records excluding small-numbers that are deployable?", [n((r) => !inRepo("small-numbers")(r) && r.deployable), all]],
  ["Excluding small-numbers, how many records are verified?", [n((r) => !inRepo("small-numbers")(r) && verified(r)), all]],
  ["Which records apart from those in sorted-lists are deployable?", [n((r) => !inRepo("sorted-lists")(r) && r.deployable), all]],
  ["How many records except theorems are verified?", [n((r) => !theorem(r) && verified(r)), all]],
  ["How many records, except theorems, are called at run time?", [n((r) => !theorem(r) && runtime(r)), all]],
  ["How many records outside digest-trees run in production?", [n((r) => !inRepo("digest-trees")(r) && used(r)), all]],
  ["How many records outside of tier 2 are deployable?", [n((r) => r.tier !== "2" && r.deployable), all]],
  ["How many records besides lemmas are dead?", [n((r) => r.kind !== "Lemma" && r.invocation === "dead"), all]],
  ["Besides theorems, how many records are dead?", [n((r) => !theorem(r) && r.invocation === "dead"), all]],
  ["How many records but not theorems are deployable?", [n((r) => !theorem(r) && r.deployable), all]],
  ["How many theorems besides the verified ones are there?", [n((r) => theorem(r) && !verified(r)), all]],
  ["List every record except the verified ones", [n((r) => !verified(r)), all]],
  ["Not counting lemmas, how many records are deployable?", [n((r) => r.kind !== "Lemma" && r.deployable), all]],
  [
    "What percentage of records outside sorted-lists is verified?",
    [n((r) => !inRepo("sorted-lists")(r) && verified(r)), n((r) => !inRepo("sorted-lists")(r))],
  ],
  ["What percentage of records except theorems is deployable?", [n((r) => !theorem(r) && r.deployable), n((r) => !theorem(r))]],
  [
    "Is every theorem except those in small-numbers verified?",
    [n((r) => theorem(r) && !inRepo("small-numbers")(r) && verified(r)), n((r) => theorem(r) && !inRepo("small-numbers")(r))],
    /^Yes/,
  ],
  [
    "Are all records outside small-numbers verified?",
    [n((r) => !inRepo("small-numbers")(r) && verified(r)), n((r) => !inRepo("small-numbers")(r))],
    /^No/,
  ],
  [
    "Are all records except definitions verified?",
    [n((r) => r.kind !== "Definition" && verified(r)), n((r) => r.kind !== "Definition")],
    /^No/,
  ],
  ["Are any records outside sorted-lists deployable?", [n((r) => !inRepo("sorted-lists")(r) && r.deployable), all], /^Yes/],
  ["Are all records that are verified deployable?", [n((r) => verified(r) && r.deployable), n(verified)], /^No/],
  [
    "How many records are neither verified nor dead but deployable?",
    [n((r) => !verified(r) && r.invocation !== "dead" && r.deployable), all],
  ],
  [
    "How many theorems do not run in production and are not unwired?",
    [n((r) => theorem(r) && !used(r) && r.invocation !== "unwired"), all],
  ],
  ["How many records without a crate are verified?", [n((r) => r.crate === "" && verified(r)), all]],
  ["How many verified records have no crate?", [n((r) => r.crate === "" && verified(r)), all]],
  ["How many records have a crate?", [n((r) => r.crate !== ""), all]],

  // Comparisons: what is said of both sides holds of both.
  ["Are there more deployable records in sorted-lists than in small-numbers?", [9, 3], /^Yes/],
  ["Does digest-trees have more verified records than small-numbers?", [14, 12], /^Yes/],
  ["Are more records verified in sorted-lists than in digest-trees?", [16, 14], /^Yes/],
  ["Are there more verified theorems in sorted-lists than in digest-trees?", [13, 10], /^Yes/],
  ["Has small-numbers fewer dead records than digest-trees?", [2, 2], /^No/],
  ["Are there more verified than unverified records in small-numbers?", [12, 5], /^Yes/],
  ["Are there more PDFs than CSV files?", [o((key) => key.endsWith(".pdf")), o((key) => key.endsWith(".csv"))], /^No/],
  ["Are there more PDFs in papers than in data?", [o((key) => /^papers\/.*pdf$/.test(key)), o((key) => /^data\/.*pdf$/.test(key))], /^Yes/],
  ["Are there as many lemmas as corollaries?", [4, 4], /^Yes/],
  ["How many more theorems than lemmas are there?", [n(theorem), 4], /34/],
  ["Which has more records, sorted-lists or digest-trees?", [18, 16]],

  ["How many records are dead, unwired or test-only?", [n((r) => r.invocation !== "runtime"), all]],
  [
    "How many of the theorems in sorted-lists are verified and how many of those are deployable?",
    [
      n((r) => theorem(r) && inRepo("sorted-lists")(r) && verified(r)),
      all,
      n((r) => theorem(r) && inRepo("sorted-lists")(r) && verified(r) && r.deployable),
      all,
    ],
  ],
  // Elliptic questions, thresholds, several values, what the question before counted.
  ["records not verified", [n((r) => !verified(r)), all]],
  ["unwired records in small-numbers", [n((r) => inRepo("small-numbers")(r) && r.invocation === "unwired"), all]],
  ["Isn't CUB-0004 verified?", [], /^Yes: CUB-0004 is verified/],
  ["How many records of tier 1 or 2 are there?", [n((r) => r.tier !== "3"), all]],
  ["Show me all records whose wiring is DOC-REFERENCE", [n((r) => r.wiring === "DOC-REFERENCE"), all]],
  ["How many repositories does the registry cover?", [3, all]],
  ["How many different use cases are there?", [8, all]],
  ["How many repositories have more than 16 records?", [18, 17], /^2 repositories have 17 or more records/],
  ["Are more than 40 records verified?", [n(verified), all], /^Yes/],
  ["Are fewer than 10 records deployable?", [16, all], /^No/],
  [
    "How many runtime records are in digest-trees and how many of them are verified?",
    [n((r) => runtime(r) && inRepo("digest-trees")(r)), all, n((r) => runtime(r) && inRepo("digest-trees")(r) && verified(r)), all],
  ],
];

/** A number for one of these would be a guess. */
const TRAPS: readonly string[] = [
  "How many records were verified in 2019?",
  "How many records are verified by humans?",
  "How many records are almost verified?",
  "How many records were verified yesterday?",
  "How many drafts are there?",
  "How many records are in the repository dark-matter?",
  "How many false claims does the library make?",
  "How many comparisons does insertion sort need?",
  "How many records have at least 3 files?",
  "How many records are verified or deployable?",
  "How many records are not both verified and deployable?",
  "How many verified records are about trees?",
  "How many people use the library?",
  "How many records did Alice prove?",
  "How many sorted lists are there in a permutation?",
  "Are most records verified?",
  "How many records will be verified next year?",
  "How many records are verified twice?",
  "How many hex digits does a digest have?",
  "How many records are verified on average per day?",
  "How many records are verified in Lean?",
  "Is CUB-0003 verified by Isabelle?",
  "Who verified CUB-0003?",
  "How many records have you verified?",
  "How many of my records are verified?",
  "How many claims hold?",
  "How many records run?",
  "In how many repositories are all records verified?",
  "How many records does repository coq have?",
  "Which repositories are verified?",
  "Which repositories have no verified records?",
  "Is no record dead?",
  "Are all records not verified?",
  "Are most objects PDFs?",
  "How many records are not verified and deployable?",
  "How many records are not verified or not deployable?",
  "How many records are not verified theorems?",
  "How many records are there except verified ones in sorted-lists?",
  "How many records except those in sorted-lists that are verified?",
  "List all records but theorems",
  "How many records are verified except theorems that are deployable?",
  "How many records have both the use case crypto and the use case search?",
  "Are there more records in sorted-lists than theorems?",
  "Are there more claims than records?",
  "What percentage of records is verified in sorted-lists?",
  "How many records lack verification?",
  "How many records were published?",
  "How many records have more than 3 holes?",
  "How many records are verified, dead or unwired?",
  "How many records are verified and dead or unwired?",
  "How many records are dead or unwired and verified?",
  "Are there more verified theorems than dead lemmas?",
  "How many theorems that are called at run time and deployable are verified or dead?",
  "Is every lemma not verified dead and deployable?",
  "How many records are dead or verified or unwired?",
];

const count = (question: string, prefix = "", of = snapshot): Promise<Counted | null> =>
  answerCounted(question, { prefix, snapshot: of, standsNowhere: () => Promise.resolve(() => false) });

const said = async (question: string, prefix = "", of = snapshot) => {
  const facts = (await count(question, prefix, of))?.facts ?? [];
  const parts = facts.flatMap((fact) => fact.parts);
  const figures = parts.flatMap((part) => (typeof part === "object" && "value" in part && /^\d+$/.test(part.value) ? [part] : []));
  const text = parts.map((part) => (typeof part === "string" ? part : "value" in part ? part.value : part.name)).join("");
  return { facts, figures, text };
};

test("what rests on an axiom is listed, and what a record rests on; that nobody asked is said", async () => {
  const CLASSIC = "Coq.Logic.Classical_Prop.classic";
  const [first, second, third, ...rest] = data.cubs;
  const open = rest[0]?.theorem_name ?? "";
  assert.ok(first !== undefined && second !== undefined && third !== undefined && open !== "");
  const { axioms: _, ...unasked } = third;
  const asked: ViewData = {
    ...data,
    cubs: [
      { ...first, axioms: [CLASSIC, "L.choice"] },
      { ...second, axioms: [CLASSIC, `Lib.${open}`] },
      unasked,
      ...rest.map((one) => ({ ...one, axioms: [] })),
    ],
  };
  const said = async (question: string): Promise<string | null> => {
    const counted = await answerCounted(question, {
      prefix: "",
      snapshot: { ...snapshot, data: () => Promise.resolve(asked) },
      standsNowhere: () => Promise.resolve(() => false),
    });
    return counted === null
      ? null
      : counted.facts
          .map(({ parts }) => parts.map((part) => (typeof part === "string" ? part : "name" in part ? part.name : part.value)).join(""))
          .join(" ");
  };
  for (const question of [
    "What rests on classic?",
    "Which records rest on classic?",
    `What depends on ${CLASSIC}?`,
    "List the records that rest on classic",
  ])
    assert.match(
      (await said(question)) ?? "null",
      new RegExp(`^2 of ${all} records are resting on ${CLASSIC}: .*${first.id}.*${second.id}`),
      question,
    );
  assert.match((await said("How many records rest on choice?")) ?? "null", /^1 of /);
  assert.equal(await said(`What does ${first.id} rest on?`), `${first.id} rests on 2 axioms: ${CLASSIC} (2 records), L.choice (1 record).`);
  assert.equal(await said(`What does ${third.id} rest on?`), `Nobody has asked a prover what ${third.id} rests on.`);
  assert.equal(await said(`What does ${rest[0]?.id ?? ""} rest on?`), `${rest[0]?.id ?? ""} rests on no axiom.`);
  assert.match((await said(`Does ${first.id} rest on choice?`)) ?? "null", /^Yes/);
  assert.match((await said(`Does ${second.id} rest on choice?`)) ?? "null", /^No/);
  // The name of an open proof is that of a record, and of an axiom.
  assert.match((await said(`What rests on ${open}?`)) ?? "null", new RegExp(`^1 of ${all} .*${second.id}`));
  assert.match((await said(`What does ${open} rest on?`)) ?? "null", / rests on no axiom\.$/);
  // Nothing of this name is an axiom here: it is searched.
  assert.equal(await said("What rests on the seventh seal?"), null);
});

test("questions about registry, claims and catalog are counted right, in whatever wording", async (t) => {
  const unread: string[] = [];
  for (const [question, numbers, words] of RIGHT) {
    const { facts, figures, text } = await said(question);
    if (facts.length === 0) unread.push(question);
    assert.deepEqual(
      facts.length === 0 ? [] : figures.slice(0, numbers.length).map(({ value }) => Number(value)),
      facts.length === 0 ? [] : numbers,
      `${question} ${text}`,
    );
    if (words !== undefined) assert.match(text, words, question);
  }
  t.diagnostic(`not understood, of ${RIGHT.length}: ${unread.join(" ")}`);
  assert.ok(unread.length <= 0.03 * RIGHT.length, `${unread.length} of ${RIGHT.length} were not understood`);
});

test("no number is guessed for a question that is not understood whole", async () => {
  for (const question of TRAPS) assert.deepEqual((await said(question)).facts, [], question);
  assert.equal(RIGHT.length + TRAPS.length >= 100, true);
});

/** Questions put together of parts, each with what it is true of. */
function* composed(): Generator<readonly [question: string, base: (r: CubRecord) => boolean, asked: (r: CubRecord) => boolean]> {
  const nouns = [
    ["records", () => true],
    ["theorems", theorem],
    ["lemmas", (r: CubRecord) => r.kind === "Lemma"],
  ] as const;
  const states = [
    ["verified", verified],
    ["deployable", (r: CubRecord) => r.deployable],
    ["unwired", (r: CubRecord) => r.invocation === "unwired"],
    ["free of holes", (r: CubRecord) => r.no_holes],
  ] as const;
  const places = ["sorted-lists", "digest-trees", "small-numbers"];
  const narrowings: (readonly [string, (r: CubRecord) => boolean])[] = [["", () => true]];
  for (const place of places) {
    narrowings.push(
      [` in ${place}`, inRepo(place)],
      [` not in ${place}`, (r) => !inRepo(place)(r)],
      [` outside ${place}`, (r) => !inRepo(place)(r)],
    );
    narrowings.push([` except those in ${place}`, (r) => !inRepo(place)(r)], [` besides the ones in ${place}`, (r) => !inRepo(place)(r)]);
  }
  for (const [state, holds] of states) {
    narrowings.push(
      [` that are ${state}`, holds],
      [` that are not ${state}`, (r) => !holds(r)],
      [` other than the ${state} ones`, (r) => !holds(r)],
    );
    narrowings.push([` except ${state} ones`, (r) => !holds(r)]);
  }
  for (const [noun, is] of nouns)
    for (const [adjective, has] of [["", () => true] as const, ...states.slice(0, -1)])
      for (const [narrowing, within] of narrowings)
        for (const [state, holds] of states) {
          // What is said twice is not asked.
          if (adjective === state || narrowing.includes(` ${state}`) || (adjective !== "" && narrowing.includes(` ${adjective}`))) continue;
          const base = (r: CubRecord): boolean => is(r) && has(r) && within(r);
          const subject = `${adjective} ${noun}${narrowing}`.trim();
          yield [`How many ${subject} are ${state}?`, () => true, (r) => base(r) && holds(r)];
          yield [`How many ${subject} are not ${state}?`, () => true, (r) => base(r) && !holds(r)];
          yield [`Which ${subject} are ${state}?`, () => true, (r) => base(r) && holds(r)];
          yield [`What share of ${subject} is ${state}?`, base, holds];
          yield [`Are all ${subject} ${state}?`, base, holds];
        }
}

test("whatever a question is put together of, its number is right or there is none", async (t) => {
  let understood = 0;
  let asked = 0;
  for (const [question, base, holds] of composed()) {
    asked++;
    const { figures, text } = await said(question);
    if (figures.length === 0) continue;
    understood++;
    const right = [n((r) => base(r) && holds(r)), n(base)];
    assert.deepEqual(
      figures.slice(0, 2).map(({ value }) => Number(value)),
      right,
      `${question} ${text}`,
    );
  }
  t.diagnostic(`${understood} of ${asked} were understood`);
  assert.ok(understood >= 0.9 * asked, `${understood} of ${asked} were understood`);
});

test("each number is the length of the list that it leads to", async () => {
  for (const [question] of RIGHT) {
    for (const { value, path } of (await said(question)).figures) {
      const { pathname, searchParams } = new URL(path, "http://library");
      if (pathname === "/registry/") {
        const { matching, facets } = registryPage(data, parseCubQuery(searchParams, CUB_FACETS));
        const distinct = facets.map(({ values }) => values.filter((one) => one.value !== "").length);
        assert.ok(matching === Number(value) || distinct.includes(Number(value)), `${question} ${path}`);
      } else if (pathname === "/claims/") {
        const statuses = searchParams.getAll("standing");
        assert.equal(claimsPage(data, statuses.length === 0 ? null : statuses).claims.length, Number(value), `${question} ${path}`);
      }
    }
  }
});

test("what is asked beside a count is left over, and what may narrow the count is not", async () => {
  const asked = "How many records are verified, and why does a digest need a canonical form?";
  const counted = await count(asked);
  assert.deepEqual([counted?.facts.length, counted?.rest], [1, "why does a digest need a canonical form?"]);
  assert.equal((await count("What is a Merkle tree? How many records are there?"))?.rest, "What is a Merkle tree?");
  for (const narrowed of [
    "How many records are verified? Only those that Alice wrote.",
    "How many records are verified and how many by Alice?",
  ])
    assert.equal(await count(narrowed), null);
});

test("a prefix restricts what is counted, and records have no key", async () => {
  assert.match((await said("How many objects are there?", "notes/")).text, new RegExp(`^${under("notes/")} objects`));
  assert.deepEqual((await said("How many records are there?", "notes/")).facts, []);
});

test("a name of this library that is a word of the question is not taken for the word", async () => {
  const repos: Readonly<Record<string, string>> = { "sorted-lists": "dead", "small-numbers": "verified", "digest-trees": "runtime" };
  const renamed = {
    ...data,
    cubs: data.cubs.map((record) => ({ ...record, repo: repos[record.repo] ?? "", kind: record.kind === "Lemma" ? "State" : record.kind })),
    library: {
      ...data.library,
      collections: data.library.collections.map((one) => (one.id === "notes" ? { ...one, id: "library", title: "Library" } : one)),
    },
  };
  const of = { ...snapshot, data: () => Promise.resolve(renamed) };
  for (const [question, ...figures] of [
    ["How many records are dead?", n(({ invocation }) => invocation === "dead"), all],
    ["Are all records verified?", n(verified), all],
    ["How many dead records are verified?", n((r) => verified(r) && r.invocation === "dead"), all],
    ["How many verified records are in the repository dead?", n((r) => verified(r) && r.repo === "sorted-lists"), all],
    ["How many records are in the runtime repository?", n(inRepo("digest-trees")), all],
    ["How many records are in dead?"],
    ["How many records does dead have?"],
    ["How many records outside runtime?"],
    ["records not in verified"],
    ["How many records from verified are dead?"],
    ["Are all records in dead verified?"],
    ["Are there more records in dead than in verified?"],
    ["Is CUB-0003 in runtime?"],
    ["How many states are there?"],
    ["How many files are in the library?"],
    ["How many files are in the collection library?"],
  ] as const) {
    const { figures: told, text } = await said(question, "", of);
    assert.deepEqual(
      told.map(({ value }) => Number(value)),
      figures,
      `${question}: ${text}`,
    );
  }
});

test("what could not be read is said, and is not the number 0", async () => {
  for (const [state, words] of [
    ["none", /has no registry/],
    ["failed", /could not be read/],
  ] as const) {
    const broken = { ...data, cubs: [], meta: null, library: { ...data.library, registry: state } };
    const { text } = await said("How many records are verified?", "", { ...snapshot, data: () => Promise.resolve(broken) });
    assert.match(text, words);
  }
});

/** Questions about the demo's registry, claims and catalog: those of the one form that is counted, and those that are searched. What is right is
 *  counted here from the demo's own files. */
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
import { CubRecord, RegistryMeta } from "../../../snapshots/schema/cubs.ts";
import type { ObjectKind } from "../../../snapshots/schema/kinds.ts";
import { openDirectoryShelf } from "../../../snapshots/shelf/shelf-directory.ts";
import { counting } from "./answer-counted.ts";

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

/** COUNTED are the questions of the form, each with the numbers that its answer says: how many, and of how many. */
const COUNTED: readonly (readonly [question: string, numbers: readonly number[], words?: RegExp])[] = [
  ["How many records are there?", [all]],
  ["number of records", [all]],
  ["Count the records", [all]],
  ["How many records are verified?", [n(verified), all]],
  ["how many of the records have been verified", [n(verified), all]],
  ["How many records are proved?", [n(verified), all]],
  ["How many records are not verified?", [n((r) => !verified(r)), all]],
  ["How many unverified records are there?", [n((r) => !verified(r)), all]],
  ["How many records are NOT_VERIFIED?", [n((r) => r.verification_state === "NOT_VERIFIED"), all]],
  ["How many records aren't verified?", [n((r) => !verified(r)), all]],
  ["How many records are unspecified?", [0, all]],
  ["How many records are defined?", [n((r) => r.status === "DEFINED"), all]],
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
  ["How many records are dead?", [n((r) => r.invocation === "dead"), all]],
  ["Show me the dead records", [n((r) => r.invocation === "dead"), all], /distance_sym/],
  ["How many records are unwired?", [n((r) => r.invocation === "unwired"), all]],
  ["How many test-only records are there?", [n((r) => r.invocation === "test-only"), all]],
  ["How many records are deployable?", [n((r) => r.deployable), all]],
  ["How many records are not deployable?", [n((r) => !r.deployable), all]],
  ["How many theorems are there?", [n(theorem), all]],
  ["How many lemmas?", [n((r) => r.kind === "Lemma"), all]],
  ["How many corollaries are in the registry?", [n((r) => r.kind === "Corollary"), all]],
  ["How many definitions are there?", [n((r) => r.kind === "Definition"), all]],
  ["How many theorems are verified?", [n((r) => theorem(r) && verified(r)), all]],
  ["Which theorems are not verified?", [n((r) => theorem(r) && !verified(r)), all]],
  ["How many records are in sorted-lists?", [n(inRepo("sorted-lists")), all]],
  ["How many records come from the repository digest-trees?", [n(inRepo("digest-trees")), all]],
  ["How many verified records are in the repository digest-trees?", [n((r) => inRepo("digest-trees")(r) && verified(r)), all]],
  ["How many records are not in sorted-lists?", [n((r) => !inRepo("sorted-lists")(r)), all]],
  ["How many theorems in small-numbers are not verified?", [n((r) => inRepo("small-numbers")(r) && theorem(r) && !verified(r)), all]],
  ["How many records are FUNCTION-IMPL?", [n((r) => r.wiring === "FUNCTION-IMPL"), all]],
  ["How many records have holes?", [n((r) => !r.no_holes), all]],
  ["Which proofs have holes?", [n((r) => !r.no_holes), all]],
  ["Which records are admitted?", [n((r) => !r.no_holes), all]],
  ["How many records are free of holes?", [n((r) => r.no_holes), all]],
  ["How many claims are there?", [claims.claims.length]],
  ["How many claims are verified?", [c("verified"), claims.claims.length]],
  ["Which claims are partial?", [c("partial"), claims.claims.length], /rechecking-is-quick/],
  ["How many claims are not verified?", [c("scoped") + c("partial"), claims.claims.length]],
  ["How many objects are in the library?", [objects.length]],
  ["How many PDF files are there?", [o((key) => key.endsWith(".pdf")), objects.length]],
  ["How many files are in the collection Notes?", [under("notes/"), objects.length]],
  [
    "How many theorems do not run in production and are not unwired?",
    [n((r) => theorem(r) && !used(r) && r.invocation !== "unwired"), all],
  ],
];

/** SEARCHED are questions of which a number would be a guess, or which ask for more than one set. */
const SEARCHED: readonly string[] = [
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
  // Values that are told by the name of their facet alone: the registry's filters have them.
  "How many records are in the crate sorted-lists?",
  "How many records have tier 2?",
  "How many records of the lane model are deployable?",
  "How many records have the use case crypto?",
  "How many records are used for sorting?",
  // Forms that an address cannot say.
  "How many CUBs does the registry have?",
  "What is the total number of records in the registry?",
  "Tell me how many verified records there are.",
  "How many records are verified, and how many are called at run time?",
  "Are there any dead records?",
  "How many records are dead or unwired?",
  "Which records are neither verified nor deployable?",
  "How many records are in sorted-lists or digest-trees?",
  "How many records are there except those in sorted-lists?",
  "List all records except those in sorted-lists and digest-trees",
  "How many records are written in Coq and Lean?",
  "What percentage of the records is verified?",
  "What share of verified records are deployable?",
  "Are all records verified?",
  "Are all theorems in sorted-lists verified?",
  "Are there more runtime records than unwired records?",
  "Which repository has the most records?",
  "Which repo has the most verified records?",
  "How many records per repository?",
  "Which repositories are there?",
  "How many crates are there?",
  "Is CUB-0004 verified?",
  "Is CUB-0048 verified?",
  "What is the crate of CUB-0004?",
  "Which claims are neither partial nor scoped?",
  "How many objects does each collection hold?",
  "Which collection holds the most objects?",
  "How many collections are email-gated?",
  "How many records excluding small-numbers are deployable?",
  "How many records excluding small-numbers that are deployable?",
  "Excluding small-numbers, how many records are verified?",
  "Which records apart from those in sorted-lists are deployable?",
  "How many records except theorems are verified?",
  "How many records, except theorems, are called at run time?",
  "How many records outside digest-trees run in production?",
  "How many records outside of tier 2 are deployable?",
  "How many records besides lemmas are dead?",
  "Besides theorems, how many records are dead?",
  "How many records but not theorems are deployable?",
  "How many theorems besides the verified ones are there?",
  "List every record except the verified ones",
  "Not counting lemmas, how many records are deployable?",
  "What percentage of records outside sorted-lists is verified?",
  "What percentage of records except theorems is deployable?",
  "Is every theorem except those in small-numbers verified?",
  "Are all records outside small-numbers verified?",
  "Are all records except definitions verified?",
  "Are any records outside sorted-lists deployable?",
  "Are all records that are verified deployable?",
  "How many records are neither verified nor dead but deployable?",
  "How many records without a crate are verified?",
  "How many verified records have no crate?",
  "How many records have a crate?",
  "Are there more deployable records in sorted-lists than in small-numbers?",
  "Does digest-trees have more verified records than small-numbers?",
  "Are more records verified in sorted-lists than in digest-trees?",
  "Are there more verified theorems in sorted-lists than in digest-trees?",
  "Has small-numbers fewer dead records than digest-trees?",
  "Are there more verified than unverified records in small-numbers?",
  "Are there more PDFs than CSV files?",
  "Are there more PDFs in papers than in data?",
  "Are there as many lemmas as corollaries?",
  "How many more theorems than lemmas are there?",
  "Which has more records, sorted-lists or digest-trees?",
  "How many records are dead, unwired or test-only?",
  "How many of the theorems in sorted-lists are verified and how many of those are deployable?",
  "records not verified",
  "unwired records in small-numbers",
  "Isn't CUB-0004 verified?",
  "How many records of tier 1 or 2 are there?",
  "Show me all records whose wiring is DOC-REFERENCE",
  "How many repositories does the registry cover?",
  "How many different use cases are there?",
  "How many repositories have more than 16 records?",
  "Are more than 40 records verified?",
  "Are fewer than 10 records deployable?",
  "How many runtime records are in digest-trees and how many of them are verified?",
];

type Answered = { readonly text: string; readonly path: string | null };

const answered = async (question: string, prefix = "", of = snapshot): Promise<Answered | null> => {
  const facts = await counting.answer(question, prefix, of);
  if (facts === null) return null;
  const text = facts.parts.map((part) => (typeof part === "string" ? part : "value" in part ? part.value : part.name)).join("");
  const [figure] = facts.parts.flatMap((part) => (typeof part === "object" && "value" in part ? [part] : []));
  return { text, path: figure?.path ?? null };
};
const numbersIn = (text: string): readonly number[] =>
  (/^(\d+)(?: of (\d+))? /.exec(text) ?? []).slice(1).flatMap((one) => (one === undefined ? [] : [Number(one)]));

test("a set with facet values, and, but and not is counted right", async () => {
  for (const [question, numbers, words] of COUNTED) {
    const { text } = (await answered(question)) ?? assert.fail(question);
    assert.deepEqual(numbersIn(text), numbers, `${question} ${text}`);
    if (words !== undefined) assert.match(text, words, question);
  }
});

test("what is no such question is searched: no number is guessed", async () => {
  for (const question of SEARCHED) assert.equal(await answered(question), null, question);
});

/** composed puts questions together of parts, each with what it is true of. */
function* composed(): Generator<readonly [question: string, holds: (r: CubRecord) => boolean]> {
  type Part = readonly [string, (r: CubRecord) => boolean];
  const nouns: readonly Part[] = [
    ["records", () => true],
    ["theorems", theorem],
    ["lemmas", (r) => r.kind === "Lemma"],
  ];
  const states: readonly Part[] = [
    ["verified", verified],
    ["deployable", (r) => r.deployable],
    ["unwired", (r) => r.invocation === "unwired"],
    ["free of holes", (r) => r.no_holes],
  ];
  const narrowings: Part[] = [["", () => true]];
  for (const place of ["sorted-lists", "digest-trees", "small-numbers"])
    narrowings.push([` in ${place}`, inRepo(place)], [` that are not in ${place}`, (r) => !inRepo(place)(r)]);
  for (const [state, holds] of states) narrowings.push([` that are ${state}`, holds], [` that are not ${state}`, (r) => !holds(r)]);
  for (const [noun, is] of nouns)
    for (const [narrowing, within] of narrowings)
      for (const [state, holds] of states) {
        // What is said twice is not asked.
        if (narrowing.includes(state)) continue;
        const base = (r: CubRecord): boolean => is(r) && within(r);
        for (const ask of ["How many", "Which"]) {
          yield [`${ask} ${noun}${narrowing} are ${state}?`, (r) => base(r) && holds(r)];
          yield [`${ask} ${noun}${narrowing} and are not ${state}?`, (r) => base(r) && !holds(r)];
          yield [`${ask} ${noun}${narrowing} but not ${state}?`, (r) => base(r) && !holds(r)];
        }
      }
}

test("whatever a question is put together of, its number is right or there is none", async () => {
  let understood = 0;
  let asked = 0;
  for (const [question, holds] of composed()) {
    asked++;
    const found = await answered(question);
    if (found === null) continue;
    understood++;
    assert.equal(numbersIn(found.text)[0], n(holds), `${question} ${found.text}`);
  }
  assert.ok(understood >= 0.7 * asked, `${understood} of ${asked} were understood`);
});

test("the number is the length of the list that it leads to", async () => {
  for (const [question] of COUNTED) {
    const { text, path } = (await answered(question)) ?? assert.fail(question);
    if (path === null) assert.fail(question);
    const { pathname, searchParams } = new URL(path, "http://library");
    const [count] = numbersIn(text);
    if (pathname === "/registry/") assert.equal(registryPage(data, parseCubQuery(searchParams)).matching, count, question);
    else if (pathname === "/claims/") {
      const standings = searchParams.getAll("standing");
      assert.equal(claimsPage(data, standings.length === 0 ? null : standings).claims.length, count, question);
    } else assert.match(path, /^\/(?:browse|search)\//, question);
  }
});

test("snapshots are counted as they are kept", async () => {
  const kept = {
    ...snapshot,
    shelf: { records: { index: () => Promise.resolve({ records: [1, 5, 7, 9].map((sequence) => ({ ...record, sequence })) }) } },
  };
  const found = await counting.answer("How many snapshots are kept?", "", kept as unknown as typeof snapshot);
  assert.deepEqual(found?.parts[0], { value: "3", path: "/snapshots/" });
});

test("an axiom is counted by its name or the last part of it, and a denied one is searched", async () => {
  const rests = (at: number): string[] => (at === 0 ? ["L.A.choice", "L.classic"] : at === 1 ? ["L.B.choice"] : []);
  const some = { ...data, cubs: data.cubs.map((one, at) => ({ ...one, axioms: rests(at) })) };
  const counted = async (question: string): Promise<unknown> =>
    numbersIn((await answered(question, "", { ...snapshot, data: () => Promise.resolve(some) }))?.text ?? "")[0];
  for (const [question, number] of [
    ["How many records rest on choice?", 2],
    ["Which records rest on L.A.choice?", 1],
    ["how many records depend on classic", 1],
    ["How many records do not rest on choice?", undefined],
    ["How many records rest on nothing?", undefined],
    ["What rests on choice?", undefined],
  ] as const)
    assert.equal(await counted(question), number, question);
});

test("a prefix restricts what is counted, and records have no key", async () => {
  assert.match((await answered("How many objects are there?", "notes/"))?.text ?? "", new RegExp(`^${under("notes/")} objects`));
  assert.equal(await answered("How many records are there?", "notes/"), null);
});

test("a name of this library that is a word of the question is not taken for the word", async () => {
  const repos: Readonly<Record<string, string>> = { "sorted-lists": "dead", "small-numbers": "verified", "digest-trees": "runtime" };
  const renamed = {
    ...data,
    cubs: data.cubs.map((one) => ({ ...one, repo: repos[one.repo] ?? "", kind: one.kind === "Lemma" ? "State" : one.kind })),
    library: {
      ...data.library,
      collections: data.library.collections.map((one) => (one.id === "notes" ? { ...one, id: "library", title: "Library" } : one)),
    },
  };
  const of = { ...snapshot, data: () => Promise.resolve(renamed) };
  for (const [question, ...numbers] of [
    ["How many records are dead?", n(({ invocation }) => invocation === "dead"), all],
    ["How many dead records are verified?", n((r) => verified(r) && r.invocation === "dead"), all],
    ["How many verified records are in the repository dead?"],
    ["How many records are in the runtime repository?"],
    ["How many records are in dead?"],
    ["How many records does dead have?"],
    ["records not in verified"],
    ["How many records from verified are dead?"],
    ["How many files are in the library?"],
  ] as const)
    assert.deepEqual(numbersIn((await answered(question, "", of))?.text ?? ""), numbers, question);
});

test("what could not be read is said, and is not the number 0", async () => {
  for (const [state, words] of [
    ["none", /has no registry/],
    ["failed", /could not be read/],
  ] as const) {
    const broken = { ...data, cubs: [], meta: null, library: { ...data.library, registry: state } };
    const found = await answered("How many records are verified?", "", { ...snapshot, data: () => Promise.resolve(broken) });
    assert.match(found?.text ?? "", words);
  }
});

/** What a build plans, projects and refuses, on values: no store, no shelf, no process. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, sha256 } from "../../snapshots/digest.ts";
import { buildTree } from "../../snapshots/format/tree.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { apiFiles } from "../../snapshots/page/api-files.ts";
import type { Extracts } from "../../snapshots/page/stored-pages.ts";
import type { SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import { CubRecord } from "../../snapshots/schema/index.ts";
import type { BuildFacts } from "./facts.ts";
import { claimOf, CONFIG, firstFacts, knownObject, nextFacts, storedObject, viewsOf } from "../testing/facts.ts";
import { findWeaker, fitting, passGates, type Weaker } from "./gates.ts";
import { isUnchanged, planReading, planWriting, saysTheSame, type WritingPlan } from "./plan.ts";
import type { Why } from "../kept/why.ts";
import { findExposure } from "../annex/leaks/gating.ts";
import type { Shelves } from "../shelves/shelves.ts";
import { EMPTY_STATE, type KnownObject } from "../kept/state.ts";
import { configSchema } from "../config/config.ts";
import { listConfigFields } from "../testing/config-fields.ts";
import { NO_REMOVAL } from "./made.ts";
import { ROUTES } from "../../snapshots/service/routes.ts";

const KNOWN = [knownObject("drafts/plan.md"), knownObject("notes/a.md"), knownObject("notes/b.md")];

/** The same facts with another row in the listing. */
function listedAs(rows: BuildFacts["listed"]["rows"], facts = nextFacts(KNOWN)): BuildFacts {
  return { ...facts, listed: { ...facts.listed, rows } };
}

function whyRead(facts: BuildFacts): Record<string, readonly Why[]> {
  return Object.fromEntries(planReading(facts).read.map(({ row, why }) => [row.key, why]));
}

const ALL = KNOWN.map(({ key }) => key);
const allFor = (why: Why): Record<string, readonly Why[]> => Object.fromEntries(ALL.map((key) => [key, [why]]));
const rows = ALL.map((key) => storedObject(key));

test("an object is read when its version, size, time, place or program are others, and when nothing is known of it", () => {
  const cases: readonly (readonly [what: string, facts: BuildFacts, read: Record<string, readonly Why[]>])[] = [
    ["nothing has changed", nextFacts(KNOWN), {}],
    ["the first build", firstFacts(ALL), allFor("first")],
    ["a new object", listedAs([...rows, storedObject("notes/c.md")]), { "notes/c.md": ["new"] }],
    [
      "another version",
      listedAs(rows.map((row) => (row.key === "notes/a.md" ? storedObject(row.key, "2") : row))),
      { "notes/a.md": ["version"] },
    ],
    [
      "another version and size",
      listedAs(rows.map((row) => (row.key === "notes/a.md" ? { ...storedObject(row.key, "2"), size: 11 } : row))),
      { "notes/a.md": ["version", "size"] },
    ],
    ["one that is gone", listedAs(rows.slice(1)), {}],
    ["another program", nextFacts(KNOWN, { program: sha256("another") }), allFor("program")],
    ["the state is lost", nextFacts(KNOWN, { state: EMPTY_STATE }), allFor("forgotten")],
    ["its snapshot was pruned", nextFacts(KNOWN, { kept: { public: new Set(), internal: new Set(["b"]) } }), allFor("forgotten")],
    ["times come from elsewhere", nextFacts(KNOWN, { config: { ...CONFIG, uploaded: "none" as never } }), allFor("time")],
    [
      "a collection that is gated now",
      nextFacts(KNOWN, {
        config: { ...CONFIG, collections: CONFIG.collections.map((one) => ({ ...one, visibility: "email-gated" as const })) },
      }),
      { "notes/a.md": ["root"], "notes/b.md": ["root"] },
    ],
  ];
  for (const [what, facts, read] of cases) assert.deepEqual(whyRead(facts), read, what);
});

test("there is nothing to do only when every input, both pointers and both indexes are as they were", () => {
  assert.equal(planReading(nextFacts(KNOWN)).nothing, true);
  const cases: readonly (readonly [what: string, more: Partial<BuildFacts>])[] = [
    ["a pointer that somebody put back", { setbacks: ["It names 1."] }],
    ["something that an annex has to do", { due: true }],
    [
      "an index that cannot be searched",
      { indexes: { public: { problem: "Damaged.", rows: true, shared: false }, internal: { problem: null, rows: true, shared: false } } },
    ],
    ["another program", { program: sha256("another") }],
    ["another title", { config: { ...CONFIG, title: "Another" } }],
    [
      "a withdrawal",
      { withdrawals: { list: [{ what: "object", name: "notes/a.md", reason: "Wrong.", date: "2026-01-01" } as never], notes: [] } },
    ],
    ["no pointer", { pointers: { public: null, internal: null } }],
  ];
  for (const [what, more] of cases) assert.equal(planReading(nextFacts(KNOWN, more)).nothing, false, what);
  const { state, ...facts } = nextFacts(KNOWN);
  const refused = { ...facts, state: { ...state, refused: [{ source: "store", key: "notes/c.md", reason: "No." } as const] } };
  assert.equal(planReading(refused).nothing, false, "what could not be read is tried again");
});

test("what comes or goes touches its own folder, and the folders of what links to it", () => {
  const linking = [
    ...KNOWN,
    knownObject("notes/deep/link.md", "link", { links: ["notes/a.md"] }),
    knownObject("notes/far/other.md", "far"),
  ];
  const facts = nextFacts(linking);
  const without = planReading(
    listedAs(
      facts.listed.rows.filter(({ key }) => key !== "notes/a.md"),
      facts,
    ),
  );
  assert.deepEqual([without.removed, [...without.touched].sort()], [["notes/a.md"], ["notes/", "notes/deep/"]]);
  const changed = planReading(
    listedAs(
      facts.listed.rows.map((row) => (row.key === "notes/a.md" ? { ...row, version: "2" } : row)),
      facts,
    ),
  );
  assert.deepEqual([...changed.touched], ["notes/"], "a link leads where it led");
});

test("what a build that was broken off has read of this very version is not read again", () => {
  const journaled = knownObject("notes/c.md");
  const facts = (row: Partial<(typeof rows)[number]>): BuildFacts => ({
    ...listedAs([...rows, { ...storedObject("notes/c.md"), ...row }]),
    journal: new Map([["notes/c.md", journaled]]),
  });
  const knownOf = (row: Partial<(typeof rows)[number]>): KnownObject | undefined => planReading(facts(row)).read[0]?.known;
  assert.equal(knownOf({}), journaled);
  assert.equal(knownOf({ version: "2" }), undefined);
  assert.equal(knownOf({ size: 11 }), undefined);
});

const extracts = (objects: readonly KnownObject[]): Extracts => ({
  digest: (key) => objects.find((one) => one.key === key)?.extract.sha256 ?? "",
  read: () => Promise.reject(new Error("A plan reads nothing.")),
});

function planOf(facts: BuildFacts, objects: readonly KnownObject[], reindex = NO_REMOVAL.reindex): WritingPlan {
  return planWriting(facts, planReading(facts), viewsOf(facts, objects), extracts(objects), reindex);
}

/** Facts after a build that has carried this plan out. */
function carriedOut(facts: BuildFacts, objects: readonly KnownObject[]): BuildFacts {
  const plan = planOf(facts, objects);
  const file = (facts: string) => ({ facts, sha256: sha256(facts), size: 1 });
  return {
    ...facts,
    state: {
      ...facts.state,
      pages: Object.fromEntries([...plan.pages()].map((planned) => [planned.page.file, file(planned.facts)])),
      shared: plan.shared,
      written: {
        public: { api: { facts: plan.json.public.facts, files: [] }, trees: [] },
        internal: { api: { facts: plan.json.internal.facts, files: [] }, trees: [] },
      },
      public: { snapshot: "a", documents: plan.documents.public.documents },
      internal: { snapshot: "b", documents: plan.documents.internal.documents },
    },
  };
}

const rendered = (plan: WritingPlan): readonly string[] =>
  [...plan.pages()].flatMap(({ page, kept }) => (kept === null ? [page.file] : []));
const written = ({ json, documents }: WritingPlan): readonly unknown[] => [
  json.public.kept === null,
  json.internal.kept === null,
  documents.public.upsert.size,
  documents.internal.upsert.size,
];

test("the first build writes everything; one after it that finds nothing else writes nothing", () => {
  const first = planOf(firstFacts(ALL), KNOWN);
  assert.ok(rendered(first).length > 0);
  assert.deepEqual([...written(first), first.documents.public.base, first.internalIndex], [true, true, 2, 1, null, "new"]);
  const again = planOf(carriedOut(nextFacts(KNOWN), KNOWN), KNOWN);
  assert.deepEqual(rendered(again), []);
  assert.deepEqual([...written(again), again.internalIndex], [false, false, 0, 0, "own"]);
});

test("where both views hold the same rows the internal index has none of its own, until something is gated", () => {
  const open = KNOWN.filter(({ root }) => root === "public");
  const first = planOf(firstFacts(open.map(({ key }) => key)), open);
  assert.deepEqual([first.internalIndex, first.documents.internal.upsert.size, first.documents.internal.remove], ["shared", 0, []]);
  assert.equal(first.documents.internal.documents, first.documents.public.documents);
  const after = (rows: boolean): WritingPlan => {
    const facts = nextFacts(KNOWN);
    return planOf({ ...facts, indexes: { ...facts.indexes, internal: { problem: null, rows, shared: true } } }, KNOWN);
  };
  assert.equal(after(false).internalIndex, "new");
  // Rows of its own from an earlier time are none that can be built on.
  assert.deepEqual([after(true).internalIndex, after(true).documents.internal.base], ["own", null]);
});

test("a changed object is written in both views, a gated one in the internal view alone", () => {
  const before = carriedOut(nextFacts(KNOWN), KNOWN);
  const change = (key: string): WritingPlan => {
    const objects = KNOWN.map((one) => (one.key === key ? knownObject(key, "other words") : one));
    const facts = listedAs(
      rows.map((row) => (row.key === key ? storedObject(key, "2") : row)),
      before,
    );
    return planOf(facts, objects);
  };
  const open = change("notes/a.md");
  assert.ok(rendered(open).includes("pages/object/notes/a.md=.html"));
  assert.deepEqual([open.documents.public.upsert.size, open.documents.internal.upsert.size, open.documents.public.base], [1, 1, "a"]);
  const gated = change("drafts/plan.md");
  assert.deepEqual(rendered(gated), []);
  assert.deepEqual([gated.documents.public.upsert.size, gated.documents.internal.upsert.size], [0, 1]);
});

test("with another program every kind of work is made again", () => {
  const plan = planOf({ ...carriedOut(nextFacts(KNOWN), KNOWN), program: sha256("another") }, KNOWN);
  assert.deepEqual(rendered(plan), rendered(planOf(firstFacts(ALL), KNOWN)));
  assert.deepEqual([...written(plan).slice(0, 3), plan.documents.public.base], [true, true, 2, null]);
});

test("an index that holds what is gated now, or is to be redacted, begins with nothing", () => {
  const facts = carriedOut(nextFacts(KNOWN), KNOWN);
  const exposed = planOf(facts, KNOWN, { public: true, internal: false });
  assert.deepEqual([exposed.documents.public.base, exposed.documents.public.upsert.size, exposed.documents.internal.base], [null, 2, "b"]);
  const redacting = planOf(facts, KNOWN, { public: true, internal: true });
  assert.deepEqual([redacting.documents.public.base, redacting.documents.internal.base], [null, null]);
});

test("what is served says the same only as long as claims, records and the library do", () => {
  const facts = carriedOut(nextFacts(KNOWN), KNOWN);
  assert.equal(saysTheSame(facts, "internal", viewsOf(facts, KNOWN).internal), true);
  const other = { ...facts, claims: { ...facts.claims, claims: [claimOf({})] } };
  assert.equal(saysTheSame(other, "internal", viewsOf(other, KNOWN).internal), false);
});

test("the public view has no gated object, key, evidence, collection or refusal; the internal one has all", () => {
  const claims = [
    claimOf({
      evidence: [
        { artifact: "Open", kind: "file", access: "public", path: "notes/a.md", sha256: sha256("notes/a.md") },
        { artifact: "Gated", kind: "file", access: "email-gated", path: "drafts/plan.md" },
        { artifact: "Private", kind: "file", access: "private", path: "runbooks/secret.md" },
      ],
    }),
  ];
  const facts = firstFacts(ALL, {
    claims: { ...firstFacts([]).claims, claims },
    listed: {
      rows,
      rejected: [
        { source: "store", key: "drafts/broken", reason: "No." },
        { source: "store", key: "notes/broken", reason: "No." },
        { source: "store", key: "stray", reason: "It lies under no collection." },
      ],
      since: 0,
      why: null,
    },
  });
  const views = viewsOf(facts, KNOWN);
  assert.deepEqual(
    views.public.objects.map(({ key }) => key),
    ["notes/a.md", "notes/b.md"],
  );
  assert.doesNotMatch(JSON.stringify([views.public, [...views.public.code]]), /drafts|plan\.md|runbooks|stray/);
  assert.deepEqual([views.public.withheld, views.internal.withheld], [1, 0]);
  assert.deepEqual(
    views.internal.objects.map(({ key }) => key),
    ALL,
  );
  assert.equal(views.internal.rejected.length, 3);
  assert.deepEqual(
    views.public.claims.claims[0]?.evidence.map(({ artifact, path, state }) => [artifact, path, state]),
    [
      ["Open", "notes/a.md", "holds"],
      ["Gated", undefined, "unpinned"],
      ["Private", undefined, "unpinned"],
    ],
  );
  assert.doesNotMatch(JSON.stringify(views.internal), /runbooks/, "what is private is in no view");
});

test("a record has a licence of its files where all that state one agree, under whatever keys the same bytes lie", () => {
  const licenceOf = (terms: Readonly<Record<string, string | null>>): string | undefined => {
    const facts = firstFacts([]);
    const record = CubRecord.parse({ id: "CUB-0001", repo: "r", theorem_name: "t", statement: "s", file_shas: { "x.v": sha256("same") } });
    const objects = Object.entries(terms).map(([key, license]) =>
      knownObject(key, "same", { about: { authors: [], date: null, license } }),
    );
    return viewsOf({ ...facts, registry: { ...facts.registry, cubs: [record] } }, objects).public.cubs[0]?.license;
  };
  const cases: readonly (readonly [terms: Readonly<Record<string, string | null>>, license: string | undefined])[] = [
    [{ "notes/x.v": "GPL-3.0-only" }, "GPL-3.0-only"],
    [{ "notes/x.v": "GPL-3.0-only", "notes/y.v": null }, "GPL-3.0-only"],
    [{ "notes/x.v": null, "notes/y.v": "GPL-3.0-only" }, "GPL-3.0-only"],
    [{ "notes/x.v": "GPL-3.0-only", "notes/y.v": "MIT" }, undefined],
    [{ "notes/x.v": "MIT", "notes/y.v": "MIT" }, "MIT"],
    [{ "notes/x.v": null }, undefined],
    [{ "notes/x.v": "MIT", "drafts/y.v": "GPL-3.0-only" }, "MIT"],
  ];
  for (const [terms, license] of cases) assert.equal(licenceOf(terms), license, JSON.stringify(terms));
});

const NONE = { why: () => null };

test("each member of the configuration changes the build, but those that say where things are, how a build goes on, and what a server does", () => {
  const uncounted =
    "store shelf claims withdrawals code embeddings links extract gates keep log webhooks access answers gateway trustProxy mcp";
  const facts = nextFacts(KNOWN);
  assert.ok(isUnchanged(facts));
  const names = Object.keys(configSchema().shape);
  assert.deepEqual(
    uncounted.split(" ").filter((name) => !names.includes(name)),
    [],
  );
  for (const name of names) {
    const config = { ...CONFIG, [name]: name === "uploaded" ? "none" : [{ id: "another", prefix: "another" }] };
    assert.equal(isUnchanged({ ...facts, config }), uncounted.split(" ").includes(name), name);
  }
  const registry = { path: "/nowhere/registry.json", internalFields: [], license: null };
  const of = (more: object) => ({ ...facts, config: { ...CONFIG, registry: { ...registry, ...more } } });
  const { fingerprint } = planReading(of({}));
  const members = listConfigFields().flatMap(({ key }) => /^registry\.(\w+)$/.exec(key)?.[1] ?? []);
  assert.deepEqual(members.toSorted(), ["internalFields", "license", "path", "sources", "url"]);
  for (const name of [...members, "new"])
    assert.equal(planReading(of({ [name]: ["another"] })).fingerprint === fingerprint, ["path", "sources", "url"].includes(name), name);
});

test("a gate refuses what fell, unless somebody accepts it and says why; drift that was accepted stays so", () => {
  const weaker = (gate: Weaker["gate"], id: string): Weaker => ({ gate, what: "claim", id, reason: "it fell" });
  const [refuse, tell] = [
    { regressions: "refuse", drift: "refuse", recall: "refuse", statements: "refuse", counts: "refuse" } as const,
    { regressions: "note", drift: "note" } as unknown as BuildFacts["config"]["gates"],
  ];
  const none = new Map<string, string>();
  const why = new Map([["one", "It was meant."]]);
  const cases: readonly (readonly [
    what: string,
    weaker: readonly Weaker[],
    gates: Parameters<typeof passGates>[1],
    accepted: Map<string, string>,
    earlier: Map<string, string>,
    passes: boolean,
  ])[] = [
    ["nothing fell", [], refuse, none, none, true],
    ["a regression", [weaker("regressions", "one")], refuse, none, none, false],
    ["that is only told", [weaker("regressions", "one")], tell, none, none, true],
    ["that is accepted", [weaker("regressions", "one")], refuse, why, none, true],
    ["that was accepted once", [weaker("regressions", "one")], refuse, none, why, false],
    ["drift", [weaker("drift", "one")], refuse, none, none, false],
    ["drift that was accepted", [weaker("drift", "one")], refuse, none, why, true],
    ["a recall", [weaker("recall", "one")], refuse, none, none, false],
    ["a recall that is only told", [weaker("recall", "one")], tell, none, none, true],
    ["a recall that was accepted", [weaker("recall", "one")], refuse, none, why, true],
    ["another statement", [weaker("statements", "one")], refuse, none, none, false],
    ["another statement that is only told", [weaker("statements", "one")], tell, none, none, true],
    ["another statement that was accepted", [weaker("statements", "one")], refuse, none, why, true],
    ["a false count", [weaker("counts", "one")], refuse, none, none, false],
    ["another's acceptance", [weaker("drift", "two")], refuse, why, none, false],
    ["a withdrawal taken back", [weaker("withdrawals", "one")], tell, none, none, false],
    ["and accepted", [weaker("withdrawals", "one")], tell, why, none, true],
  ];
  for (const [what, found, gates, accepted, earlier, passes] of cases) {
    const going = found.filter(({ gate }) => gate !== "withdrawals");
    const before = passGates(going, tell, earlier, NONE).accepted;
    const why = (_: string, about: string, digest: string): string | null =>
      before.find((one) => one.about === about && one.sha256 === digest)?.why ?? null;
    const pass = () => passGates(found, gates, accepted, { why });
    if (!passes) assert.throws(pass, { code: "gate_refused" }, what);
    else assert.equal(Object.values(pass().inputs).length, [...accepted, ...earlier].length, what);
  }
  assert.deepEqual(passGates([weaker("regressions", "one")], tell, none, NONE).notes, ["Got weaker: claim one, it fell."]);
  const many = ["a", "b", "c", "d", "e"].flatMap((id) => [
    weaker("regressions", id),
    { ...weaker("drift", id), reason: `"${id}.v": it is gone` },
  ]);
  assert.deepEqual(passGates(many, tell, none, NONE).notes, [
    "Got weaker: 5 claims (a, b, c and 2 more), it fell.",
    'Drift: 5 claims (a, b, c and 2 more), "a.v" and others: it is gone.',
  ]);
});

test("what was accepted of a record lets through that alone: another gate, place, state or bytes are refused", () => {
  const gates = { regressions: "refuse", drift: "refuse", recall: "refuse", statements: "refuse", counts: "refuse" } as const;
  const one: Weaker = { gate: "drift", what: "record", id: "CUB-0001", reason: '"gone.v": it is not there', bytes: "a" };
  const { accepted } = passGates([one], gates, new Map([["CUB-0001", "It is being moved."]]), NONE);
  const earlier = {
    why: (_: string, about: string, digest: string) => accepted.find((was) => was.about === about && was.sha256 === digest)?.why ?? null,
  };
  assert.deepEqual(passGates([one], gates, new Map(), earlier).accepted, accepted, "the same goes on");
  const others: readonly Partial<Weaker>[] = [
    { gate: "statements", reason: 'its statement is "0 = 1", but "x.v":1 declares "0 = 0"' },
    { gate: "counts", what: "registry" },
    { reason: '"other.v": it is not there' },
    { reason: '"gone.v": what is there has another digest' },
    { bytes: "b" },
    { gate: "recall", reason: "all that accepted it have a known hole that it may use: A-1 of coq 8.16.1" },
    { what: "claim" },
    { id: "CUB-0002" },
  ];
  for (const other of others)
    assert.throws(() => passGates([one, { ...one, ...other }], gates, new Map(), earlier), { code: "gate_refused" }, JSON.stringify(other));
});

test("what is accepted of a claim's file is accepted of its bytes", () => {
  const evidence = [{ artifact: "A", kind: "file", access: "public", path: "notes/a.md", sha256: sha256("pinned") }];
  const facts = firstFacts(ALL, { claims: { ...firstFacts([]).claims, claims: [claimOf({ evidence })] } });
  const bytes = ["one", "other"].map((text) => findWeaker(null, viewsOf(facts, [knownObject("notes/a.md", text)]).internal)[0]?.bytes);
  assert.equal(new Set(bytes).size, 2, JSON.stringify(bytes));
});

test("a record has room for the reasons of a thousand things that were accepted", () => {
  const inputs = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`accepted CUB-${String(at).padStart(4, "0")}`, `${"é\n".repeat(60)}`]),
  );
  const told = fitting(inputs);
  assert.ok(Buffer.byteLength(canonicalJson(told)) < 24_000);
  assert.equal(told["accepted CUB-0000"], inputs["accepted CUB-0000"]);
  assert.match(told["accepted"] ?? "", /^\d{3} more, of which the list has the SHA-256 [0-9a-f]{64}$/);
  assert.notEqual(fitting({ ...inputs, "accepted CUB-0999": "another" })["accepted"], told["accepted"]);
  assert.match(fitting({ "accepted one": "x".repeat(70_000) })["accepted"] ?? "", /^1 more/);
  assert.deepEqual(fitting({ "accepted one": "why" }), { "accepted one": "why" });
});

test("a claim gets weaker when its status falls, its evidence stops holding or is pinned no more, or it is gone", () => {
  const evidence = (sha: string) => [{ artifact: "A", kind: "file", access: "public", path: "notes/a.md", sha256: sha }];
  const holds = sha256("notes/a.md");
  const view = (...claims: readonly Parameters<typeof claimOf>[0][]): ViewData =>
    viewsOf(firstFacts(ALL, { claims: { ...firstFacts([]).claims, claims: claims.map(claimOf) } }), KNOWN).internal;
  const before = view({ evidence: evidence(holds) });
  const cases: readonly (readonly [what: string, after: ViewData, gates: readonly Weaker["gate"][]])[] = [
    ["the same", before, []],
    ["another status", view({ status: "partial", evidence: evidence(holds) }), ["regressions"]],
    ["another digest", view({ evidence: evidence(sha256("other")) }), ["regressions", "drift"]],
    ["no evidence", view({ evidence: [] }), ["regressions"]],
    ["no claim", view(), ["regressions"]],
    ["one more", view({ evidence: evidence(holds) }, { id: "two" }), []],
  ];
  for (const [what, after, gates] of cases)
    assert.deepEqual(
      findWeaker(before, after).map(({ gate }) => gate),
      gates,
      what,
    );
  assert.deepEqual(
    findWeaker(null, view({ evidence: evidence(sha256("other")) })).map(({ gate }) => gate),
    ["drift"],
    "what never held has not fallen",
  );
});

test("a record that a checker with a hole alone accepted is recalled, once, by a gate of its own, and no regression beside it", () => {
  const base = { id: "CUB-0001", repo: "r", theorem_name: "t", statement: "1 = 1", no_holes: true };
  const view = (record: object): ViewData => {
    const facts = firstFacts([]);
    return viewsOf({ ...facts, registry: { ...facts.registry, cubs: [CubRecord.parse({ ...base, ...record })] } }, KNOWN).internal;
  };
  const hole = { affected: [{ id: "A-1", title: "t", url: "https://a.example", by: "coq 8.16.1" }], cannot_use: [], also_accepted: [] };
  const [verified, recalled] = [
    { verification_state: "VERIFIED" },
    { verification_state: "UNSPECIFIED", status: "RECALLED", recall: hole },
  ];
  const found = findWeaker(view(verified), view(recalled));
  assert.deepEqual(
    found.map(({ gate, id, reason }) => [gate, id, reason]),
    [["recall", "CUB-0001", "all that accepted it have a known hole that it may use: A-1 of coq 8.16.1"]],
  );
  assert.deepEqual(findWeaker(view(recalled), view(recalled)), found, "it lasts");
  assert.deepEqual(
    findWeaker(view(recalled), view({ ...recalled, no_holes: false })).map(({ gate }) => gate),
    ["regressions", "recall"],
  );
  assert.deepEqual(findWeaker(view(recalled), view(verified)), []);
});

test("a record that fell is told with the claims that rest on it", () => {
  const view = (state: string): ViewData => {
    const record = { id: "CUB-0001", repo: "r", theorem_name: "t", statement: "1 = 1", claims: ["a", "none"], verification_state: state };
    const facts = firstFacts([], { claims: { ...firstFacts([]).claims, claims: [claimOf({ id: "a" }), claimOf({ id: "b" })] } });
    return viewsOf({ ...facts, registry: { ...facts.registry, cubs: [CubRecord.parse(record)] } }, KNOWN).internal;
  };
  const [found] = findWeaker(view("VERIFIED"), view("NOT_VERIFIED"));
  assert.equal(found?.reason, "verification_state was VERIFIED and is NOT_VERIFIED; claim a rests on it");
});

test("a statement that moved and was accepted by name where it is kept passes the gate and is told, and nothing else of its record does", () => {
  const base = { id: "CUB-0001", repo: "r", theorem_name: "t", statement: "1 = 1", verification_state: "VERIFIED", no_holes: true };
  const view = (record: object): ViewData => {
    const facts = firstFacts([]);
    return viewsOf({ ...facts, registry: { ...facts.registry, cubs: [CubRecord.parse({ ...base, ...record })] } }, KNOWN).internal;
  };
  const gates = {
    regressions: "refuse",
    drift: "ignore",
    statements: "ignore",
    counts: "ignore",
  } as unknown as BuildFacts["config"]["gates"];
  const drift = (cause: string, accepted?: string) => ({
    cause,
    since: "a",
    definitions: [],
    ...(accepted === undefined ? {} : { accepted }),
  });
  const pass = (after: object) => passGates(findWeaker(view({}), view(after)), gates, new Map(), NONE);
  const other = { statement: "True" };
  assert.throws(() => pass(other), /its statement changed/);
  assert.throws(() => pass({ ...other, drift: drift("statement") }), /its statement changed/);
  const { notes, inputs } = pass({ ...other, drift: drift("statement", "weaker is enough") });
  assert.deepEqual(notes, ['Got weaker: record CUB-0001, its statement changed, and that is meant: "weaker is enough".']);
  assert.deepEqual(inputs, {}, "the next drift of this record is accepted by nobody");
  assert.match(pass({ drift: drift("meaning", "two") }).notes[0] ?? "", /says something else, .*"two"/);
  const fell = { ...other, drift: drift("statement", "weaker is enough"), verification_state: "NOT_VERIFIED" };
  assert.throws(() => pass(fell), /verification_state was VERIFIED/);
});

/** A shelf that has nothing but these snapshots of the public view. */
function shelfOf(snapshots: readonly ViewData[]): Shelves {
  const blobs = new Map<string, Uint8Array>();
  const put = (bytes: Uint8Array): { sha256: string; size: number } => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { sha256: digest, size: bytes.length };
  };
  const records = snapshots.map((data, at): SnapshotRecord => {
    const files = [...apiFiles(data, ROUTES)].map(({ path, bytes }) => ({ path, ...put(bytes), type: "application/json" }));
    const { root, trees } = buildTree(files);
    for (const [, bytes] of trees) put(bytes);
    return { sequence: at + 1, snapshot: root.sha256, created: "2026-01-01T00:00:00Z", previous: null, inputs: {} };
  });
  return {
    buildDir: "/nowhere",
    public: {
      records: { index: async () => ({ records, withdrawn: [] }) },
      getBlob: async (digest: string) => blobs.get(digest) ?? null,
      readChanges: async () => null,
    },
  } as unknown as Shelves;
}

test("a snapshot is exposed when it holds a key, bytes, a collection or evidence that is gated now", async () => {
  const open = firstFacts(ALL);
  const claims = (access: string): Partial<BuildFacts> => ({
    claims: {
      ...open.claims,
      claims: [
        claimOf({ evidence: [{ artifact: "A", kind: "file", access, path: "notes/where-it-lies.md", url: "https://hidden.example/" }] }),
      ],
    },
  });
  const gatedNotes = { ...CONFIG, collections: CONFIG.collections.map((one) => ({ ...one, visibility: "email-gated" as const })) };
  const sameBytes = [knownObject("drafts/plan.md", "secret words"), knownObject("notes/a.md", "secret words")];
  const cases: readonly (readonly [
    what: string,
    before: ViewData,
    now: BuildFacts,
    objects: readonly KnownObject[],
    held: readonly string[],
  ])[] = [
    ["nothing is gated that was not", viewsOf(open, KNOWN).public, open, KNOWN, []],
    [
      "a collection",
      viewsOf(open, KNOWN).public,
      firstFacts(ALL, { config: gatedNotes }),
      KNOWN,
      ["collection notes", "object notes/a.md", "object notes/b.md"],
    ],
    ["the bytes of a gated object", viewsOf(open, sameBytes).public, open, [sameBytes[0] as KnownObject], ["object notes/a.md"]],
    ["evidence", viewsOf(firstFacts(ALL, claims("public")), KNOWN).public, firstFacts(ALL, claims("email-gated")), KNOWN, ["claim one"]],
  ];
  for (const [what, before, now, objects, held] of cases) {
    const found = await findExposure(shelfOf([before]), now.config.collections, viewsOf(now, objects), []);
    assert.deepEqual(
      found.snapshots.flatMap((one) => one.held.map(({ what: kind, name }) => `${kind} ${name}`)),
      held,
      what,
    );
    assert.equal(found.clean.length, held.length === 0 ? 1 : 0, what);
  }
});

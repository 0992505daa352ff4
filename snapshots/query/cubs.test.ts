import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ShelfError } from "../errors.ts";
import { CUB_FILTERS, type CubFacet } from "../schema/cub-facets.ts";
import { CubRecord } from "../schema/cubs.ts";
import { countFacet, findCubs, parseCubId, parseCubQuery } from "./cubs.ts";
import { filterValues } from "./filters.ts";

function record(number: number, more: Partial<CubRecord> = {}): CubRecord {
  return CubRecord.parse({ id: `CUB-${String(number).padStart(4, "0")}`, repo: "r", theorem_name: "t", statement: "s", ...more });
}

const query = (text: string) => parseCubQuery(new URLSearchParams(text));
const isBad = (error: unknown): boolean => error instanceof ShelfError && error.code === "bad_parameter";

const some = fc
  .array(
    fc.record({
      repo: fc.constantFrom("a", "b", "c"),
      crate: fc.constantFrom("", "x"),
      deployable: fc.boolean(),
      use_cases: fc.subarray(["crypto", "topology", "TDX"]),
      lane: fc.constantFrom("é", "e\u0301", ""),
    }),
    { maxLength: 30 },
  )
  .map((list) => list.map((fields, at) => record(at + 1, fields)));

test("what a prover said narrows, and a record that nobody ran a prover over is under none of it", () => {
  const check = {
    prover: "coq",
    version: "",
    revision: "",
    finished: "",
    attestation: "",
    tool: "",
    signers: [],
    counted: true,
    isolation: "",
    exact: true,
    reason: "",
  };
  const records = [
    record(1, { axioms: ["A.classic", "A.choice"], checks: [{ ...check, state: "accepted_with_axioms" }] }),
    record(2, {
      axioms: [],
      checks: [
        { ...check, state: "accepted" },
        { ...check, prover: "lean", state: "not_run" },
      ],
    }),
    record(3, {}),
  ];
  const ids = (params: string) => findCubs(records, parseCubQuery(new URLSearchParams(params))).cubs.map(({ id }) => id);
  assert.deepEqual(ids("axiom=A.classic"), ["CUB-0001"]);
  assert.deepEqual(ids("prover=lean&prover=coq"), ["CUB-0001", "CUB-0002"]);
  assert.deepEqual(ids("check_state=accepted"), ["CUB-0002"]);
  assert.deepEqual(ids("check_state=rejected"), []);
});

test("filters hold exactly: alternatives inside one, all of them together", () => {
  fc.assert(
    fc.property(
      some,
      fc.subarray(["a", "b", "z"]),
      fc.subarray(["crypto", "TDX"]),
      fc.option(fc.boolean()),
      (records, repos, uses, deployable) => {
        const params = new URLSearchParams([
          ...repos.map((value) => ["repo", value]),
          ...uses.map((value) => ["use_case", value]),
          ...(deployable === null ? [] : [["deployable", String(deployable)]]),
        ]);
        const expected = records.filter(
          (item) =>
            (repos.length === 0 || repos.includes(item.repo)) &&
            (uses.length === 0 || uses.some((use) => item.use_cases.includes(use))) &&
            (deployable === null || item.deployable === deployable),
        );
        const found = findCubs(records, { ...parseCubQuery(params), limit: 500 });
        assert.deepEqual(
          found.cubs.map(({ id }) => id),
          expected.map(({ id }) => id),
        );
        assert.equal(found.count, expected.length);
      },
    ),
  );
});

test("pages put together are the whole, and the count never changes", () => {
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 7 }), (records, limit) => {
      const ids: string[] = [];
      let position: number | null = 0;
      while (position !== null) {
        const page = findCubs(records, { q: "", filters: new Map(), limit }, position);
        assert.equal(page.count, records.length);
        ids.push(...page.cubs.map(({ id }) => id));
        position = page.next;
      }
      assert.deepEqual(
        ids,
        records.map(({ id }) => id),
      );
    }),
  );
});

test("a value is compared after composition, with its case, and the empty one is a value", () => {
  const records = [record(1, { lane: "é" }), record(2, { lane: "e\u0301" }), record(3, { lane: "" }), record(4, { lane: "É" })];
  assert.equal(findCubs(records, query("lane=e%CC%81")).count, 2);
  assert.equal(findCubs(records, query("lane=")).count, 1);
  assert.equal(findCubs(records, query("lane=É")).count, 1);
});

test("limit 0 counts and gives no cursor; others must be whole numbers up to 500", () => {
  const records = [record(1), record(2)];
  assert.deepEqual(findCubs(records, query("limit=0")), { count: 2, cubs: [], next: null });
  for (const limit of ["-1", "501", "1.5", "1e2", "", " 1", "0x10", "٣", "9999999999", "NaN"])
    assert.throws(() => query(`limit=${encodeURIComponent(limit)}`), isBad, limit);
});

test("deployable is a truth value, and q is one text of at most 500 characters", () => {
  for (const text of ["deployable=1", "deployable=", "deployable=TRUE", "q=a&q=b", `q=${"a".repeat(501)}`])
    assert.throws(() => query(text), isBad, text);
  assert.equal(query(`q=${"😀".repeat(500)}`).q.length, 1000);
});

test("words must all match, in any of the seven fields and in no other", () => {
  const records = [
    record(1, {
      theorem_name: "insert_keeps_sorted",
      module: "Sorted.Lists",
      statement: "forall l, P l",
      crate: "lists",
      repo: "proofs",
      note: "The zebra.",
    }),
    record(2, { lineage: "zebra", rust_anchor: "zebra.rs" }),
  ];
  const count = (q: string): number => findCubs(records, { ...query(""), q }).count;
  for (const q of ["insert", "INSERT_KEEPS_SORTED", "lists proofs", "zebra", "cub-0001", "sorted forall", '"keeps"', '"P l"'])
    assert.equal(count(q), 1, q);
  for (const q of ["inserts", "zebra.rs", "zebra lion", '"l P"', '"zebra cub"', "__proto__", "constructor"]) assert.equal(count(q), 0, q);
});

test("a part of a name finds it, when its own parts stand there in a row", () => {
  const records = [
    record(1, { theorem_name: "insert_keeps_sorted" }),
    record(2, { theorem_name: "insertKeepsLength", module: "Sorted.Lists" }),
    record(3, { theorem_name: "keeps_insert" }),
    record(4, { theorem_name: "insert", module: "keeps", note: "It keeps what others insert." }),
  ];
  const ids = (q: string): readonly string[] => findCubs(records, { ...query(""), q }).cubs.map(({ id }) => id);
  for (const q of ["insert_keeps", "insertKeeps", "INSERT_KEEPS", "Insert.keeps"]) assert.deepEqual(ids(q), ["CUB-0001", "CUB-0002"], q);
  assert.deepEqual(ids("keeps_sorted"), ["CUB-0001"]);
  assert.deepEqual(ids("keeps_length lists"), ["CUB-0002"]);
  for (const q of ["insert_sorted", "sert_keeps", "insert_keeps_sorted_lists", "insert_keeps cow"]) assert.deepEqual(ids(q), [], q);
});

test("an exact id comes first, even when others name it", () => {
  const records = [record(1, { note: "see CUB-0003" }), record(2, { note: "CUB-0003" }), record(3)];
  assert.deepEqual(
    findCubs(records, { ...query(""), q: " cub-0003 " }).cubs.map(({ id }) => id),
    ["CUB-0003", "CUB-0001", "CUB-0002"],
  );
});

test("every filter of the interface reads a field that records have", () => {
  assert.equal(CUB_FILTERS.length, 16);
  for (const { name } of CUB_FILTERS) assert.ok(filterValues(record(1, { use_cases: ["x"] }), name).length > 0, name);
});

test("facets count each record once for each value", () => {
  const records = [record(1, { use_cases: ["a", "a", "b"] }), record(2, { use_cases: ["b"] })];
  assert.deepEqual(countFacet(records, "use_case"), [
    { value: "b", count: 2 },
    { value: "a", count: 1 },
  ]);
});

test("an id has one form", () => {
  for (const id of ["CUB-1", "cub-0001", "CUB-0001 ", "CUB-00x1", "CUB-٠٠٠١", "", "CUB-0001\n"]) {
    assert.throws(
      () => parseCubId(id),
      (error: unknown) => error instanceof ShelfError && error.code === "bad_cub_id",
      JSON.stringify(id),
    );
  }
  assert.equal(parseCubId("CUB-123456"), "CUB-123456");
});

test("an identifier whose last part begins several words of a record finds it, and none that lacks its other parts", () => {
  const records = [
    record(1, { statement: "insert_keeps and insert_keeping, insert_kept" }),
    record(2, { statement: "keeps keeping kept" }),
    record(3, { statement: "insert" }),
    record(4, { statement: "insert insertion insert" }),
    record(5, { statement: "insert_keeps" }),
  ];
  const found = (q: string): readonly string[] =>
    findCubs(records, { q, filters: new Map(), limit: 10 }).cubs.map(({ id }) => id.slice(-1));
  for (const [q, ids] of [
    ["insert_ke", "15"],
    ["insert_kee", "15"],
    ["insert_kept", "1"],
    ["insert_keeps keeping", "1"],
    ["insert_ke insert", "15"],
  ] as const)
    assert.equal(found(q).join(""), ids, q);
});

test("what names a record leads there first: its id, its name with its module, a digest of its files; operators narrow", () => {
  const records = [
    record(1, { statement: "uses Sort.keep and CUB-0002", kind: "Theorem" }),
    record(2, { theorem_name: "keep", module: "Lists.Sort", file_shas: { "a.v": `abcdef01${"23".repeat(28)}` }, kind: "Lemma" }),
    record(3, { theorem_name: "keeps_sorted", repo: "other" }),
  ];
  const found = (q: string, filters: readonly (readonly [CubFacet, readonly string[]])[] = []): readonly string[] =>
    findCubs(records, { q, filters: new Map(filters), limit: 10 }).cubs.map(({ id }) => id.slice(-1));
  for (const [q, ids] of [
    ["cub-0002", "21"],
    ["Sort.keep", "21"],
    ["Lists::Sort::keep", "2"],
    ["abcdef01", "2"],
    ["sha-256:ABCDEF0123", "2"],
    ["abcdef0", ""],
    ["keeps_sor", "3"],
    ["kind:lemma", "2"],
    ["kind:record", "123"],
    ["repo:other keeps", "3"],
    ["in:notes/", ""],
  ] as const)
    assert.equal(found(q).join(""), ids, q);
  assert.deepEqual(found("Sort.keep", [["kind", ["Theorem"]]]), ["1"]);
});

test("a theorem is named by what anybody writes of its module, dots in its own name or not", () => {
  const records = [
    record(1, { theorem_name: "keep", module: "A.B" }),
    record(2, { theorem_name: "keep.all", module: "A::B" }),
    record(3, { statement: "A.B.keep.all and B.keep" }),
  ];
  const first = (q: string): string | undefined => findCubs(records, { q, filters: new Map(), limit: 1 }).cubs[0]?.id;
  for (const q of ["keep", "B.keep", "A.B.keep", "A::B::keep"]) assert.equal(first(q), "CUB-0001", q);
  for (const q of ["keep.all", "B.keep.all", "A.B.keep.all", "A::B::keep.all"]) assert.equal(first(q), "CUB-0002", q);
});

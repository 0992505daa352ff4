import { recordStanding } from "../format/standing.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { CubRecord } from "../schema/cubs.ts";
import type { Extract } from "../schema/extract.ts";
import { recordPage } from "./registry-pages.ts";

const digest = "a".repeat(64);

type Facts = Parameters<typeof recordPage>[0];

async function statementOf(statement: string, systems: string, proof: string | null = null): Promise<string> {
  return (await recordPage(factsOf(statement, systems, proof), () => assert.fail("no file is read"))).statement;
}

function factsOf(statement: string, systems: string, proof: string | null = null): Facts {
  const record = CubRecord.parse({ id: "CUB-0001", repo: "r", theorem_name: "t", statement, formal_systems: systems });
  const file = {
    path: "p",
    system: proof ?? "",
    role: "proof",
    size: 1,
    sha256: digest,
    available: true,
    state: "holds",
    href: "/",
    object: null,
  } as const;
  const sides = proof === null ? [] : [{ file, name: "t", lines: null }];
  return {
    page: "record" as const,
    record,
    standing: recordStanding(record),
    checks: [],
    words: [],
    meaning: [],
    graph: {
      id: record.id,
      nodes: [{ id: record.id, name: record.theorem_name, step: 0, standing: recordStanding(record) }],
      edges: [],
      left_out: 0,
      without_record: 0,
    },
    names: [],
    statement: "",
    summary: "",
    found: null,
    head: null,
    sides,
    files: [],
    claims: [],
    previous: null,
    next: null,
  };
}

test("a definition below a statement that has no record leads to the line that declares it, with its type", async () => {
  const facts = factsOf("forall X, open X", "Coq", "coq");
  const record = { ...facts.record, uses: { count: 1, edges: [] }, checks: [{ prover: "coq" }] } as unknown as CubRecord;
  const text = "Record Space := { point : Type }.\n\nDefinition open (X : Space) : Prop := True.";
  const extract = {
    passages: [{ heading: [], name: "open", page: null, start_line: 3, end_line: 3, text: text.split("\n")[2] }],
    html: null,
  } as unknown as Extract;
  const part = { name: "Top.open", place: "Top.v:3", html: [] };
  const found = { ...part, link: "/object/Top.v/#L3", lines: { object: "Top.v", from: 3, to: 3 } };
  const page = await recordPage({ ...facts, record, meaning: [found] }, async () => extract);
  assert.match(page.statement, /<a href="\.\.\/\.\.\/object\/Top\.v\/#L3" data-type="Definition open \(X : Space\) : Prop\s*">open<\/a>/);
  const far = { ...part, link: "https://example.org/Top.v#L3", lines: null };
  assert.doesNotMatch((await recordPage({ ...facts, record, meaning: [far] }, async () => extract)).statement, /<a/);
});

test("a statement is coloured as its prover's code, and is plain text where no prover is known", async () => {
  const keyword = '<span class="k">forall</span>';
  assert.ok((await statementOf("forall x, x = x", "Coq+Lean")).startsWith(keyword));
  assert.ok((await statementOf("forall x, x = x", "", "rocq")).startsWith(keyword));
  assert.match(await statementOf("theorem t : 1 < 2 := by simp", "Coq", "lean"), /^<span class="k">theorem<\/span>.*&lt;/);
  assert.equal(await statementOf("forall x,\r\n x < y", "Paper & pencil"), "forall x,\n x &lt; y");
});

test("a statement that is markup stays text", async () => {
  const html = await statementOf('<img src=x onerror="alert(1)"> (* </span><script> *)', "Coq");
  assert.deepEqual(html.match(/<(?!\/?span\b)[^>]*>/g), null);
});

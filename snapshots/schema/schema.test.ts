import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { createDocument } from "zod-openapi";
import * as claims from "./claims.ts";
import * as cubs from "./cubs.ts";
import * as facets from "./cub-facets.ts";
import * as resources from "./resources.ts";
import { isWebUrl } from "./scalar.ts";

test("no address that a browser would run passes as a link", () => {
  const bad = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:1",
    "java\nscript:1",
    "\u0000javascript:1",
    "data:text/html,x",
    "vbscript:x",
    "blob:https://x",
    "file:///etc/passwd",
    "https:",
    "https://",
    "http:x",
    "x",
    "./x",
    "\\\\host",
    "//host",
    "https://a b",
    "https://[",
    "mailto:a@b",
  ];
  for (const address of bad) assert.equal(isWebUrl(address), false, address);
  for (const address of ["", "https://example.org", "http://127.0.0.1:4321/a?b#c", "/api/cubs/CUB-0001"])
    assert.equal(isWebUrl(address), true, address);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."javscriptdh:/\\ \n\t%&#x0;.") }), (address) => {
      if (!isWebUrl(address)) return;
      assert.ok(["http:", "https:"].includes(new URL(address, "https://base.example").protocol));
    }),
    { numRuns: 2000 },
  );
});

test("a record keeps exactly the fields that the interface names, in its order", () => {
  const named =
    "id repo theorem_name module kind statement status verification_state source_class active crate wiring invocation invocation_role production_consumption proof_consumption " +
    "proof_bundle_id proof_consumer proof_policy_effect proof_consumption_condition proof_runtime_boundary proof_artifact_integrity proof_kernels_execute_at_request_time lane tier proof_scope " +
    "deployable no_holes riscv formal_systems kernels use_cases lineage claims files file_shas exec_file exec_fn exec_fns rust_anchor note reproduce links";
  assert.deepEqual(cubs.CUB_FIELDS, named.split(" "));
  const record = cubs.CubRecord.parse({
    id: "CUB-0001",
    repo: "r",
    theorem_name: "t",
    statement: "s",
    owner: "secret",
    links: { admin: "secret" },
  });
  assert.deepEqual(Object.keys(record), named.split(" "));
  assert.doesNotMatch(JSON.stringify(record), /secret/);
});

test("the filters are the sixteen of the interface, each over a field of the record", () => {
  const named =
    "repo status verification_state production_consumption proof_consumption wiring crate use_case invocation invocation_role formal_systems kernels proof_scope deployable lane tier";
  assert.deepEqual(
    facets.CUB_FILTERS.map((filter) => filter.name),
    named.split(" "),
  );
  for (const { field } of facets.CUB_FILTERS) assert.ok(cubs.CUB_FIELDS.includes(field));
});

test("a question is counted in code points after composition", () => {
  const ask = (question: unknown) => resources.AskRequest.safeParse({ question });
  assert.equal(ask("🦉".repeat(500)).success, true);
  assert.equal(ask("🦉".repeat(501)).success, false);
  assert.equal(ask("e\u0301".repeat(500)).data?.question, "\u00e9".repeat(500));
  for (const question of [undefined, null, 1, "", " \n\u00a0", ["x"], {}]) assert.equal(ask(question).success, false);
  assert.deepEqual(resources.AskRequest.parse({ question: "why" }), { question: "why", prefix: "" });
  assert.equal(resources.AskRequest.safeParse({ question: "why", extra: 1 }).success, false, "a slip of a member's name is told");
});

test("every resource has an OpenAPI form under its own name", () => {
  const all: Record<string, unknown> = { ...resources, ...cubs, ...claims };
  const schemas = Object.entries(all).flatMap(([name, value]) => (value instanceof z.ZodObject ? [[name, value] as const] : []));
  const document = createDocument({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: Object.fromEntries(
      schemas.map(([name, schema]) => [
        `/${name}`,
        { get: { responses: { 200: { description: "", content: { "application/json": { schema } } } } } },
      ]),
    ),
  });
  for (const [name] of schemas) assert.ok(document.components?.schemas?.[name] !== undefined, name);
});

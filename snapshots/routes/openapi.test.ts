import assert from "node:assert/strict";
import { test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { INTERFACE_VERSION, openapi } from "./openapi.ts";
import { ROUTES } from "../service/routes.ts";

type Response = { content?: Record<string, { schema: object }> };
type Operation = {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string; required?: boolean }[];
  responses: Record<string, Response>;
};
type Document = {
  openapi: string;
  info: { version: string; title: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
};

const options = { title: "Fixture", baseUrl: "http://library.example" } as const;
const describe = (): Document => openapi(ROUTES, options) as Document;

test("a linter finds nothing in the description", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: JSON.stringify(describe()), config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  );
});

test("the linter would find something", async () => {
  const broken = describe();
  delete (broken.info as { version?: string }).version;
  const problems = await lintFromString({ source: JSON.stringify(broken), config: await createConfig({ extends: ["recommended"] }) });
  assert.ok(problems.some(({ severity }) => severity === "error"));
});

test("each operation is described, and who to turn to", () => {
  const { info, paths } = describe() as Document & { info: { contact?: { url?: string } } };
  assert.equal(info.contact?.url, "http://library.example");
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as object[] as {
    description?: string;
    operationId: string;
  }[];
  for (const { description = "", operationId } of operations) assert.ok(description.length > 20, operationId);
});

test("the description is OpenAPI 3.1 and has the version of the interface", () => {
  const document = describe();
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.info.version, "2026-08-01");
  assert.equal(INTERFACE_VERSION, "2026-08-01");
  assert.equal(document.servers[0]?.url, "http://library.example");
});

test("the same input gives the same bytes, and the description names no snapshot", () => {
  assert.equal(JSON.stringify(describe()), JSON.stringify(describe()));
  assert.doesNotMatch(JSON.stringify(describe()), /[0-9a-f]{64}(?<!0{64})/);
});

test("each parameter but a cursor has an example, and a filter that is a truth value takes no other", () => {
  type Parameter = { name: string; example?: unknown; schema: { examples?: unknown[]; example?: unknown; items?: { enum?: string[] } } };
  for (const [path, methods] of Object.entries(describe().paths)) {
    for (const operation of Object.values(methods)) {
      for (const { name, example, schema } of (operation.parameters ?? []) as object[] as Parameter[]) {
        if (name !== "cursor") assert.notEqual(example ?? schema.example ?? schema.examples?.[0], undefined, `${path} ${name}`);
        if (name === "deployable") assert.deepEqual(schema.items?.enum, ["true", "false"]);
      }
    }
  }
});

test("answers that are no problem document are described as what they are", () => {
  const { paths } = describe();
  const mcp = paths["/mcp"]?.["post"]?.responses ?? {};
  assert.equal(mcp["202"]?.content, undefined);
  for (const status of ["403", "413", "415"]) assert.deepEqual(Object.keys(mcp[status]?.content ?? {}), ["application/json"], status);
  const browse = paths["/browse/{prefix}"]?.["get"]?.responses["404"]?.content ?? {};
  assert.deepEqual(Object.keys(browse).sort(), ["application/problem+json", "text/html", "text/markdown"]);
  const refused = paths["/internal/api/list"]?.["get"]?.responses["401"]?.content ?? {};
  assert.deepEqual(Object.keys(refused).sort(), ["application/problem+json", "text/html"]);
});

test("every route of the interface is there, with each of its methods", () => {
  const { paths } = describe();
  // interface §4, written out: the route table is what is under test.
  const wanted = [
    "GET /api/list",
    "HEAD /api/list",
    "GET /api/catalog",
    "GET /api/claims",
    "POST /api/reindex",
    "GET /api/search",
    "GET /api/ai-search",
    "POST /api/ask",
    "GET /api/capabilities",
    "GET /api/openapi.json",
    "GET /objects/{key}",
    "HEAD /objects/{key}",
    "GET /browse/{prefix}",
    "GET /health",
    "POST /mcp",
    "GET /api/cubs",
    "GET /api/cubs/{id}",
    "GET /api/cubs/{id}/code",
    "GET /api/cubs/meta",
    "GET /api/code/{repo}/{head}/{path}",
    "GET /internal/api/catalog",
    "GET /internal/api/list",
    "HEAD /internal/api/list",
    "GET /internal/api/search",
    "GET /internal/api/ai-search",
    "POST /internal/library/api/ask",
    "GET /internal/api/capabilities",
    "GET /internal/api/claims",
    "GET /internal/api/openapi.json",
    "GET /internal/objects/{key}",
    "HEAD /internal/objects/{key}",
    "GET /internal/browse/{prefix}",
    "POST /internal/mcp",
    "POST /internal/api/ask",
    "GET /api/rejected",
    "GET /internal/api/cubs",
    "GET /internal/api/cubs/{id}",
    "GET /internal/api/cubs/{id}/code",
    "GET /internal/api/cubs/meta",
    "GET /internal/api/rejected",
    "GET /llms.txt",
  ];
  for (const item of wanted) {
    const [method = "", path = ""] = item.split(" ");
    assert.ok(paths[path]?.[method.toLowerCase()] !== undefined, item);
  }
});

test("GET /api/cubs takes q, the filters of its columns, those over checks and standing, facets, order, limit, cursor, nothing else", () => {
  const names = describe()
    .paths["/api/cubs"]?.["get"]?.parameters?.map(({ name }) => name)
    .sort();
  assert.deepEqual(names, [
    "axiom",
    "check_state",
    "crate",
    "cursor",
    "deployable",
    "evidence_state",
    "facets",
    "formal_systems",
    "invocation",
    "invocation_role",
    "kernels",
    "kind",
    "lane",
    "license",
    "limit",
    "module",
    "no_holes",
    "production_consumption",
    "proof_consumption",
    "proof_scope",
    "prover",
    "q",
    "repo",
    "sort",
    "standing",
    "status",
    "tier",
    "use_case",
    "verification_state",
    "wiring",
  ]);
});

test("gated routes ask for the token or for both halves of a service token; public ones for nothing", () => {
  const { paths } = describe();
  const gated = [{ accessToken: [] }, { accessClientId: [], accessClientSecret: [] }];
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { security, responses }] of Object.entries(item)) {
      const expected =
        path.startsWith("/internal/") || path.startsWith("/api/code/")
          ? gated
          : path === "/api/reindex"
            ? [{ reindexBearer: [] }, { reindexToken: [] }]
            : [];
      assert.deepEqual(security, expected, `${method} ${path}`);
      if (expected === gated) assert.ok("401" in responses && "403" in responses, `${method} ${path}`);
    }
  }
});

test("what a body may leave out has no default in its description, which makers of clients read as: it is always there", () => {
  const bodies = Object.values(describe().paths).flatMap((methods) => Object.values(methods)) as object[] as {
    requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
  }[];
  const { schemas } = (describe() as unknown as { components: { schemas: Record<string, { properties?: Record<string, object> }> } })
    .components;
  const named = bodies.flatMap(({ requestBody }) => requestBody?.content["application/json"]?.schema.$ref ?? []);
  assert.ok(named.includes("#/components/schemas/AskRequest"));
  for (const ref of named)
    for (const [name, member] of Object.entries(schemas[ref.split("/").at(-1) ?? ""]?.properties ?? {}))
      assert.ok(!("default" in member), name);
});

test("every part of a path is a required parameter, and every error has a problem body", () => {
  for (const [path, item] of Object.entries(describe().paths)) {
    for (const [method, operation] of Object.entries(item)) {
      for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g)) {
        assert.ok(
          operation.parameters?.some((parameter) => parameter.name === name && parameter.in === "path" && parameter.required === true),
          `${path} ${name}`,
        );
      }
      if (method === "head") continue;
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400 || path === "/health") continue;
        const isRpc = path.endsWith("/mcp") && ["400", "403", "413", "415"].includes(status);
        assert.ok(
          Object.hasOwn(response.content ?? {}, isRpc ? "application/json" : "application/problem+json"),
          `${method} ${path} ${status}`,
        );
      }
    }
  }
});

test("every schema in the description compiles as JSON Schema 2020-12", () => {
  const document = describe();
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv);
  ajv.addSchema(document, "openapi");
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const type of Object.keys(content)) {
          const pointer = ["paths", path, method, "responses", status, "content", type, "schema"]
            .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
            .join("/");
          ajv.compile({ $ref: `openapi#/${pointer}` });
        }
      }
    }
  }
});

test("no two routes share an id or a path", () => {
  assert.equal(new Set(ROUTES.map(({ id }) => id)).size, ROUTES.length);
  assert.equal(new Set(ROUTES.map(({ path }) => path)).size, ROUTES.length);
});

/** The OpenAPI 3.1 description, derived from the route table and the schemas; nothing in it is written twice. */
import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { memoize } from "#snapshots/format";
import { errorStatuses, type Route, type RouteParameter } from "./route.ts";
import { Problem } from "#snapshots/schema";

export const INTERFACE_VERSION = "2026-08-01";

const GROUPS: Readonly<Record<Route["group"], string>> = {
  library: "Objects, catalog, claims, search and answers",
  registry: "Proof records (CUBs)",
  service: "The service itself",
  internal: "The gated view: public plus email-gated",
};

/** Words for what an answer follows from, which says how long it may be kept. */
const KIND_TEXT: Readonly<Record<Route["kind"], string>> = {
  file: "It follows from the snapshot alone, has a strong validator, and may lie in any cache.",
  query: "It follows from the snapshot and the address, has a strong validator, and may lie in any cache.",
  history: "It follows from what was published so far.",
  live: "It is read from the running process.",
  effect: "It is made for each request and not kept.",
};

const ERROR_TEXT: Readonly<Record<number, string>> = {
  400: "A parameter, a path or the body is malformed",
  401: "Credentials are missing or invalid",
  403: "This identity, origin or host is not allowed",
  404: "Nothing has this name",
  405: "The method is not allowed here; see Allow",
  412: "If-Match or If-Unmodified-Since does not hold",
  409: "One is already running",
  410: "What was here was withdrawn, or its snapshot is no longer in service",
  413: "The body is over the limit",
  416: "The range lies outside the object",
  429: "Too many requests; see Retry-After",
  451: "What was here was withdrawn for legal reasons",
  503: "A part that this route needs is not available",
};

const PROBLEM = { "application/problem+json": { schema: Problem } };

/** Markdown-free title of an operation's identifier: `cub-code` → `cubCode`. */
function operationId(route: Route, method: string): string {
  const name = route.id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  if (method === "HEAD") return `${name}Head`;
  return method === "POST" && route.methods.length > 1 ? `${name}Post` : name;
}

/** Parameters that are a truth value. */
const TRUTH: ReadonlySet<string> = new Set(["deployable", "facets"]);

function parameterSchema(parameter: RouteParameter): z.ZodType {
  const meta = { description: parameter.description, ...(parameter.example === "" ? {} : { example: parameter.example }) };
  const one: z.ZodType = TRUTH.has(parameter.name) ? z.enum(["true", "false"]) : z.string();
  const value = parameter.name === "limit" ? z.int().min(0).max(500) : parameter.name === "q" ? z.string().max(500) : one;
  const schema = parameter.repeats
    ? z
        .array(one)
        .meta({ ...meta, param: { style: "form", explode: true }, ...(parameter.example === "" ? {} : { example: [parameter.example] }) })
    : value.meta({ ...meta, ...(parameter.name === "limit" ? { example: Number(parameter.example) } : {}) });
  return parameter.required ? schema : schema.optional();
}

function operation(route: Route, method: "GET" | "HEAD" | "POST"): ZodOpenApiOperationObject {
  const parts = Object.entries(route.parts).map(
    ([name, { description, example }]) => [name, z.string().meta({ description, example })] as const,
  );
  const content =
    route.success.schema === undefined
      ? { [route.success.type ?? "application/json"]: { schema: z.string() } }
      : { [route.success.type ?? "application/json"]: { schema: route.success.schema } };
  const errors = errorStatuses(route);
  return {
    operationId: operationId(route, method),
    tags: [route.group],
    summary: method === "HEAD" ? `Headers of: ${route.summary}` : route.summary,
    description: `${route.summary}. ${KIND_TEXT[route.kind]}`,
    ...(route.access === "public" ? { security: [] } : { security: security(route) }),
    requestParams: {
      ...(parts.length === 0 ? {} : { path: z.object(Object.fromEntries(parts)) }),
      ...(route.query.length === 0
        ? {}
        : { query: z.object(Object.fromEntries(route.query.map((item) => [item.name, parameterSchema(item)]))) }),
    },
    ...(route.body === undefined || method !== "POST"
      ? {}
      : { requestBody: { required: !route.body.isOptional(), content: { "application/json": { schema: route.body } } } }),
    responses: {
      "200": { description: route.success.description, ...(method === "HEAD" ? {} : { content }) },
      ...Object.fromEntries(
        Object.entries(route.also ?? {})
          .filter(([status]) => method === "GET" || status !== "206")
          .map(([status, description]) => [
            status as "200",
            { description, ...(method === "HEAD" || status.startsWith("3") || status === "202" ? {} : { content }) },
          ]),
      ),
      ...(method === "POST" ? {} : { "304": { description: "Not modified" } }),
      ...Object.fromEntries(
        errors.map((status) => {
          const own = route.also?.[status];
          return [
            String(status) as "400",
            {
              description: [ERROR_TEXT[status] ?? "Error", ...(own === undefined ? [] : [own])].join("; or "),
              ...(method === "HEAD" ? {} : { content: { ...PROBLEM, ...pagesOf(route, status), ...(own === undefined ? {} : content) } }),
            },
          ];
        }),
      ),
    },
  };
}

/** pagesOf gives the pages that say the same to a browser, as Accept asks for them: why it is not let in, and what is not there. */
function pagesOf({ access, path }: Route, status: number): object {
  const page = { schema: z.string() };
  const isMissing = [404, 410, 451].includes(status) && !/^(?:\/internal)?\/api\//.test(path);
  return {
    ...(isMissing || (access !== "public" && [401, 403].includes(status)) ? { "text/html": page } : {}),
    ...(isMissing ? { "text/markdown": page } : {}),
  };
}

function security(route: Route): Record<string, string[]>[] {
  return route.access === "token"
    ? [{ reindexBearer: [] }, { reindexToken: [] }]
    : [{ accessToken: [] }, { accessClientId: [], accessClientSecret: [] }];
}

/** openapi makes plain JSON, the same for the same input. Both views get the gated routes too: their existence is no secret. */
export function openapi(routes: readonly Route[], options: { readonly title: string; readonly baseUrl: string }): object {
  const described = describeRoutes(routes);
  return {
    ...described,
    info: {
      ...described.info,
      title: options.title,
      contact: { name: options.title, ...(options.baseUrl === "" ? {} : { url: options.baseUrl }) },
    },
    servers: [{ url: options.baseUrl === "" ? "/" : options.baseUrl }],
  };
}

/** The same for every library. */
const describeRoutes = memoize((routes: readonly Route[]) => {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    // OpenAPI has no parameter over several segments: {key...} is described as {key}, whose value may hold slashes.
    const path = route.path.replaceAll("...}", "}");
    paths[path] = Object.fromEntries(route.methods.map((method) => [method.toLowerCase(), operation(route, method)]));
  }
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "",
      version: INTERFACE_VERSION,
      description:
        "A read-mostly library and a registry of formal-proof records, served from immutable snapshots. Errors are application/problem+json (RFC 9457). " +
        "Every public GET also works under /at/{snapshot}, fixed to that snapshot.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        accessToken: { type: "apiKey", in: "header", name: "edge-access-token", description: "Application JWT" },
        accessClientId: { type: "apiKey", in: "header", name: "Edge-Access-Client-Id", description: "Service-token client id" },
        accessClientSecret: { type: "apiKey", in: "header", name: "Edge-Access-Client-Secret", description: "Service-token client secret" },
        reindexBearer: { type: "http", scheme: "bearer", description: "REINDEX_TOKEN" },
        reindexToken: { type: "apiKey", in: "header", name: "x-resource-library-reindex-token", description: "REINDEX_TOKEN" },
      },
    },
  });
});

/** The rules of every answer, whatever was asked: the rules of conventions "Errors and headers", HEAD as GET without a
 *  body, and bodies as the service's own OpenAPI description promises them. */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { decodeBody, type Exchange, type Received, type Sent } from "./script.ts";
import { PROBLEMS, type ErrorCode } from "../errors.ts";

type Operation = {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>>;
};
type Document = {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

export type Contract = {
  readonly document: Document;
  /** Throws when an answer breaks a rule; asks again with HEAD. */
  check(sent: Sent, received: Received): Promise<void>;
};

export type ContractOptions = {
  /** Where the view is mounted: "" or "/internal". */
  readonly mount: "" | "/internal";
};

/** Names of this machine that no answer may hold. */
const MACHINE = /\/tmp\/|node_modules|\bat [\w.<>]+ \(|\.ts:\d+/;
/** Differ between two answers to the same request. */
const VOLATILE = new Set(["date", "connection", "keep-alive"]);

export async function openContract(exchange: Exchange, { mount }: ContractOptions): Promise<Contract> {
  const described = await exchange({ method: "GET", target: `${mount}/api/openapi.json`, headers: {} });
  assert.equal(described.status, 200);
  const document = JSON.parse(new TextDecoder().decode(described.body)) as Document;
  const held = openDescription(document);
  const explained = new Set<string>();

  const checkProblem = async (received: Received): Promise<void> => {
    assert.equal(received.headers.get("cache-control"), mount === "" ? "no-store" : "private, no-store");
    assert.equal(received.headers.get("etag"), undefined, "an error has no validator");
    // Pages and twins are for who asked for them by name.
    if (["text/html", "text/markdown"].includes(mediaType(received))) return;
    assert.equal(mediaType(received), "application/problem+json");
    const problem = JSON.parse(new TextDecoder().decode(decodeBody(received))) as {
      type: string;
      code: ErrorCode;
      status: number;
      title: string;
      detail: string;
      request_id: string;
    };
    assert.deepEqual([problem.status, problem.title], [...PROBLEMS[problem.code]], "status and title follow from the code");
    assert.equal(problem.status, received.status);
    assert.match(problem.request_id, /^[\w-]{16,}$/);
    assert.ok(problem.detail.length > 10, "the detail says something");
    const path = problem.type.replace(/^https?:\/\/[^/]+/, "");
    assert.equal(path, `/problems/${problem.code}/`);
    if (explained.has(problem.code)) return;
    explained.add(problem.code);
    const page = await exchange({ method: "GET", target: mount + path, headers: { accept: "text/html" } });
    assert.equal(page.status, 200, `${path} explains the problem`);
    assert.ok(new TextDecoder().decode(page.body).includes(problem.code));
  };

  const checkSuccess = (received: Received): void => {
    const { headers, status } = received;
    assert.ok(headers.has("cache-control"), "every answer says how long it holds");
    assert.match(headers.get("x-snapshot") ?? "", /^[0-9a-f]{64}$/);
    if ([302, 307, 308].includes(status))
      assert.match(headers.get("location") ?? "", /^\/(?!\/)[\x21-\x7e]*$/, "a redirect stays on this host");
    else if (mount !== "" || headers.get("cache-control") !== "no-store")
      assert.match(headers.get("etag") ?? "", /^"[\x21\x23-\x7e]+"$/, "a strong validator");
    if (status === 304) assert.equal(received.body.length, 0);
    if (headers.has("content-encoding")) assert.match(headers.get("vary") ?? "", /Accept-Encoding/i);
  };

  const check = async (sent: Sent, received: Received): Promise<void> => {
    const { headers, body } = received;
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("access-control-allow-origin"), mount === "" ? "*" : undefined);
    if (mount !== "") assert.equal(headers.get("cache-control"), "private, no-store");
    if (sent.method === "HEAD") {
      assert.equal(body.length, 0, "HEAD has no body");
      return;
    }
    // A 204 and a 304 have none (RFC 9110 §8.6).
    if (headers.has("content-length") || ![204, 304].includes(received.status))
      assert.equal(Number(headers.get("content-length")), body.length, "Content-Length is the length");
    if (body.length > 0) assert.ok(headers.has("content-type"), "a body has a type");
    if (received.status >= 400) await checkProblem(received);
    else checkSuccess(received);
    if (received.status >= 400 || /json/.test(mediaType(received)))
      assert.doesNotMatch(new TextDecoder().decode(decodeBody(received)), MACHINE);
    held(sent, received);
    if (sent.method === "GET" && !("range" in sent.headers)) checkHead(await exchange({ ...sent, method: "HEAD" }), received);
  };

  return { document, check };
}

/** openDescription holds answers against a description: status, media type, body. @returns what throws when one is not as it is described */
export function openDescription(document: Document): (sent: Sent, received: Received) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema(document, "openapi");
  const compiled = new Map<string, ValidateFunction>();

  const validate = (pointer: readonly string[], value: unknown): void => {
    const ref = `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
    let check = compiled.get(ref);
    if (check === undefined) {
      check = ajv.compile({ $ref: ref });
      compiled.set(ref, check);
    }
    assert.ok(check(value), `the body is not as described at ${ref}: ${ajv.errorsText(check.errors)}`);
  };

  return (sent, received) => {
    const path = findPath(document, sent.target);
    const method = sent.method.toLowerCase();
    if (path === null || received.status === 308) return;
    // A method that a path does not take is described nowhere; its 405 is a problem as any.
    const operation = document.paths[path]?.[method] ?? (received.status === 405 ? document.paths[path]?.["get"] : undefined);
    if (operation === undefined) return;
    const response = operation.responses[String(received.status)];
    // Under /at a path can also be one of a snapshot that is not kept, or lead out of it.
    if (response === undefined && /^(\/internal)?\/at\//.test(sent.target) && [302, 307, 404].includes(received.status)) return;
    assert.ok(response !== undefined, `${received.status} of ${sent.method} ${path} is not described`);
    if (sent.method === "HEAD" || response.content === undefined || received.status === 304) return;
    const type = mediaType(received);
    assert.ok(type in response.content || "*/*" in response.content, `${received.status} of ${path} is ${type}, which is not described`);
    if (!/[/+]json$/.test(type) || !(type in response.content)) return;
    validate(
      [
        "paths",
        path,
        method in (document.paths[path] ?? {}) ? method : "get",
        "responses",
        String(received.status),
        "content",
        type,
        "schema",
      ],
      JSON.parse(new TextDecoder().decode(decodeBody(received))),
    );
  };
}

/** The same status and headers; problem bodies differ in their request id, which has one length. */
function checkHead(head: Received, get: Received): void {
  const shown = ({ status, headers }: Received) => [status, ...[...headers].filter(([name]) => !VOLATILE.has(name)).sort()];
  assert.deepEqual(shown(head), shown(get), "HEAD mirrors GET");
  assert.equal(head.body.length, 0, "HEAD has no body");
}

function mediaType(received: Received): string {
  return (received.headers.get("content-type") ?? "").replace(/;.*$/s, "");
}

/** The described path of a request, or null: pages and assets are not described. */
function findPath(document: Document, target: string): string | null {
  const bare = target.replace(/\?.*$/s, "").replace(/^(\/internal)?\/at\/[^/]*/, "$1");
  const twin = bare.includes("/api/") && !(bare in document.paths) ? bare.replace(/\.json$/, "") : bare;
  if (twin in document.paths) return twin;
  const fits = Object.keys(document.paths).filter(
    (path) =>
      path.includes("{") &&
      new RegExp(
        `^${path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, (_, name: string) => (["key", "prefix", "path"].includes(name) ? ".*" : "[^/]+"))}$`,
      ).test(twin),
  );
  // The one that says most.
  return fits.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

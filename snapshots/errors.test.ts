import assert from "node:assert/strict";
import { test } from "node:test";
import { CODES, type ErrorCode, PROBLEMS, ShelfError } from "./errors.ts";

test("every code is snake_case, has an error status and a title of its own", () => {
  const titles = new Set<string>();
  for (const code of CODES) {
    const [status, title] = PROBLEMS[code];
    assert.match(code, /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    assert.ok(Number.isInteger(status) && status >= 400 && status <= 599, code);
    assert.match(title, /^[A-Z].*[^.]$/, code);
    assert.ok(!titles.has(title), `${code}: this title is used twice`);
    titles.add(title);
  }
});

test("the statuses are the ones that the interface names", () => {
  // interface §4 and §7
  const named: Readonly<Partial<Record<ErrorCode, number>>> = {
    missing_parameter: 400,
    bad_json: 400,
    bad_cub_id: 400,
    bad_code_path: 400,
    unauthenticated: 401,
    forbidden: 403,
    object_not_found: 404,
    cub_not_found: 404,
    code_not_found: 404,
    body_too_large: 413,
    not_configured: 503,
    registry_unavailable: 503,
    code_store_unavailable: 503,
    code_digest_mismatch: 503,
  };
  for (const [code, status] of Object.entries(named)) assert.equal(new ShelfError(code as ErrorCode, "").status, status, code);
  // conventions "Errors and headers", "Lists, filters, search", "Sidecar"
  const decided: Readonly<Partial<Record<ErrorCode, number>>> = {
    unknown_parameter: 400,
    method_not_allowed: 405,
    not_found: 404,
    reindex_running: 409,
    cursor_expired: 410,
    snapshot_withdrawn: 410,
    rate_limited: 429,
  };
  for (const [code, status] of Object.entries(decided)) assert.equal(new ShelfError(code as ErrorCode, "").status, status, code);
});

test("an error carries its code, details and cause, and nothing when there is nothing", () => {
  const cause = new Error("inner");
  const error = new ShelfError("bad_parameter", "No.", {
    cause,
    errors: [{ pointer: "limit", detail: "is not a number" }],
    fixes: ["Send one."],
  });
  assert.ok(error instanceof Error);
  assert.deepEqual(
    [error.name, error.code, error.status, error.title, error.message],
    ["ShelfError", "bad_parameter", 400, PROBLEMS.bad_parameter[1], "No."],
  );
  assert.deepEqual([error.cause, error.errors, error.fixes], [cause, [{ pointer: "limit", detail: "is not a number" }], ["Send one."]]);
  const bare = new ShelfError("internal", "No.");
  assert.deepEqual([bare.errors, bare.fixes, "cause" in bare], [[], [], false]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ShelfError } from "../errors.ts";
import { checkParameters } from "./parameters.ts";
import { CORE_ROWS } from "./routes.ts";

const { cubs, catalog } = CORE_ROWS;

function codeOf(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    assert.ok(error instanceof ShelfError);
    assert.equal(error.status, 400);
    return error.code;
  }
}

test("a name that no route knows is refused, with the nearest that it does", () => {
  for (const [name, nearest] of [
    ["repos", "repo"],
    ["usecase", "use_case"],
    ["LIMIT", "limit"],
    ["kernel", "kernels"],
    ["tiers", "tier"],
  ]) {
    assert.throws(
      () => checkParameters(cubs, `${name}=x`),
      (error: unknown) => error instanceof ShelfError && error.code === "unknown_parameter" && error.message.includes(`"${nearest}"`),
    );
  }
  assert.equal(
    codeOf(() => checkParameters(catalog, "__proto__=1")),
    "unknown_parameter",
  );
  assert.equal(
    codeOf(() => checkParameters(cubs, "constructor")),
    "unknown_parameter",
  );
  assert.equal(
    codeOf(() => checkParameters(cubs, "=x")),
    "unknown_parameter",
  );
});

test("a name that nobody could have mistyped is refused without a guess", () => {
  for (const name of ["x", "zzz", "page", "frobnicate", "__proto__"]) {
    assert.throws(
      () => checkParameters(cubs, `${name}=x`),
      (error: unknown) => error instanceof ShelfError && !error.message.includes("did you mean") && error.fixes.join().includes("use_case"),
      name,
    );
  }
});

test("escapes that are broken or no UTF-8 are refused before anybody reads them as other text", () => {
  for (const query of ["q=%", "q=%f", "q=%ff", "q=%ED%A0%80", "%zz=1"])
    assert.equal(
      codeOf(() => checkParameters(cubs, query)),
      "bad_parameter",
      query,
    );
});

test("a query of any length or letters is refused or accepted, never more", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (query) => void codeOf(() => checkParameters(cubs, query))));
  assert.equal(
    codeOf(() => checkParameters(cubs, `q=${"a".repeat(9000)}`)),
    "bad_parameter",
  );
});

test("known names pass in any order and number; no query passes everywhere", () => {
  assert.equal(
    codeOf(() => checkParameters(cubs, "tier=1&repo=a&repo=b&q=&cursor=x&limit=0")),
    null,
  );
  assert.equal(
    codeOf(() => checkParameters(catalog, "")),
    null,
  );
});

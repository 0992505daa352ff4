import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageModel } from "#snapshots/page";
import { badge } from "./badge.ts";

const of = (standing: object): string => badge({ page: "record", standing, record: {} } as PageModel) ?? "";

test("a badge says the state, who checked it and when; what was verified once is no green", () => {
  const check = { state: "accepted", by: "Coq <8.16.1>", on: "2026-11-27T10:00:00Z" };
  assert.match(of({ state: "verified", check }), /aria-label="proof: verified · Coq &lt;8\.16\.1&gt; · 2026-11-27"[^]*#1f5c4a/);
  assert.match(of({ state: "verified_lost", check }), /verified once[^]*#8f1d1a/);
  assert.match(of({ state: "verified_said" }), /said to be verified"[^]*#524e47/);
  assert.match(of({ state: "recalled", check }), /checker with a known hole[^]*#6e4200/);
  assert.equal(badge({ page: "front" } as PageModel), null);
});

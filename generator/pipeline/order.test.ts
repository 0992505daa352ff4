/** The order of publishing, as one value: what a public byte passes before anybody is served it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ANNEXES } from "../annexes.ts";
import type { AnnexStep } from "./annexes.ts";
import type { Made } from "./made.ts";
import { orderSteps } from "./order.ts";

const registered = (await ANNEXES.steps()).flatMap((annex) => annex.open());

/** What there is before the second step: the first makes `looked`, and the facts and what is to be read follow from it. */
const BEGUN: readonly (keyof Made)[] = ["removal", "inputs", "facts", "reading"];

/** @returns what a step needs that no step before it has made, as `<step>: <what>` */
function findMissing(steps: readonly Pick<ReturnType<typeof orderSteps>[number], "name" | "needs" | "makes">[]): readonly string[] {
  const there = new Set<keyof Made>(BEGUN);
  return steps.flatMap(({ name, needs, makes }) => {
    const missing = needs.filter((one) => !there.has(one)).map((one) => `${name}: ${one}`);
    for (const one of makes) there.add(one);
    return missing;
  });
}

test("a build lists, reads, projects, gates, writes, looks for leaks, publishes, withdraws and keeps, in this order", () => {
  assert.deepEqual(
    orderSteps(registered).map(({ name }) => name),
    [
      "list",
      "read",
      "project",
      "gate",
      "find what is gated now",
      "find what is to be redacted",
      "write",
      "look for what may not be public",
      "publish",
      "withdraw what is gated now",
      "redact",
      "keep what was looked through",
      "keep",
    ],
  );
});

test("every step finds what it needs, and none does when it stands before what makes it", () => {
  const steps = orderSteps(registered);
  assert.deepEqual(findMissing(steps), []);
  assert.deepEqual(findMissing(orderSteps([])), []);
  const swapped = (one: string, other: string): readonly string[] => {
    const names = steps.map(({ name }) => name);
    const [a, b] = [names.indexOf(one), names.indexOf(other)];
    return findMissing(steps.map((step, at) => steps[at === a ? b : at === b ? a : at] ?? step));
  };
  assert.ok(swapped("write", "look for what may not be public").includes("look for what may not be public: written"));
  assert.ok(swapped("publish", "withdraw what is gated now").includes("withdraw what is gated now: changes"));
  assert.ok(swapped("read", "project").includes("project: read"));
  assert.ok(swapped("gate", "publish").includes("publish: accepted"));
  assert.ok(swapped("publish", "keep").includes("keep: knowledge"));
});

test("a step of an annex stands where it says, and nowhere before the gates or after the last", () => {
  const at = (place: AnnexStep["at"]): AnnexStep =>
    ({ at: place, name: place, run: () => Promise.reject(new Error("It is not run.")) }) as AnnexStep;
  const names = orderSteps([at("after publish"), at("before publish"), at("before write")]).map(({ name }) => name);
  assert.deepEqual(names, [
    "list",
    "read",
    "project",
    "gate",
    "before write",
    "write",
    "before publish",
    "publish",
    "after publish",
    "keep",
  ]);
  for (const place of ["before read", "before gate", "before project", "after keep"])
    assert.throws(() => orderSteps([at(place as AnnexStep["at"])]), /no place/, place);
});
